// node build.mjs --out FOLDER: bundles each page into one HTML file without any outside reference,
// and writes them as C++ (embedded_pages.cpp), so that they travel inside the binary.

import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist' } } });

// The marks are where the binary puts the name and the data of a run (src/show/pages/pages.cpp), and the
// studio's server the nonce of its policy (web/src/data/api.ts).
const pages = [
  { name: 'report', title: '@TITLE@', policy: true, data: '<script id="view" type="application/json">@VIEW@</script>\n' },
  { name: 'studio', title: 'Cradle', head: '<meta name="csp-nonce" content="@NONCE@">\n', data: '' },
];

async function bundle(name) {
  const result = await build({
    entryPoints: { [name]: join(here, `src/${name}.tsx`) },
    bundle: true,
    loader: { '.def': 'text' }, // tables of the language
    minify: true,
    write: false,
    outdir: 'out',
    format: 'iife',
    target: 'es2022',
    charset: 'ascii', // some sources name characters that turn the direction of text, which no compiler likes
    legalComments: 'inline',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    absWorkingDir: here,
    logLevel: 'warning',
  });
  const part = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending))?.text ?? '';
  return { script: part('.js'), style: part('.css') };
}

// A page that is opened from a file has no server to state its policy: its own script may run and
// nothing else, and nothing may be loaded or asked. Styles are inline, and can load nothing either.
function policyFor(script) {
  const hash = createHash('sha256').update(script, 'utf8').digest('base64');
  const rules = [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    "style-src 'unsafe-inline'",
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return `<meta http-equiv="Content-Security-Policy" content="${rules.join('; ')}">\n`;
}

function html({ title, head = '', policy = false, data }, { script: bundled, style }) {
  const script = bundled.replaceAll('</script', '<\\/script');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${policy ? policyFor(script) : ''}<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${title}</title>
${head}<style>${style.replaceAll('</style', '<\\/style')}</style>
</head>
<body>
<div id="page"></div>
${data}<script>${script}</script>
</body>
</html>
`;
}

// Raw strings, in pieces: no compiler need take more than 65,536 characters in one.
function pieces(text) {
  const out = [];
  for (let i = 0; i < text.length; ) {
    let end = Math.min(i + 8000, text.length);
    if (end < text.length && /[\ud800-\udbff]/.test(text[end - 1])) end -= 1;
    out.push(`R"_page_(${text.slice(i, end)})_page_"`);
    i = end;
  }
  return out.join(',\n');
}

const made = await Promise.all(pages.map(async (page) => [page.name, html(page, await bundle(page.name))]));
await mkdir(values.out, { recursive: true });
for (const [name, text] of made) await writeFile(join(values.out, `${name}.html`), text);
await writeFile(
  join(values.out, 'embedded_pages.cpp'),
  `#include "show/pages/pages.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

namespace cradle::pages {
namespace {

std::string joined(std::initializer_list<std::string_view> pieces) {
  std::string text;
  for (std::string_view piece : pieces) text += piece;
  return text;
}

}  // namespace

${made.map(([name, text]) => `std::string_view ${name}_template() {\n  static const std::string text = joined({${pieces(text)}});\n  return text;\n}`).join('\n\n')}

}  // namespace cradle::pages
`,
);
