// One page of the site around its content: head, navigation, previous and next.
import { escape } from './html.mjs';

// Before anything is painted, so that nothing flashes.
const THEME = `try{var t=localStorage.getItem('cradle-theme');if(t==='light'||t==='dark')document.documentElement.dataset.theme=t}catch(e){}`;

function navigation(site, page) {
  const here = page.parent ?? page.url;
  const item = ({ url, label }) => {
    const current = url === here;
    const inner = current && page.url === url && url !== 'index.html'
      ? page.headings.filter((h) => h.depth === 2).map((h) => `<li><a href="#${h.anchor}">${escape(h.text)}</a></li>`).join('')
      : '';
    return `<li><a href="${site.link(page.url, url)}"${current ? ' aria-current="page"' : ''}>${escape(label)}</a>${inner ? `<ul class="sections">${inner}</ul>` : ''}</li>`;
  };
  return site.navigation
    .map(({ group, items }) => `${group ? `<h2>${escape(group)}</h2>` : ''}<ul>${items.map(item).join('')}</ul>`)
    .join('');
}

function neighbours(site, page) {
  const flat = site.navigation.flatMap(({ items }) => items);
  const at = flat.findIndex(({ url }) => url === page.url);
  const link = (entry, rel, text) =>
    entry ? `<a rel="${rel}" href="${site.link(page.url, entry.url)}"><span>${text}</span> ${escape(entry.label)}</a>` : '<span></span>';
  if (at < 0) {
    return page.parent ? `<nav class="neighbours" aria-label="Up"><a href="${site.link(page.url, page.parent)}"><span>Back to</span> the gallery</a></nav>` : '';
  }
  return `<nav class="neighbours" aria-label="Previous and next page">${link(flat[at - 1], 'prev', 'Previous')}${link(flat[at + 1], 'next', 'Next')}</nav>`;
}

export function render_page(site, page) {
  const to = (url) => site.link(page.url, url);
  const root = to('index.html').replace(/index\.html$/, '');
  const title = page.url === 'index.html' ? 'Cradle' : `${page.title} · Cradle`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>
<link rel="icon" href="data:,">
<script>${THEME}</script>
<link rel="stylesheet" href="${to('style.css')}">
<script defer src="${to('page.js')}" data-root="${escape(root)}"></script>
<noscript><style>.needs-script{display:none!important}.side{display:block!important}@media(max-width:900px){.frame{display:flex!important;flex-direction:column}.side{order:2}}</style></noscript>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<button class="menu needs-script" type="button" aria-expanded="false" aria-controls="side"><span aria-hidden="true">☰</span> Menu</button>
<a class="brand" href="${to('index.html')}">Cradle</a>
<div class="tools">
<div class="search needs-script" role="search">
<input type="search" id="search" placeholder="Search  /" aria-label="Search all pages" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list">
<ul id="found" role="listbox" aria-label="Found" hidden></ul>
</div>
<button class="theme needs-script" type="button" aria-label="Light or dark"><span aria-hidden="true">◐</span></button>
</div>
</header>
<div class="frame">
<nav class="side" id="side" aria-label="Pages">${navigation(site, page)}</nav>
<main id="content" tabindex="-1">
${page.html}
${neighbours(site, page)}
</main>
</div>
</body>
</html>
`;
}
