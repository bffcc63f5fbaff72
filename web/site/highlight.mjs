// The Cradle language and what terminals show, with spans for colours.
import { escape } from './html.mjs';

const KEYWORDS = new Set(
  ('model component block import param require port input output for in if then else until show ' +
    'priority initially active inactive after eps when and or not true false law modal mode final ' +
    'history default preemptive immediate set animate').split(' '),
);
const ELEMENTS = new Set('I C R Se Sf TF GY circle box line'.split(' '));
const CONSTANTS = new Set('time pi inf omega absent'.split(' '));
// Words of some places only: names unless followed by what makes them keywords.
const SOFT = new Set('block modal mode final history default preemptive immediate set'.split(' '));

const TOKEN =
  /(?<comment>\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))|(?<string>"(?:\\.|[^"\\\n])*"?)|(?<junction>\b[01]\/[EF]\b)|(?<number>\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<name>[\p{L}_][\p{L}\p{N}_]*)|(?<arrow>->)/gu;

/** Tokens [{type, text}] of a text in the Cradle language; the texts in order are the whole. */
export function tokenize(source) {
  const tokens = [];
  let end = 0;
  const push = (type, text) => {
    if (text) tokens.push({ type, text });
  };
  for (const match of source.matchAll(TOKEN)) {
    push('plain', source.slice(end, match.index));
    end = match.index + match[0].length;
    push(kind(match, source, end), match[0]);
  }
  push('plain', source.slice(end));
  return tokens;
}

function kind(match, source, end) {
  const { comment, string, junction, number, arrow } = match.groups;
  if (comment !== undefined) return 'comment';
  if (string !== undefined) return 'string';
  if (junction !== undefined) return 'element';
  if (arrow !== undefined) return 'arrow';
  const text = match[0];
  const first = /(^|\n)[ \t]*$/.test(source.slice(0, match.index));
  if (number !== undefined) {
    const junction = first && /^[01]$/.test(text) && /^[ \t]+[\p{L}_]/u.test(source.slice(end));
    return junction ? 'element' : 'number';
  }
  const before = source[match.index - 1];
  const called = source[end] === '(';
  if (before === '.') return 'plain';
  if (ELEMENTS.has(text) && /^[ \t]+[\p{L}_]/u.test(source.slice(end))) return 'element';
  if (KEYWORDS.has(text) && !(SOFT.has(text) && (called || /^\s*=/.test(source.slice(end)))))
    return 'keyword';
  if (CONSTANTS.has(text)) return 'constant';
  // What stands behind a type is a name, though it be followed by arguments.
  const declared = /(^|\n)[ \t]*[\p{Lu}][\p{L}\p{N}_]*[ \t]+$/u.test(source.slice(0, match.index));
  return called && !declared ? 'function' : 'plain';
}

export function highlight_cradle(source) {
  return tokenize(source)
    .map(({ type, text }) =>
      type === 'plain' ? escape(text) : `<span class="t-${type}">${escape(text)}</span>`,
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
