// Fenced blocks that the build turns into pictures, output and comparisons.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { split_command } from './commands.mjs';
import { judge, format_number, parse_compare, read_recorded, render_compare } from './compare.mjs';
import { escape } from './html.mjs';
import { code_block, plain, read_info } from './markdown.mjs';
import { compare_table, fenced, FOLDER } from './read.mjs';

export const DIRECTIVES = new Set(['picture', 'output', 'compare', 'include']);

// A picture on a page, and on a phone: text keeps its size.
const SIZES = { wide: '860x400', narrow: '360x440' };

export const hash = (text) => createHash('sha256').update(text).digest('hex').slice(0, 8);

const model_of = (words) => words.find((word) => word.endsWith('.cradle'));

/** Runs a command and insists on its status. */
async function run(site, words, { status = 0, ...options } = {}) {
  if (!(await site.cradle.has_command(words[0])))
    throw new Error(`the binary has no command ${words[0]}: cradle ${words.join(' ')}`);
  const result = await site.cradle.run(words, options);
  if (result.status !== status) {
    const said = (result.err || result.out).trim().split('\n').slice(0, 12).join('\n  ');
    throw new Error(`cradle ${words.join(' ')}: status ${result.status} and not ${status}\n  ${said}`);
  }
  return result;
}

const size_of = (svg) => {
  const match = /<svg[^>]*\bwidth="([\d.]+)"[^>]*\bheight="([\d.]+)"/.exec(svg);
  return match ? ` width="${match[1]}" height="${match[2]}"` : '';
};

/**
 * The pictures that a plot or draw command makes, light and dark, wide and narrow, as
 * {light: {wide, narrow}, dark: …, sizes}; paths are of files that the site will have.
 */
export async function make_pictures(site, words, status = 0) {
  const command = words[0];
  if (command !== 'plot' && command !== 'draw') throw new Error(`a picture is made by plot or draw, not by ${command}`);
  if (words.includes('-o') || words.includes('--output')) throw new Error('the build says where the picture goes: leave -o out');
  for (const word of words.filter((w) => w.startsWith('--'))) {
    if (!(await site.cradle.has_option(command, word.split('=')[0])))
      throw new Error(`this binary's ${command} does not know ${word}: cradle ${words.join(' ')}`);
  }
  const sized = words.includes('--size') || !(await site.cradle.has_option(command, '--size'));
  const name = `pictures/${basename(model_of(words) ?? 'picture', '.cradle')}-${hash(words.join(' '))}`;
  const pictures = { sizes: {} };
  for (const theme of ['light', 'dark']) {
    const ground = theme === 'dark' ? ['--dark'] : command === 'plot' ? ['--light'] : [];
    pictures[theme] = {};
    for (const width of sized ? ['wide'] : ['wide', 'narrow']) {
      const file = `${name}-${theme}${width === 'narrow' ? '-narrow' : ''}.svg`;
      const size = sized ? [] : ['--size', SIZES[width]];
      const made = await site.once(`picture ${file}`, async () =>
        (await run(site, [...words, ...size, ...ground, '-o', '-'], { status })).out);
      if (!made.startsWith('<svg') && !made.startsWith('<?xml')) throw new Error(`cradle ${words.join(' ')} drew nothing`);
      site.write(file, made);
      pictures[theme][width] = file;
      pictures.sizes[width] = size_of(made);
    }
  }
  return pictures;
}

export function picture_element(site, pictures, url, alt, { lazy = true } = {}) {
  const one = (theme) => {
    const { wide, narrow } = pictures[theme];
    const source = narrow ? `<source media="(max-width: 640px)" srcset="${site.link(url, narrow)}"${pictures.sizes.narrow}>` : '';
    return `<picture class="${theme}-only">${source}<img src="${site.link(url, wide)}" alt="${escape(alt)}"${pictures.sizes.wide}${lazy ? ' loading="lazy"' : ''}></picture>`;
  };
  return one('light') + one('dark');
}

/** The report of a model, where the binary can make one: the file, or null. */
export async function make_report(site, words) {
  const model = model_of(words);
  if (!model || !(await site.cradle.has_command('report'))) return null;
  const options = [];
  for (let i = 1; i < words.length; i++) {
    if (!['--set', '--until', '--zeno', '--choose'].includes(words[i])) continue;
    if (await site.cradle.has_option('report', words[i])) options.push(words[i], words[i + 1]);
  }
  const file = `reports/${basename(model, '.cradle')}-${hash([model, ...options].join(' '))}.html`;
  const folder = site.cradle.make_folder();
  const page = await site.once(`report ${file}`, async () => {
    const command = ['report', model, ...options, '-o', 'report.html'];
    const { status, err } = await site.cradle.run(command, { folder });
    // A run that ends early has a report, too.
    const path = join(folder, 'report.html');
    if (!existsSync(path)) throw new Error(`cradle ${command.join(' ')}: status ${status}, no report\n  ${err.trim()}`);
    return readFileSync(path, 'utf8');
  });
  site.write(file, page);
  return file;
}

