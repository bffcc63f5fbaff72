// The gallery: a page for each model of models/, with what its opening comment says.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { make_pictures, make_report, picture_element } from './directives.mjs';
import { escape } from './html.mjs';
import { code_block } from './markdown.mjs';

/** The opening comment of a model: {title, paragraphs}, where a paragraph may keep its layout. */
export function read_comment(source) {
  const lines = [];
  for (const line of source.split('\n')) {
    const match = /^\/\/ ?(.*)$/.exec(line);
    if (!match) break;
    lines.push(match[1]);
  }
  // The title is the first sentence or what comes before a colon, over two lines if need be.
  const end = lines.findIndex((line) => !line.trim());
  const opening = lines.slice(0, end < 0 ? lines.length : end).join(' ').trim();
  const cut = /^(.*?[^A-Z])(?:[.;:](?:\s|$))/.exec(opening);
  const title = (cut ? cut[1] : opening).trim();
  const rest = opening.slice(cut ? cut[0].length : opening.length).trim();
  const paragraphs = rest ? [rest[0].toUpperCase() + rest.slice(1)] : [];
  if (end >= 0) paragraphs.push(...lines.slice(end + 1).join('\n').split(/\n\s*\n/).filter((p) => p.trim()));
  return { title, paragraphs };
}

