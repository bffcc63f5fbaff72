#!/usr/bin/env node
// The site: docs/**/*.md, the changelog and the models, as pages that open from disk or are served.
//
//   node web/site/build.mjs --cradle PATH_TO_BINARY --out FOLDER [--read check|write]
//
// Pictures, output and comparisons are made by the binary while the site is built, so none is stale.
// A dead link, a command that fails, or a number that differs from the original's ends the build with
// the file and the line, and leaves an earlier site as it was. docs/extend.md tells how to write a page.
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { make_cradle } from './commands.mjs';
import { FOLDER, make_twins, stale_twins, twin_of, write_twins } from './read.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const MARKER = '.cradle-site';

/** All files below a folder whose names end so, sorted. */
export function find_files(root, folder, ending) {
  const found = [];
  const visit = (path) => {
    for (const name of readdirSync(join(root, path)).sort()) {
      const inner = posix.join(path, name);
      if (statSync(join(root, inner)).isDirectory()) visit(inner);
      else if (name.endsWith(ending)) found.push(inner);
    }
  };
  if (existsSync(join(root, folder))) visit(folder);
  return found;
}

/** The site while it is being made. */
export function make_site({ root, cradle }) {
  const files = new Map();
  const made = new Map();
  return {
    root,
    cradle,
    files,
    failures: [],
    navigation: [],
    pages: new Map(), // source → page
    read_pictures: new Map(), // file of docs/read → picture
    sources: new Set(), // files of the repository that pages link to
    expected_status: new Map(), // model → the status that a page says its run has
    fail(file, line, message) {
      this.failures.push({ file, line, message });
    },
    write(file, text) {
      files.set(file, text);
    },
    once(key, make) {
      if (!made.has(key)) made.set(key, make());
      return made.get(key);
    },
    link: (from, to) => {
      const [path, anchor] = to.split('#');
      const address = posix.relative(posix.dirname(from), path) || posix.basename(path);
      return encodeURI(address) + (anchor ? `#${anchor}` : '');
    },
  };
}