const shown = (words) => `./cradle ${words.map((w) => (/[^\w.\/=,:@%+\[\]()-]/.test(w) || !w ? `'${w}'` : w)).join(' ')}`;

async function picture(site, token, url, info) {
  const [line, ...rest] = token.text.trim().split('\n');
  const words = split_command(line);
  const pictures = await make_pictures(site, words, Number(info.attributes.status ?? 0));
  const report = await make_report(site, words);
  const caption = rest.join(' ').trim();
  const alt = plain(caption) || `${words[0] === 'draw' ? 'The bond graph' : 'A run'} of ${model_of(words)}`;
  const twin = `${FOLDER}/${pictures.light.wide.replace('-light.svg', '.svg')}`;
  site.read_pictures.set(twin, site.files.get(pictures.light.wide));
  token.read = (to, relinked) => `![${alt.replaceAll(']', '\\]')}](${to(twin)})\n\n` +
    `${caption ? `${relinked(caption)}\n\n` : ''}${fenced(`$ ${shown([...words, '-o', `${words[0]}.svg`])}`)}`;
  const links = [`<a href="${site.link(url, pictures.light.wide)}">the picture alone</a>`];
  if (report) links.push(`<a href="${site.link(url, report)}">open the full report</a>`);
  return `<figure class="${words[0]}"><div class="scroll">${picture_element(site, pictures, url, alt)}</div>` +
    `<figcaption>${caption ? `<span class="caption">${site.inline(caption, token, url)}</span> ` : ''}` +
    `<code>$ ${escape(shown([...words, '-o', `${words[0]}.svg`]))}</code> <span class="links">${links.join(' · ')}</span></figcaption></figure>\n`;
}

/** The first `lines` or the last `last` lines of a text. */
function shorten(text, { lines, last }) {
  const all = text.split('\n');
  if (lines !== undefined && all.length > Number(lines)) return [...all.slice(0, Number(lines)), '…'].join('\n');
  if (last !== undefined && all.length > Number(last)) return ['…', ...all.slice(-Number(last))].join('\n');
  return text;
}

async function output(site, token, url, info) {
  const folder = site.cradle.make_folder();
  const commands = token.text.trim().split('\n').map(split_command);
  const status = Number(info.attributes.status ?? 0);
  let text = '';
  for (const [i, words] of commands.entries()) {
    const expected = i === commands.length - 1 ? status : 0;
    const { out } = await run(site, words, { status: expected, folder, together: true });
    text += `$ ${shown(words)}\n${shorten(out.trimEnd(), info.attributes)}\n`;
    if (status) site.expected_status.set(model_of(words), status);
  }
  token.read = () => fenced(text.trimEnd());
  return code_block(text.trimEnd(), 'terminal', { copy: commands.map(shown).join('\n') });
}

async function compare(site, token, url, info) {
  const fence = token.line + 1;
  let block;
  try {
    block = parse_compare(token.text);
  } catch (error) {
    site.fail(token.file, fence + (error.line ?? 0), error.message);
    return '';
  }
  const judged = [];
  const commands = [];
  const lines = [];
  for (const part of block.sections) {
    const words = split_command(part.command);
    const beside = part.recorded ? ` beside <code>${escape(part.recorded)}</code>` : '';
    lines.push(`$ ${shown(words)}`);
    commands.push(`<span class="command"><code>$ ${escape(shown(words))}</code>${beside}</span>`);
    try {
      const json = words[0] === 'run' ? ['--json', '-'] : ['--json'];
      const { out } = await run(site, [...words, ...json], { status: Number(info.attributes.status ?? 0) });
      const document = JSON.parse(out);
      const recorded = part.recorded ? read_recorded(readFileSync(join(site.root, part.recorded), 'utf8')) : null;
      for (const row of part.rows) {
        try {
          const result = judge(row, document, recorded);
          judged.push({ row, ...result });
          if (!result.agree)
            site.fail(token.file, fence + row.line,
              `${row.what}: ${format_number(result.ours)} is not ${format_number(result.original.value)}` +
                (row.within ? ` within ${row.within}` : ''));
        } catch (error) {
          site.fail(token.file, fence + row.line, `${row.what}: ${error.message}`);
        }
      }
    } catch (error) {
      site.fail(token.file, fence + part.line, error.message);
    }
  }
  token.read = () => compare_table(block.head, judged, lines);
  return `<figure class="comparison">${render_compare(block.head, judged)}<figcaption>${commands.join(' ')}</figcaption></figure>\n`;
}

