// The Cradle language and what terminals show, with spans for colours.
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';
import { escape } from './html.mjs';

// The pages' own tokens, which are TypeScript.
const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('../src/source/tokens.ts', import.meta.url))],
  bundle: true,
  loader: { '.def': 'text' },
  format: 'esm',
  write: false,
});
const { tokenizeText } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
);

/** Tokens [{kind, text}] of a text in the Cradle language; the texts in order are the whole. */
export function tokenize(source) {
  return tokenizeText(source).flatMap((tokens, line) =>
    line === 0 ? tokens : [{ kind: 'space', text: '\n' }, ...tokens],
  );
}

const COLOURED = new Set(['comment', 'string', 'number', 'word', 'element', 'function', 'constant']);

export function highlight_cradle(source) {
  return tokenize(source)
    .map(({ kind, text }) =>
      COLOURED.has(kind) ? `<span class="t-${kind}">${escape(text)}</span>` : escape(text),
    )
    .join('');
}

/** What a terminal shows: commands stand out, and so do the heads of diagnostics. */
export function highlight_terminal(text) {
  return text
    .split('\n')
    .map((line) => {
      if (/^\$ /.test(line)) return `<span class="t-command">${escape(line)}</span>`;
      const head = /^(error|warning)\[[^\]]*\]/.exec(line);
      if (head)
        return `<span class="t-${head[1]}">${escape(head[0])}</span>${escape(line.slice(head[0].length))}`;
      return escape(line);
    })
    .join('\n');
}

/** What language is this block in, if nobody says? */
export function guess(source) {
  if (/^\$ /m.test(source)) return 'terminal';
  if (/^\s*(\.\/)?(cradle|test\.sh)\b|^\.\//m.test(source)) return 'shell';
  if (/[≈⊕▶]|─→|^\s*\w+\s+= .*[|.]$/m.test(source)) return 'plain';
  const items = /^\s*(model|component|block|import|param|modal|mode|when|until|show|for|I|C|R|Se|Sf|TF|GY|0|1|0\/E|1\/F)\s+\S/m;
  if (items.test(source) || /^\s*[\w.\[\]]+ -> /m.test(source)) return 'cradle';
  return 'plain';
}

export function highlight(source, language) {
  const name = language || guess(source);
  if (name === 'cradle') return highlight_cradle(source);
  if (name === 'terminal' || name === 'output') return highlight_terminal(source);
  return escape(source);
}