function render_paragraph(text) {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => /^\s{2,}\S/.test(line));
  const words = (text) => escape(text).replace(/`([^`]+)`/g, '<code>$1</code>');
  const flow = (part) => (part.length ? `<p>${words(part.join(' '))}</p>` : '');
  if (from < 0) return flow(lines);
  return flow(lines.slice(0, from)) + `<pre class="aligned" tabindex="0">${escape(lines.slice(from).join('\n'))}</pre>`;
}

export const gallery_url = (path) => path.replace(/^models\//, 'gallery/').replace(/\.cradle$/, '.html');

const FOLDERS = {
  mosterman: 'Hybrid bond graphs: Mosterman, Simko, Zander, Biswas',
  cuijpers: 'Constitutive hybrid processes: Cuijpers, Broenink, Mosterman',
  lee: 'Constructive models: Lee',
  circuits: 'Circuits',
  mechanics: 'Mechanics',
};

/** Runs a model and makes its pictures: what its page needs. */
async function look_at(site, path) {
  const source = readFileSync(join(site.root, path), 'utf8');
  const { title, paragraphs } = read_comment(source);
  const entry = { path, source, title: title || path, paragraphs, url: gallery_url(path) };
  entry.folder = path.split('/').slice(1, -1).join('/') || 'models';
  try {
    const { out, err, status } = await site.cradle.run(['run', path, '--json', '-']);
    if (status !== 0 && status !== 1 && status !== 3) throw new Error(`cradle run ${path}: status ${status}\n  ${err.trim()}`);
    const ending = out ? JSON.parse(out).outcome.ending : 'model error';
    // Of a model that ends as a lesson the diagnostic is what there is to see.
    if (status !== 0) {
      const { out: text } = await site.cradle.run(['run', path], { together: true });
      entry.diagnostic = text.slice(text.search(/^error\[/m)).trimEnd();
    }
    if (status === 0 || ending === 'accumulation') entry.plot = await make_pictures(site, ['plot', path], status);
    if (ending !== 'model error') {
      const graph = await make_pictures(site, ['draw', path]);
      // A model of signals alone has nothing to draw.
      if (/data-(element|junction|automaton)=/.test(site.files.get(graph.light.wide))) entry.graph = graph;
      else for (const theme of ['light', 'dark']) site.files.delete(graph[theme].wide);
    }
    entry.report = status === 1 ? null : await make_report(site, ['report', path]);
  } catch (error) {
    site.fail(path, 1, error.message);
  }
  return entry;
}

function model_page(site, entry) {
  const parts = [`<h1>${escape(entry.title)}</h1>`];
  parts.push(`<p class="path"><code>${escape(entry.path)}</code></p>`);
  if (entry.plot) {
    const caption = `<code>$ ./cradle plot ${escape(entry.path)} -o plot.svg</code>`;
    const report = entry.report ? ` <a href="${site.link(entry.url, entry.report)}">open the full report</a>` : '';
    parts.push(`<figure class="plot"><div class="scroll">${picture_element(site, entry.plot, entry.url, `A run of ${entry.title}`, { lazy: false })}</div><figcaption>${caption}${report}</figcaption></figure>`);
  } else if (entry.report) {
    parts.push(`<p><a href="${site.link(entry.url, entry.report)}">Open the full report</a></p>`);
  }
  if (entry.diagnostic) {
    parts.push('<h2 id="how-the-run-ends">How the run ends</h2>');
    parts.push(code_block(`$ ./cradle run ${entry.path}\n${entry.diagnostic}`, 'terminal', { copy: `./cradle run ${entry.path}` }));
  }
  parts.push(entry.paragraphs.length ? '<h2 id="what-to-expect">What it is and what to expect</h2>' : '');
  parts.push(...entry.paragraphs.map(render_paragraph));
  if (entry.graph) {
    parts.push('<h2 id="its-graph">Its graph</h2>');
    parts.push(`<figure class="draw"><div class="scroll">${picture_element(site, entry.graph, entry.url, `The graph of ${entry.title}`)}</div><figcaption><code>$ ./cradle draw ${escape(entry.path)} -o draw.svg</code></figcaption></figure>`);
  }
  parts.push('<h2 id="source">Source</h2>', code_block(entry.source.trimEnd(), 'cradle'));
  return parts.join('\n');
}

function card(site, entry) {
  // A card is as narrow as a phone.
  const narrow = ({ wide, narrow = wide }) => ({ wide: narrow });
  const thumb = entry.plot && { light: narrow(entry.plot.light), dark: narrow(entry.plot.dark), sizes: { wide: entry.plot.sizes.narrow ?? '' } };
  const picture = thumb
    ? picture_element(site, thumb, 'gallery/index.html', '')
    : `<span class="told">${escape((entry.diagnostic ?? '').split('\n')[0])}</span>`;
  return `<li><a class="card" href="${site.link('gallery/index.html', entry.url)}"><span class="thumb">${picture}</span><span class="card-title">${escape(entry.title)}</span></a></li>`;
}

/** Makes all pages of the gallery; returns them for navigation and search. */
export async function make_gallery(site, paths) {
  const entries = await Promise.all(paths.map((path) => look_at(site, path)));
  const titles = new Map();
  for (const { path, title } of entries) {
    if (titles.has(title)) site.fail(path, 1, `${titles.get(title)} has the same title: ${title}`);
    titles.set(title, path);
  }
  const folders = [...new Set(entries.map((entry) => entry.folder))];
  const order = [...Object.keys(FOLDERS).filter((f) => folders.includes(f)), ...folders.filter((f) => !(f in FOLDERS))];
  const parts = ['<h1>Gallery</h1>', '<p>Every model of the folder <code>models/</code>, as this build ran it. Each has its picture, its source and what to expect of it.</p>'];
  const headings = [];
  for (const folder of order) {
    const text = FOLDERS[folder] ?? folder;
    const anchor = folder.replaceAll('/', '-');
    headings.push({ depth: 2, text, anchor });
    parts.push(`<h2 id="${anchor}">${escape(text)}</h2>`);
    parts.push(`<ul class="cards">${entries.filter((e) => e.folder === folder).map((e) => card(site, e)).join('')}</ul>`);
  }
  const index = { url: 'gallery/index.html', title: 'Gallery', html: parts.join('\n'), headings, sections: [] };
  const pages = entries.map((entry) => ({
    url: entry.url,
    title: entry.title,
    html: model_page(site, entry),
    headings: [],
    parent: 'gallery/index.html',
    sections: [{ anchor: '', heading: '', text: [entry.path, ...entry.paragraphs].join(' ') }],
  }));
  return { index, pages };
}
