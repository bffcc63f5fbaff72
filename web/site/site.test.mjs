// The builder on small repositories, with a script that stands in for cradle.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build, check_written, make_site, render_failure, write_site } from './build.mjs';
import { make_cradle, make_queue, split_command } from './commands.mjs';
import { first_difference } from './directives.mjs';
import { read_comment } from './gallery.mjs';
import { slug } from './html.mjs';
import { guess, highlight_cradle, tokenize } from './highlight.mjs';
import { lex, walk } from './markdown.mjs';
import { make_twins, stale_twins, twin_of, write_twins } from './read.mjs';

const rubbish = [];
after(() => rubbish.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

// A shell starts faster than Node, and the builder starts many.
const STAND_IN = `#!/bin/sh
case "$1 $2" in
  --help*) printf 'Subcommands:\\n  run x\\n  plot x\\n  draw x\\n  instants x\\n  check x\\n  fmt x\\n'
    if [ -n "$REPORTS" ]; then echo '  report x'; fi; exit 0 ;;
  *--help) printf '  --set X\\n  --size WxH\\n  --dark\\n  --light\\n  --select X\\n'; exit 0 ;;
esac
case "$*" in
  draw*) echo "<svg width=\\"1280\\" height=\\"720\\"><g data-element=\\"c\\"/>$*</svg>" ;;
  plot*) echo "<svg width=\\"860\\" height=\\"400\\">$*</svg>" ;;
  instants*) echo '[{"t":1,"eps":0,"step":1,"kind":"pinnacle","modes":{"F":"off"},"values":{"b.p":0.9,"gone":null,"F.e":0},"impulses":{"F.e":0.6}}]' ;;
  run*--json*) echo '{"outcome":{"ending":"finished","t":2},"rows":[]}' ;;
  run*--many*) echo first; echo last ;;
  run*--where*) echo "$LC_ALL $COLUMNS" ;;
  run*--hang*) exec sleep 60 ;;
  run*--fail*) echo 'error[x]: <b> & "q"' >&2; exit 3 ;;
  report*) echo '<p id="report">' > report.html ;;
  *) echo "ran $*" ;;
esac
`;

/** A repository of these files, a stand-in for the binary, and what building it gives. */
async function built(files, { limit = 5000, environment = {} } = {}) {
  const root = mkdtempSync(join(tmpdir(), 'site-test-'));
  rubbish.push(root);
  const all = { 'docs/index.md': '# Index\n\n- [Page](page.md)\n', 'models/m/a.cradle': '// A model.\nmodel A {}\n', ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const binary = join(root, 'stand-in.sh');
  writeFileSync(binary, STAND_IN);
  chmodSync(binary, 0o755);
  Object.assign(process.env, environment);
  const cradle = make_cradle({ binary, root, limit });
  try {
    const site = make_site({ root, cradle });
    await build(site);
    return { site, failures: site.failures.map(render_failure), page: site.files.get('page.html') ?? '' };
  } finally {
    cradle.close();
    for (const name of Object.keys(environment)) delete process.env[name];
  }
}
const page = (text, more = {}) => built({ 'docs/page.md': `# Page\n\n${text}\n`, ...more });
const fence = (info, text) => `\`\`\`${info}\n${text}\n\`\`\``;

test('a page has navigation, anchors and its neighbours', async () => {
  const { failures, page: html } = await page('## One thing\n\n| a | b |\n| --- | --- |\n| 1 | 2 |');
  assert.deepEqual(failures, []);
  assert.match(html, /<h2 id="one-thing">/);
  assert.match(html, /aria-current="page">Page</);
  assert.match(html, /<div class="scroll" tabindex="0"><table>/);
  assert.match(html, /rel="prev" href="index.html"/);
});

test('a page that the index does not list fails', async () => {
  const { failures } = await page('x', { 'docs/lost.md': '# Lost' });
  assert.deepEqual(failures, ['docs/lost.md:1: docs/index.md does not list this page']);
});

test('dead links and anchors fail with file and line', async () => {
  const { failures } = await page('## Here\n\n[a](#here) [b](#nowhere)\n\n- x\n- [c](none.md)\n\n| t |\n| --- |\n| [d](index.md#gone) |\n| [e](../models) |\n| [f](../../out.md) |');
  assert.deepEqual(failures, [
    'docs/page.md:5: dead link #nowhere: docs/page.md has no heading #nowhere',
    'docs/page.md:8: dead link none.md: there is no docs/none.md',
    'docs/page.md:12: dead link index.md#gone: docs/index.md has no heading #gone',
    'docs/page.md:14: dead link ../../out.md: it leads out of the repository',
  ]);
});

test('the links of the README are checked as well', async () => {
  const { failures } = await page('x', { 'README.md': '# R\n\n[x](docs/none.md)\n' });
  assert.deepEqual(failures, ['README.md:3: dead link docs/none.md: there is no docs/none.md']);
});

test('links lead to gallery pages and to the text of other files', async () => {
  const { failures, page: html, site } = await page('[m](../models/m/a.cradle) [s](../src/x.hpp)', { 'src/x.hpp': '// <x>\n' });
  assert.deepEqual(failures, []);
  assert.match(html, /href="gallery\/m\/a.html"/);
  assert.match(html, /href="source\/src\/x.hpp.html"/);
  assert.match(site.files.get('source/src/x.hpp.html'), /&lt;x&gt;/);
});

test('an image of the repository comes along, and a lost one fails', async () => {
  const { failures, page: html, site } = await page('![a "b"](x.svg)\n\n![c](none.svg)', { 'docs/x.svg': '<svg/>' });
  assert.deepEqual(failures, ['docs/page.md:5: dead link none.svg: there is no docs/none.svg']);
  assert.match(html, /<img src="files\/docs\/x.svg" alt="a &quot;b&quot;"/);
  assert.equal(String(site.files.get('files/docs/x.svg')), '<svg/>');
});

test('what looks like HTML is text', async () => {
  const { page: html } = await page('a <script>alert(1)</script> b\n\n<img src=x onerror=y>\n\n`<b>`');
  assert.doesNotMatch(html, /<script>alert|<img src=x/);
  assert.match(html, /&lt;script&gt;alert\(1\)/);
});

test('output shows the command and what it printed, escaped', async () => {
  const { failures, page: html } = await page(fence('output', "run m.cradle --set 'w=[1, 2]'"));
  assert.deepEqual(failures, []);
  assert.match(html, /\$ .\/cradle run m.cradle --set &#39;w=\[1, 2\]&#39;/);
  assert.match(html, /ran run m.cradle --set w=\[1, 2\]/);
});

test('output with another status than it says fails; with that status it shows what was said', async () => {
  const wrong = await page(fence('output', 'run m.cradle --fail'));
  assert.match(wrong.failures[0], /^docs\/page.md:3: cradle run m.cradle --fail: status 3 and not 0/);
  const right = await page(fence('output status=3', 'run m.cradle --fail'));
  assert.deepEqual(right.failures, []);
  assert.match(right.page, /<span class="t-error">error\[x\]<\/span>: &lt;b&gt; &amp; &quot;q&quot;/);
});

test('long output is cut at either end', async () => {
  const { page: html } = await page(`${fence('output lines=1', 'check a\ncheck b')}\n\n${fence('output last=1', 'run m.cradle --many')}`);
  assert.match(html, /ran check a\n.*check b.*\nran check b</);
  assert.match(html, /--many<\/span>\n…\nlast</);
});

test('a command that never ends is ended', async () => {
  const { failures } = await built({ 'docs/page.md': `# P\n\n${fence('output', 'run m.cradle --hang')}` }, { limit: 1500 });
  assert.match(failures[0], /not finished after 1.5 s/);
});

test('a picture is made light and dark, wide and narrow', async () => {
  const { failures, page: html, site } = await page(fence('picture', 'plot models/m/a.cradle --set k=1\nA *caption* & more.'));
  assert.deepEqual(failures, []);
  const pictures = [...site.files.keys()].filter((f) => /pictures\/a-.*svg/.test(f));
  assert.match(html, /<picture class="dark-only"><source media="\(max-width: 640px\)" srcset="pictures\/a-\w+-dark-narrow.svg" width="860" height="400">/);
  assert.match(html, /alt="A caption &amp; more."/);
  assert.match(html, /A <em>caption<\/em> &amp; more./);
  assert.equal(pictures.filter((f) => site.files.get(f).includes('--set k=1')).length, 4);
  assert.doesNotMatch(html, /full report/);
});

test('a page with directives has a twin in plain Markdown, and it can be stale', async () => {
  const text = `See [the index](index.md#x), [b](b.md), [m](../models/m/a.cradle).\n\n` +
    `${fence('picture', 'plot models/m/a.cradle\nA *caption* by [b](b.md).')}\n\n` +
    `${fence('output', 'check a')}\n\n` +
    `${fence('compare', 'instants models/m/a.cradle\nwhat | paper | ours | within\na|b | 9/10 | b.p at ⟨1, 1⟩ |'.replace('a|b', 'p'))}\n\nEnd.`;
  const { site } = await built({
    'docs/index.md': '# Index\n\n## X\n\n- [Page](page.md)\n- [B](b.md)\n',
    'docs/b.md': '# B\n\nNo directive.\n',
    'docs/page.md': `# Page\n\n${text}\n`,
  });
  assert.deepEqual(site.failures, []);
  const twins = make_twins(site);
  assert.equal(twin_of('docs/index.md'), 'docs/read/README.md');
  const twin = twins.get('docs/read/page.md');
  const picture = [...twins.keys()].find((file) => file.endsWith('.svg'));
  assert.match(picture, /^docs\/read\/pictures\/a-\w+\.svg$/);
  assert.match(twins.get(picture), /plot models\/m\/a.cradle/);
  // Pages without directives have no twin, and links lead to them where they are.
  assert.equal(twins.has('docs/read/b.md'), false);
  assert.match(twin, /\[the index\]\(\.\.\/index\.md#x\), \[b\]\(\.\.\/b\.md\), \[m\]\(\.\.\/\.\.\/models\/m\/a\.cradle\)/);
  assert.ok(twin.includes(`](${picture.replace('docs/read/', '')})\n\nA *caption* by [b](../b.md).\n\n`));
  assert.ok(twin.includes('```\n$ ./cradle check a\nran check a\n```\n\n| what | paper | ours | within |  |\n'));
  assert.match(twin, /\| p \| 9\/10 = 0.9 \| 0.9 \| 1e-9 \| ✓ \|/);
  assert.match(twin, /\n\nEnd\.\n$/);
  assert.deepEqual(stale_twins(site.root, twins), [...twins.keys()]);
  write_twins(site.root, twins);
  assert.deepEqual(stale_twins(site.root, twins), []);
  writeFileSync(join(site.root, 'docs/read/more.md'), 'left over');
  writeFileSync(join(site.root, 'docs/read/page.md'), 'changed');
  assert.deepEqual(stale_twins(site.root, twins), ['docs/read/page.md', 'docs/read/more.md']);
});

test('an option that the binary does not know fails', async () => {
  const { failures } = await page(fence('picture', 'plot models/m/a.cradle --at 1'));
  assert.match(failures[0], /this binary's plot does not know --at/);
  const other = await page(fence('output', 'fly models/m/a.cradle'));
  assert.match(other.failures[0], /the binary has no command fly/);
});

test('where there are reports, pictures and models lead to them', async () => {
  const { failures, page: html, site } = await built(
    { 'docs/page.md': `# P\n\n${fence('picture', 'plot models/m/a.cradle')}` },
    { environment: { REPORTS: '1' } },
  );
  assert.deepEqual(failures, []);
  assert.match(html, /href="reports\/a-\w+.html">open the full report/);
  assert.match(site.files.get('gallery/m/a.html'), /open the full report/);
  assert.match(site.files.get('gallery/m/a.html'), /Its graph/);
});

test('compare holds numbers, words, impulses and what is absent beside each other', async () => {
  const { failures, page: html } = await page(fence('compare', `instants models/m/a.cradle
what | paper | ours         | within
p    | 9/10  | b.p at ⟨1, 1⟩ |
mode | off   | F at ⟨1, 1⟩   |
J    | 0.6   | impulse(F.e) at ⟨1, 1⟩ | 1e-9
kind | pinnacle | kind at ⟨1, 1⟩ |
none | absent | gone at ⟨1, 1⟩ |`));
  assert.deepEqual(failures, []);
  assert.match(html, /9\/10 = 0.9/);
  assert.equal(html.match(/class="agrees"/g).length, 5);
});

test('compare fails where a number is off, with the line of the row', async () => {
  const { failures } = await page(fence('compare', `instants models/m/a.cradle
what | paper | ours          | within
p    | 0.91  | b.p at ⟨1, 1⟩ | 0.001
q    | 0.91  | b.p at ⟨1, 1⟩ | 0.02
mode | on    | F at ⟨1, 1⟩   |
none | 1     | c.p at ⟨1, 1⟩ |
when | 1     | b.p at ⟨2, 0⟩ |`));
  assert.deepEqual(failures.map((f) => f.slice(0, 70)), [
    'docs/page.md:6: p: 0.9 is not 0.91 within 0.001',
    'docs/page.md:8: mode: off is not on',
    'docs/page.md:9: none: there is no column c.p; there is b.p, gone, F.e',
    'docs/page.md:10: when: there is no row at t = 2; the nearest is 1',
  ]);
});

test('what a page says that a command prints is what it prints', async () => {
  const right = await page(fence('', '$ ./cradle run models/m/a.cradle\nran run models/m/a.cradle\n$ ./cradle run x --many\n…\nlast'));
  assert.deepEqual(right.failures, []);
  assert.match(right.page, /data-copy="\.\/cradle run models\/m\/a\.cradle\n\.\/cradle run x --many"/);
  const stale = await page(fence('', '$ ./cradle run models/m/a.cradle\nran walk'));
  assert.deepEqual(stale.failures, [
    'docs/page.md:4: ./cradle run models/m/a.cradle prints something else:\n  here: ran walk\n  now:  ran run models/m/a.cradle',
  ]);
  const readme = await page('x', { 'README.md': `# R\n\n${fence('', '$ ./cradle check a\nno')}\n` });
  assert.match(readme.failures[0], /^README.md:4: .\/cradle check a prints something else/);
  const other = await page(`${fence('text', '$ ./cradle check a\nno')}\n\n    $ ./cradle check a\n    no`);
  assert.deepEqual(other.failures, []);
});

test('the page about the command line names every command and option', async () => {
  const section = (name, text = '') => `## ${name}\n\n${text}\n\n`;
  const options = '`--set`, `--size`, `--dark`, `--light`, `--select`';
  const rest = ['plot', 'draw', 'instants', 'check'].map((name) => section(name, 'It takes the options of `run`.')).join('');
  const index = '# Index\n\n- [Commands](command-line.md)\n';
  const all = await built({ 'docs/index.md': index, 'docs/command-line.md': `# Commands\n\n${section('run', options)}${rest}${section('fmt', options)}` });
  assert.deepEqual(all.failures, []);
  const some = await built({ 'docs/index.md': index, 'docs/command-line.md': `# Commands\n\n${section('run', options)}${rest.replace('options of `run`', 'options but `--sets`')}` });
  assert.deepEqual(some.failures, [
    ...['--set', '--size', '--dark', '--light', '--select'].map((option) => `docs/command-line.md:7: plot ${option} is missing`),
    'docs/command-line.md:1: the command fmt is missing',
  ]);
});

test('commands print the same in every locale', async () => {
  const { failures } = await built({ 'docs/page.md': `# P\n\n${fence('', '$ ./cradle run x --where\nC.UTF-8 80')}` }, { environment: { LC_ALL: 'C', COLUMNS: '200' } });
  assert.deepEqual(failures, []);
});

test('a file that a page runs is a model that it shows', async () => {
  const command = fence('', '$ ./cradle run two_balls.cradle\nran run two_balls.cradle');
  const shown = await page(`    // Two.\n    model two_balls {\n    }\n\n${command}`);
  assert.deepEqual(shown.failures, []);
  const hidden = await page(command);
  assert.deepEqual(hidden.failures, ['docs/page.md:4: the page shows no model for two_balls.cradle']);
});

test('lines of a transcript, and what stands for lines that are left out', () => {
  assert.equal(first_difference(['a', '…', 'd'], ['a', 'b', 'c', 'd']), null);
  assert.equal(first_difference(['a', '  …'], ['a']), null);
  assert.equal(first_difference(['long …', 'b'], ['long line', 'b']), null);
  assert.deepEqual(first_difference(['a', 'b'], ['a']), { told: 'b', printed: '(no more)' });
  assert.deepEqual(first_difference(['a'], ['a', 'b']), { told: '(no more)', printed: 'b' });
  assert.deepEqual(first_difference(['…', 'b', 'c'], ['a', 'b', 'x']), { told: 'c', printed: 'x' });
});

test('what is found stands in the order of the navigation, models behind', async () => {
  const { site } = await built({
    'docs/index.md': '# Index\n\n- [Second](zebra.md)\n- [Third](aardvark.md)\n',
    'docs/aardvark.md': '# A\n\ntext\n',
    'docs/zebra.md': '# Z\n\ntext\n\n## One\n\nmore\n',
  });
  const search = JSON.parse(site.files.get('search.js').replace('window.CRADLE_SEARCH=', '').replace(/;\n$/, ''));
  assert.deepEqual(search.map(([url]) => url), ['index.html', 'zebra.html', 'zebra.html#one', 'aardvark.html', 'gallery/m/a.html']);
});

test('two models of one title fail', async () => {
  const { failures } = await page('x', { 'models/m/b.cradle': '// A model; another one.\nmodel B {}\n' });
  assert.deepEqual(failures, ['models/m/b.cradle:1: models/m/a.cradle has the same title: A model']);
});

test('a model in a page is what stands in its file', async () => {
  const model = '// T.\nmodel T {\n  until 1\n}';
  const same = await page(fence('cradle docs/t.cradle', model), { 'docs/t.cradle': `${model}\n` });
  assert.deepEqual(same.failures, []);
  const other = await page(fence('cradle docs/t.cradle', model.replace('1', '2')), { 'docs/t.cradle': model });
  assert.deepEqual(other.failures, ['docs/page.md:3: this is not what stands in docs/t.cradle']);
  const part = await page(fence('cradle part of docs/t.cradle', '  until 1'), { 'docs/t.cradle': model });
  assert.deepEqual(part.failures, []);
});

test('include takes over a section, with links from where it stood', async () => {
  const { failures, page: html } = await page(fence('include', 'README.md#two'), {
    'README.md': '# R\n\n## Two\n\nSee [index](docs/index.md).\n\n## Three\n\nnot this\n',
  });
  assert.deepEqual(failures, []);
  assert.match(html, /See <a href="index.html">/);
  assert.doesNotMatch(html, /not this/);
});

test('what is written is looked at once more', () => {
  const files = new Map([['a.html', '<p id="x"><a href="b.html#y"></a><img src="c.svg"><a href="#x"></a>'], ['b.html', '<p id="z">']]);
  assert.deepEqual(check_written(files).map(render_failure), [
    'a.html: leads to #y of b.html, which is not there',
    'a.html: leads to c.svg, which is not written',
  ]);
});

test('a folder that is no site is left alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'site-test-'));
  rubbish.push(folder);
  writeFileSync(join(folder, 'mine.txt'), 'x');
  assert.throws(() => write_site(new Map([['index.html', '']]), folder), /left as it is/);
  assert.equal(readFileSync(join(folder, 'mine.txt'), 'utf8'), 'x');
  const out = join(folder, 'site');
  write_site(new Map([['a/b.html', 'old'], ['c.html', '']]), out);
  write_site(new Map([['a/b.html', 'new']]), out);
  assert.equal(readFileSync(join(out, 'a/b.html'), 'utf8'), 'new');
  assert.ok(!existsSync(join(out, 'c.html')));
});

test('wrong usage ends with 2', () => {
  const run = (...args) => spawnSync(process.execPath, [join(dirname(fileURLToPath(import.meta.url)), 'build.mjs'), ...args]);
  assert.equal(run().status, 2);
  assert.equal(run('--cradle', '/nowhere', '--out', '/tmp/x').status, 2);
  assert.equal(run('--what').status, 2);
});

test('words of a command', () => {
  assert.deepEqual(split_command(`run a.cradle --set 'w=[1, 2]' --x ""`), ['run', 'a.cradle', '--set', 'w=[1, 2]', '--x', '']);
  assert.throws(() => split_command("run 'a"), /not closed/);
});

test('no more jobs at a time than allowed', async () => {
  let now = 0;
  let most = 0;
  const queue = make_queue(2);
  await Promise.all([1, 2, 3, 4, 5].map((i) => queue(async () => {
    most = Math.max(most, ++now);
    await new Promise((r) => setTimeout(r, 5 * i));
    now--;
  })));
  assert.equal(most, 2);
});

test('anchors are those of GitHub', () => {
  const taken = new Map();
  assert.equal(slug('What a run needs: until, show, priority', taken), 'what-a-run-needs-until-show-priority');
  assert.equal(slug('ε and ω', taken), 'ε-and-ω');
  assert.equal(slug('Twice', taken), 'twice');
  assert.equal(slug('Twice', taken), 'twice-1');
});

test('lines of what is nested', () => {
  const links = [];
  walk(lex('# T\n\ntext\n\n- a\n- b [x](1)\n  - c [y](2)\n', 'f.md'), (t) => t.type === 'link' && links.push([t.href, t.line]));
  assert.deepEqual(links, [['1', 6], ['2', 7]]);
});

test('the language in colours', () => {
  const source = '  0/E F initially on {  // a "b"\n    on -> off after eps when impulse(F.e) > 1e-3\n  }\n  I ball(2)\n';
  assert.equal(tokenize(source).map((t) => t.text).join(''), source);
  const of = (kind) => tokenize(source).filter((t) => t.kind === kind).map((t) => t.text);
  assert.deepEqual(of('element'), ['0', 'I']);
  assert.deepEqual(of('word'), ['initially', 'after', 'eps', 'when']);
  assert.deepEqual(of('function'), ['impulse']);
  assert.deepEqual(of('number'), ['1e-3', '2']);
  assert.deepEqual(of('comment'), ['// a "b"']);
  assert.equal(highlight_cradle('a < b & "c'), 'a &lt; b &amp; <span class="t-string">&quot;c</span>');
  assert.equal(guess('model A {\n  C c(1)\n}'), 'cradle');
  assert.equal(guess('./cradle run x'), 'shell');
  assert.equal(guess('file = { import } .'), 'plain');
});

test('the opening comment of a model', () => {
  const { title, paragraphs } = read_comment('// Two balls: they collide.\n// At once.\n//\n// Source: X.\n//\n// Expect:\n//   a  1\nmodel A {}\n');
  assert.equal(title, 'Two balls');
  assert.deepEqual(paragraphs, ['They collide. At once.', 'Source: X.', 'Expect:\n  a  1']);
});