const page_url = (source) => source.replace(/^docs\//, '').replace(/\.md$/, '.html').toLowerCase();

/** Where a link leads: an address for the page, after saying what is wrong with it. */
export function resolve_link(site, token, url) {
  const href = token.href;
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return href;
  const [path, anchor = ''] = href.split('#').map(decodeURI);
  const named = path ? posix.normalize(posix.join(posix.dirname(token.file), path)).replace(/\/$/, '') : token.file;
  const target = [...site.pages.keys()].find((source) => twin_of(source) === named) ?? named;
  const dead = (why) => {
    site.fail(token.file, token.line, `dead link ${href}: ${why}`);
    return '#';
  };
  if (target.startsWith('..')) return dead('it leads out of the repository');
  const page = site.pages.get(target);
  if (page) {
    if (anchor && !page.headings.some((h) => h.anchor === anchor)) return dead(`${target} has no heading #${anchor}`);
    return site.link(url, page.url) + (anchor ? `#${encodeURI(anchor)}` : '');
  }
  if (target === 'models') return site.link(url, 'gallery/index.html');
  if (site.models?.has(target)) return site.link(url, site.models.get(target));
  const file = join(site.root, target);
  if (!existsSync(file)) return dead(`there is no ${target}`);
  if (lstatSync(file).isDirectory()) return dead(`${target} is a folder`);
  if (token.type === 'image') {
    site.write(`files/${target}`, readFileSync(file));
    return site.link(url, `files/${target}`);
  }
  site.sources.add(target);
  return site.link(url, `source/${target}.html`);
}

/** Index and anchors of every page that is written, once more from what is written. */
export function check_written(files) {
  const failures = [];
  const anchors = new Map();
  for (const [file, text] of files) {
    if (file.endsWith('.html') && !file.startsWith('reports/'))
      anchors.set(file, new Set([...text.matchAll(/\sid="([^"]+)"/g)].map((m) => m[1])));
  }
  for (const [file, text] of files) {
    if (!anchors.has(file)) continue;
    for (const [, , address] of text.matchAll(/\s(href|src|srcset)="([^"]*)"/g)) {
      if (/^[a-z][a-z0-9+.-]*:/i.test(address)) continue;
      const [path, anchor] = decodeURI(address).split('#');
      const target = path ? posix.normalize(posix.join(posix.dirname(file), path)) : file;
      if (!files.has(target)) failures.push({ file, line: 0, message: `leads to ${target}, which is not written` });
      else if (anchor && anchors.has(target) && !anchors.get(target).has(anchor))
        failures.push({ file, line: 0, message: `leads to #${anchor} of ${target}, which is not there` });
    }
  }
  return failures;
}

/** Reads the navigation off docs/index.md: groups are its headings, pages the first links of items. */
function read_navigation(site, index, walk) {
  const groups = [{ group: '', items: [{ url: 'index.html', label: 'Overview' }] }];
  const seen = new Set(['docs/index.md']);
  for (const token of index.tokens) {
    if (token.type === 'heading' && token.depth === 2) groups.push({ group: token.text, items: [] });
    if (token.type !== 'list') continue;
    for (const item of token.items) {
      let link = null;
      walk([item], (t) => {
        if (t.type === 'link') link ??= t;
      });
      if (!link || /^[a-z]+:/i.test(link.href)) continue;
      const target = posix.normalize(posix.join('docs', link.href.split('#')[0])).replace(/\/$/, '');
      const page = site.pages.get(target);
      if (!page && target !== 'models') continue;
      seen.add(target);
      groups.at(-1).items.push({ url: page ? page.url : 'gallery/index.html', label: link.text.replaceAll('`', '') });
    }
  }
  for (const [source] of site.pages) {
    if (!seen.has(source)) site.fail(source, 1, 'docs/index.md does not list this page');
  }
  site.navigation = groups.filter(({ items }) => items.length);
}

/** Words of each section, for the search. */
function sections_of(tokens, plain, read_info) {
  const sections = [{ anchor: '', heading: '', text: '' }];
  for (const token of tokens) {
    if (token.type === 'heading' && token.depth > 1) sections.push({ anchor: token.anchor, heading: plain(token.text), text: '' });
    else if (token.type !== 'heading') {
      // Of a directive there is to be found what it says in words: the caption of a picture.
      const directive = token.type === 'code' && /^(picture|output|compare)$/.exec(read_info(token.lang).name)?.[0];
      const code = directive ? (directive === 'picture' ? token.text.split('\n').slice(1).join(' ') : '') : token.text;
      const text = token.type === 'code' ? code : plain(token.raw.replace(/^\s*\|?[\s|:-]+\|?\s*$/gm, ''));
      sections.at(-1).text += ` ${text.replace(/[\s|]+/g, ' ').trim()}`;
    }
  }
  return sections.map((s) => ({ ...s, text: s.text.trim() }));
}

/** The models of the tutorial pass, are in the one style, and run, unless a page says how they end. */
async function check_tutorial(site) {
  const models = find_files(site.root, 'docs', '.cradle');
  await Promise.all(models.map(async (path) => {
    try {
      const checked = await site.cradle.run(['check', path], { together: true });
      if (checked.status !== 0) site.fail(path, 1, `cradle check: ${checked.out.trim()}`);
      const style = await site.cradle.run(['fmt', '--check', path], { together: true });
      if (style.status !== 0) site.fail(path, 1, 'not in the one style: cradle fmt --write');
      const ran = await site.cradle.run(['run', path], { together: true });
      const expected = site.expected_status.get(path) ?? 0;
      if (ran.status !== expected) site.fail(path, 1, `cradle run: status ${ran.status} and not ${expected}\n  ${ran.out.trim()}`);
    } catch (error) {
      site.fail(path, 1, error.message);
    }
  }));
}

/** Makes everything in memory; `site.failures` says what is wrong. */
export async function build(site) {
  const { lex, number_headings, section, render, walk, plain, code_block, read_info } = await import('./markdown.mjs');
  const { DIRECTIVES, expand, is_transcript, shown_models } = await import('./directives.mjs');
  const { make_gallery, gallery_url } = await import('./gallery.mjs');
  const { check_reference } = await import('./reference.mjs');
  const { render_page } = await import('./page.mjs');

  const models = find_files(site.root, 'models', '.cradle');
  site.models = new Map(models.map((path) => [path, gallery_url(path)]));
  site.inline = (text, token, url) => {
    const tokens = lex(text, token.file, token.line);
    return render(tokens, (link) => resolve_link(site, link, url)).trim().replace(/^<p>|<\/p>$/g, '');
  };

  const read = (source) => readFileSync(join(site.root, source), 'utf8');
  const include = (token) => {
    const [path, anchor] = token.text.trim().split('#');
    const inner = existsSync(join(site.root, path)) ? section(lex(read(path), path), anchor) : null;
    if (!inner) site.fail(token.file, token.line, `include: there is no ${token.text.trim()}`);
    return inner ?? [];
  };
  // docs/read is made of the others, and docs/README.md leads there.
  const sources = find_files(site.root, 'docs', '.md')
    .filter((source) => !source.startsWith(`${FOLDER}/`) && source !== 'docs/README.md');
  if (existsSync(join(site.root, 'CHANGELOG.md'))) sources.push('CHANGELOG.md');
  for (const source of sources) {
    const tokens = lex(read(source), source).flatMap((token) =>
      token.type === 'code' && read_info(token.lang).name === 'include' ? include(token) : [token]);
    tokens.links ??= {};
    const headings = number_headings(tokens);
    const title = headings.find((h) => h.depth === 1)?.text;
    if (!title) site.fail(source, 1, 'the page has no title');
    site.pages.set(source, { source, url: page_url(source), title: title ?? source, tokens, headings });
  }
  const index = site.pages.get('docs/index.md');
  if (!index) {
    site.fail('docs/index.md', 1, 'there is no index page');
    return;
  }
  read_navigation(site, index, walk);

  const directives = [];
  const find_directives = (tokens, url) => {
    const models = shown_models(tokens, walk);
    walk(tokens, (token) => {
      if (token.type !== 'code') return;
      const info = read_info(token.lang);
      const named = DIRECTIVES.has(info.name) || (info.name === 'cradle' && info.rest.length);
      if (named || is_transcript(token)) directives.push([token, url, models]);
    });
  };
  for (const page of site.pages.values()) find_directives(page.tokens, page.url);
  // The README is no page, but what it says is to hold.
  const readme = existsSync(join(site.root, 'README.md')) ? lex(read('README.md'), 'README.md') : [];
  find_directives(readme, 'index.html');
  const [gallery] = await Promise.all([
    make_gallery(site, models),
    ...directives.map((directive) => expand(site, ...directive)),
  ]);
  await check_tutorial(site);
  const reference = site.pages.get('docs/command-line.md');
  if (reference) await check_reference(site, reference);

  const search = [];
  const finish = (page) => {
    site.write(page.url, render_page(site, page));
    for (const { anchor, heading, text } of page.sections)
      if (text || heading) search.push([page.url + (anchor ? `#${anchor}` : ''), page.title, heading, text]);
  };
  for (const page of site.pages.values()) {
    page.html = render(page.tokens, (token) => resolve_link(site, token, page.url));
    page.sections = sections_of(page.tokens, plain, read_info);
    finish(page);
  }
  walk(readme, (token) => /^(link|image)$/.test(token.type) && resolve_link(site, token, 'index.html'));
  for (const page of [gallery.index, ...gallery.pages]) finish(page);
  for (const path of [...site.sources].sort()) {
    const url = `source/${path}.html`;
    const html = `<h1>${path}</h1>\n${code_block(read(path).trimEnd(), path.endsWith('.cradle') ? 'cradle' : 'plain')}`;
    site.write(url, render_page(site, { url, title: path, html, headings: [], sections: [] }));
  }
  // Of what is found equally well, what a reader meets first comes first: in the order of the navigation.
  const order = site.navigation.flatMap(({ items }) => items.map(({ url }) => url));
  const place = ([address]) => order.indexOf(address.split('#')[0]) + 1 || Infinity;
  search.sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
  site.write('search.js', `window.CRADLE_SEARCH=${JSON.stringify(search).replaceAll('<', '\\u003c')};\n`);
  for (const asset of ['style.css', 'page.js']) site.write(asset, readFileSync(join(HERE, asset), 'utf8'));
  site.failures.push(...check_written(site.files));
}

/** Writes all files or none: beside the folder first, then in its place. */
export function write_site(files, out) {
  if (existsSync(out) && readdirSync(out).length && !existsSync(join(out, MARKER)))
    throw new Error(`${out} holds something that is not a site of Cradle; it is left as it is`);
  const part = `${out}.part`;
  rmSync(part, { recursive: true, force: true });
  for (const [file, text] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    mkdirSync(dirname(join(part, file)), { recursive: true });
    writeFileSync(join(part, file), text);
  }
  writeFileSync(join(part, MARKER), '');
  rmSync(out, { recursive: true, force: true });
  renameSync(part, out);
}

function read_arguments(argv) {
  const options = { root: resolve(HERE, '../..'), limit: '60' };
  for (let i = 0; i < argv.length; i++) {
    const name = /^--(cradle|out|root|limit|read)$/.exec(argv[i])?.[1];
    if (!name || i + 1 >= argv.length) throw new Error(`usage: node web/site/build.mjs --cradle BINARY --out FOLDER [--read check|write] [--root REPOSITORY] [--limit SECONDS]`);
    options[name] = argv[++i];
  }
  if (!options.cradle || !options.out) throw new Error('usage: node web/site/build.mjs --cradle BINARY --out FOLDER');
  if (options.read && !/^(check|write)$/.test(options.read)) throw new Error(`--read ${options.read}: check or write`);
  if (!(Number(options.limit) > 0)) throw new Error(`--limit ${options.limit}: seconds, more than 0`);
  if (!existsSync(options.cradle)) throw new Error(`there is no ${options.cradle}`);
  return { ...options, cradle: resolve(options.cradle), out: resolve(options.out), root: resolve(options.root) };
}

export const render_failure = ({ file, line, message }) => `${file}${line ? `:${line}` : ''}: ${message}`;

async function main() {
  let options;
  try {
    options = read_arguments(process.argv.slice(2));
    await import('marked').catch(() => {
      throw new Error('the npm package marked is missing: run npm ci in web/');
    });
  } catch (error) {
    console.error(`error: ${error.message}`);
    return 2;
  }
  const cradle = make_cradle({ binary: options.cradle, root: options.root, limit: Number(options.limit) * 1000 });
  try {
    const site = make_site({ root: options.root, cradle });
    await build(site);
    if (site.failures.length) {
      const order = (a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line);
      for (const failure of site.failures.sort(order)) console.error(render_failure(failure));
      console.error(`the site is not written: ${site.failures.length} failure${site.failures.length > 1 ? 's' : ''}`);
      return 1;
    }
    write_site(site.files, options.out);
    const twins = make_twins(site);
    if (options.read === 'write') write_twins(options.root, twins);
    const stale = options.read === 'check' ? stale_twins(options.root, twins) : [];
    if (stale.length) {
      console.error(`${FOLDER} is stale: ${stale.join(', ')}\nrun scripts/read_pages.sh, look at the pages, and commit them`);
      return 1;
    }
    console.log(`${site.files.size} files in ${relative(process.cwd(), options.out) || '.'}: open index.html`);
    return 0;
  } catch (error) {
    console.error(`error: ${error.message}`);
    return 1;
  } finally {
    cradle.close();
  }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) process.exitCode = await main();