const normal = (text) => text.replace(/\s+$/gm, '').trim();

/** ```cradle docs/tutorial/x.cradle: the block is that file; `part of` it: it is found there. */
function quoted(site, token, info) {
  const part = info.rest[0] === 'part';
  const path = part ? info.rest[2] : info.rest[0];
  if (part && info.rest[1] !== 'of') throw new Error('write: cradle part of FILE');
  const file = join(site.root, path);
  if (!existsSync(file)) throw new Error(`there is no file ${path}`);
  const text = normal(readFileSync(file, 'utf8'));
  const block = normal(token.text);
  if (part ? !text.includes(block) : text !== block)
    throw new Error(part ? `this is no part of ${path}` : `this is not what stands in ${path}`);
  token.read = (to) => `[${path}](${to(path)})\n\n${fenced(token.text, 'cradle')}`;
  return code_block(token.text, 'cradle', { title: `<span>${escape(path)}</span>` });
}

/** A block of commands and what they print, in plain markdown: `$ ./cradle …` and lines. */
export const is_transcript = (token) =>
  token.type === 'code' && token.raw.startsWith('```') && !token.lang && token.text.startsWith('$ ./cradle ');

/** Models that a page shows, by the name that a file of them has: {ball: text of model Ball}. */
export function shown_models(tokens, walk) {
  const models = new Map();
  walk(tokens, (token) => {
    const name = token.type === 'code' && /^model (\w+) \{/m.exec(token.text)?.[1];
    if (name) models.set(name.toLowerCase(), token.text);
  });
  return models;
}

/**
 * Where the lines of a transcript leave what was printed: null, or the first line that is not there.
 * A line that is only … stands for any lines, one that ends so for any end.
 */
export function first_difference(told, printed) {
  const fits = (line, text) => line === text || (line.endsWith('…') && text.startsWith(line.slice(0, -1)));
  let furthest = { i: -1, j: 0 };
  const match = (i, j) => {
    if (i > furthest.i) furthest = { i, j };
    if (i === told.length) return j === printed.length;
    if (told[i].trim() !== '…') return j < printed.length && fits(told[i], printed[j]) && match(i + 1, j + 1);
    for (let k = j; k <= printed.length; k++) if (match(i + 1, k)) return true;
    return false;
  };
  if (match(0, 0)) return null;
  return { told: told[furthest.i] ?? '(no more)', printed: printed[furthest.j] ?? '(no more)' };
}

/** Runs the commands of a transcript and insists that they print what it says. */
export async function check_transcript(site, token, models) {
  const parts = [];
  for (const [i, line] of token.text.trimEnd().split('\n').entries()) {
    if (line.startsWith('$ ./cradle ')) parts.push({ words: split_command(line.slice('$ ./cradle '.length)), told: [], line: token.line + 1 + i });
    else parts.at(-1).told.push(line.trimEnd());
  }
  const folder = site.cradle.make_folder();
  for (const { words, told, line } of parts) {
    for (const word of words.filter((w) => /^\w+\.cradle$/.test(w))) {
      const text = models.get(word.replace('.cradle', '').toLowerCase());
      if (text) writeFileSync(join(folder, word), `${text}\n`);
      else site.fail(token.file, line, `the page shows no model for ${word}`);
    }
    const { out } = await site.cradle.run(words, { folder, together: true });
    const stale = first_difference(told, out.trim() ? out.trimEnd().split('\n').map((text) => text.trimEnd()) : []);
    if (stale) site.fail(token.file, line, `${shown(words)} prints something else:\n  here: ${stale.told}\n  now:  ${stale.printed}`);
  }
  return code_block(token.text, 'terminal', { copy: parts.map(({ words }) => shown(words)).join('\n') });
}

const MAKERS = { picture, output, compare };

/** Gives a code token of a page its html, if it is a directive or a transcript. */
export async function expand(site, token, url, models) {
  const info = read_info(token.lang);
  try {
    if (is_transcript(token)) token.html = await check_transcript(site, token, models);
    else if (info.name === 'cradle' && info.rest.length) token.html = quoted(site, token, info);
    else if (Object.hasOwn(MAKERS, info.name)) token.html = await MAKERS[info.name](site, token, url, info);
  } catch (error) {
    token.html = '';
    site.fail(token.file, token.line, error.message);
  }
}
