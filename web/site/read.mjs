// Pages that can be read where nothing is built, such as on a forge: docs/read has a twin of every
// page with directives, in plain Markdown, with the pictures and the output that they stand for.
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { format_number } from './compare.mjs';
import { walk } from './markdown.mjs';

export const FOLDER = 'docs/read';

/** docs/index.md → docs/read/README.md, which a forge shows for the folder; others keep their names. */
export const twin_of = (source) =>
  `${FOLDER}/${source.replace(/^docs\//, '').replace(/^index\.md$/, 'README.md')}`;

const relative = (from, to) => posix.relative(posix.dirname(from), to) || posix.basename(to);

/** Text that a table's cell can hold. */
const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('*', '\\*');

/** A fence that the text does not end. */
export function fenced(text, language = '') {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}\n`;
}

export function compare_table(head, judged, commands) {
  const within = ({ row, ours }) => row.within || (typeof ours === 'number' ? '1e-9' : '');
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
  const rows = judged.map((entry) => {
    const number = format_number(entry.original.value);
    const said = entry.original.shown ?? number;
    const shown = said !== number && !/^[-−]?[\d.]+$/.test(said) ? `${said} = ${number}` : said;
    return line([entry.row.what, shown, format_number(entry.ours), within(entry), entry.agree ? '✓' : '✗']);
  });
  const title = [head.what, head.original, head.ours, head.within || 'within', ''];
  return `${line(title)}\n|${' --- |'.repeat(title.length)}\n${rows.join('\n')}\n\n${fenced(commands.join('\n'))}`;
}

/** Where a link of the source leads from the twin. */
function moved(site, href, source, twin) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith('#')) return href;
  const [path, anchor] = href.split('#');
  const target = posix.normalize(posix.join(posix.dirname(source), path));
  const there = site.twins.has(target) ? twin_of(target) : target;
  return relative(twin, there) + (anchor === undefined ? '' : `#${anchor}`);
}

/** The text of tokens, with links that lead on from the twin. */
function written(site, tokens, source, twin) {
  return tokens.map((token, i) => {
    if (token.read) {
      const text = token.read((target) => relative(twin, target), (caption) => relinked(site, caption, source, twin));
      return text.trimEnd() + (tokens[i + 1]?.type === 'space' ? '' : '\n\n');
    }
    if (token.type === 'code') return token.raw;
    let raw = token.raw;
    const links = new Set();
    walk([token], (inner) => /^(link|image)$/.test(inner.type) && links.add(inner.href));
    for (const href of links) raw = raw.replaceAll(`](${href})`, `](${moved(site, href, source, twin)})`);
    return raw;
  }).join('');
}

const relinked = (site, text, source, twin) =>
  text.replace(/\]\(([^)\s]+)\)/g, (_, href) => `](${moved(site, href, source, twin)})`);

/** All files of docs/read, by name. */
export function make_twins(site) {
  site.twins = new Set([...site.pages].filter(([, page]) => {
    let found = false;
    walk(page.tokens, (token) => (found ||= Boolean(token.read)));
    return found && page.source.startsWith('docs/');
  }).map(([source]) => source));
  const files = new Map(site.read_pictures);
  for (const source of site.twins) {
    const twin = twin_of(source);
    const said = `<!-- Made of ${source} by scripts/read_pages.sh. Change that file, not this one. -->\n\n`;
    files.set(twin, said + written(site, site.pages.get(source).tokens, source, twin).trimEnd() + '\n');
  }
  return files;
}

function files_below(folder, found = []) {
  if (!existsSync(folder)) return found;
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) files_below(path, found);
    else found.push(path);
  }
  return found;
}

export function write_twins(root, files) {
  rmSync(join(root, FOLDER), { recursive: true, force: true });
  for (const [file, text] of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
}

/** What of docs/read is not as it would be made: names of files. */
export function stale_twins(root, files) {
  const stale = [...files].filter(([file, text]) => {
    const path = join(root, file);
    return !existsSync(path) || readFileSync(path, 'utf8') !== text;
  }).map(([file]) => file);
  const wanted = new Set([...files.keys()].map((file) => join(root, file)));
  return [...stale, ...files_below(join(root, FOLDER)).filter((path) => !wanted.has(path)).map((path) => posix.relative(root, path))];
}
