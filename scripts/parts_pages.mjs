// parts_pages.mjs [FOLDER [CRADLE]]: writes the pages of the library, one for each folder of lib/std,
// into docs/parts, with pictures of an example, which stands there. They are committed, so that they
// can be read without building anything; tests/parts_pages_test.sh shows that they are not stale.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = process.argv[2] ?? join(root, 'docs/parts');
const cradle = process.argv[3] ?? join(root, 'cradle');

const TITLES = {
  electrical: 'Electrical parts',
  mechanical: 'Mechanical parts',
  hydraulic: 'Hydraulic parts',
  thermal: 'Thermal parts',
  signals: 'Blocks for signals',
  machines: 'Machines',
};

const said = (line) => line.replace(/^\s*\/\/ ?/, '');

/** Lines of a comment as paragraphs; what is set in stays as it is. */
function paragraphs(lines) {
  let out = '';
  for (const line of lines) {
    if (line === '') out += '\n\n';
    else if (line.startsWith('  ')) out += `\n\n    ${line.trim()}\n\n`;
    else out += `${out === '' || out.endsWith('\n') ? '' : ' '}${line}`;
  }
  return out.replace(/\n\n    (.*)\n\n\n\n    /g, '\n\n    $1\n    ').replace(/\n{3,}/g, '\n\n').trim();
}

/** Names and values of a declaration: `a = 1, b = [2, 3]`. */
function declared(text) {
  const items = [''];
  let depth = 0;
  for (const c of text) {
    if ('([{'.includes(c)) ++depth;
    if (')]}'.includes(c)) --depth;
    if (c === ',' && depth === 0) items.push('');
    else items[items.length - 1] += c;
  }
  return items.map((item) => item.split(/=(.*)/s).map((part) => part.trim()));
}

function row_of(line) {
  const match = /^  (param|port|input|output) (.*?)(\s+\/\/ (.*))?$/.exec(line);
  if (!match) return [];
  const [, noun, text, , about = ''] = match;
  return declared(text).map(([name, value = '']) => ({ noun, name, value, about }));
}

/** What a file of the library says: of itself, and of each part. */
function read(file) {
  const parts = [];
  let comment = [];
  let head = null;
  let part = null;
  for (const line of readFileSync(join(root, 'lib', file), 'utf8').split('\n')) {
    const begins = /^(component|block) (\w+) \{/.exec(line);
    if (begins) {
      part = { name: begins[2], block: begins[1] === 'block', about: comment, rows: [] };
      parts.push(part);
      comment = [];
    } else if (line === '}') {
      part = null;
    } else if (part) {
      part.rows.push(...row_of(line));
    } else if (line.startsWith('//')) {
      comment.push(said(line));
    } else if (line === '' && comment.length > 0) {
      head ??= comment;
      comment = [];
    }
  }
  return { file, head: head ?? [], parts };
}

const cell = (text) => text.replaceAll('|', '\\|');

function part_text(part) {
  const rows = part.rows.filter((row) => row.noun !== 'output' || row.value);
  const table = rows.map(({ noun, name, value, about }) =>
    `| ${noun} | \`${name}\` | ${value ? `\`${cell(value)}\`` : ''} | ${cell(about)} |`);
  return `### ${part.name}${part.block ? ' (block)' : ''}\n\n${paragraphs(part.about)}\n\n` +
    (table.length ? `| | name | value | |\n| --- | --- | --- | --- |\n${table.join('\n')}\n\n` : '');
}

function make(words) {
  execFileSync(cradle, words, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

function page(domain) {
  const example = `docs/parts/${domain}.cradle`;
  const text = readFileSync(join(root, example), 'utf8').trimEnd();
  make(['plot', example, '--size', '860x520', '--light', '-o', join(folder, `${domain}-plot.svg`)]);
  make(['draw', example, '-o', join(folder, `${domain}-draw.svg`)]);
  let out = `# ${TITLES[domain]}\n\n` +
    `What stands in lib/std/${domain}, with its equations. This page is made of the files themselves by scripts/parts_pages.mjs. Each part is compared with a closed form in tests/library. \`cradle lib NAME\` says the same in a terminal.\n\n` +
    `An example, [${domain}.cradle](${domain}.cradle):\n\n` +
    `${text.split('\n').map((line) => (line ? `    ${line}` : '')).join('\n')}\n\n` +
    `![${said(text.split('\n')[0])} The curves](${domain}-plot.svg)\n\n` +
    `![Its bond graph](${domain}-draw.svg)\n\n`;
  for (const name of readdirSync(join(root, 'lib/std', domain)).sort()) {
    const { file, head, parts } = read(`std/${domain}/${name}`);
    out += `## ${file}\n\n    import "${file}"\n\n`;
    if (head.length) out += `${paragraphs(head)}\n\n`;
    for (const part of parts) out += part_text(part);
  }
  writeFileSync(join(folder, `${domain}.md`), `${out.trimEnd()}\n`);
}

mkdirSync(folder, { recursive: true });
for (const domain of readdirSync(join(root, 'lib/std')).sort()) page(domain);
