// The words of the Cradle language (docs/language.md), for highlighting: in the source that a page
// shows, line by line, and in the studio's editor. What follows is not a parser: it never fails, and
// a broken text still has colours.

export type TokenKind =
  | 'comment'
  | 'string'
  | 'number'
  | 'word' // reserved, or with a meaning where it stands
  | 'element' // I C R Se Sf TF GY 0 1, and what else declares something that has bonds
  | 'function'
  | 'constant'
  | 'operator'
  | 'name'
  | 'space'
  | 'other';

export interface Token {
  kind: TokenKind;
  text: string;
}

export const kWords = (
  'model component import param require port input output for in if then else until show priority ' +
  'animate initially active inactive after eps when and or not law'
).split(' ');
// May be names as well.
export const kSoftWords = 'block modal mode final history default preemptive immediate set'.split(' ');
// Begin a shape; behind them, and on lines that go on with one, the words of shapes are words.
export const kShapes = 'circle box line'.split(' ');
export const kShapeWords = 'at radius size from to angle fill label'.split(' ');
export const kElements = 'I C R Se Sf TF GY'.split(' ');
export const kConstants = 'true false time pi inf omega absent'.split(' ');
export const kFunctions = (
  'sin cos tan asin acos atan atan2 sinh cosh tanh exp log log10 sqrt pow hypot abs sign floor ceil mod ' +
  'min max impulse finite pre integral step sawtooth pulse count length sum product any all dot ' +
  'is_present default merge sample inhibit hold fby delay time_delay rising falling crossing event clock choose'
).split(' ');

const words = new Set(kWords);
const softWords = new Set(kSoftWords);
const elements = new Set(kElements);
const shapes = new Set(kShapes);
const shapeWords = new Set(kShapeWords);
const startsShape = new RegExp(`^\\s*(${[...kShapes, ...kShapeWords].join('|')})\\s+[A-Za-z_("]`);
const constants = new Set(kConstants);
const functions = new Set(kFunctions);

const letter = 'A-Za-z_\\u00b5\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u024f\\u0370-\\u037d\\u037f-\\u0386\\u0388-\\u04ff';
const patterns: [TokenKind, RegExp][] = [
  ['space', /[ \t\r\v\f]+/y],
  ['comment', /\/\/.*/y],
  ['string', /"(?:\\.|[^"\\])*"?/y],
  ['number', /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y],
  ['name', new RegExp(`[${letter}][${letter}0-9\\u2080-\\u2089]*`, 'y')],
  ['operator', /->|\.\.|[=!<>]=|[-+*/^=<>]/y],
  ['other', /[\s\S]/y],
];

function match(line: string, at: number): Token {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const found = pattern.exec(line);
    if (found) return { kind, text: found[0] };
  }
  return { kind: 'other', text: line[at] };
}

// What a name is, from what stands around it: behind a point all words are names; a function is
// called; `1 loop` and `0/E F` declare junctions.
function nameKind(text: string, before: string, after: string): TokenKind {
  if (before.endsWith('.') && !before.endsWith('..')) return 'name';
  if (functions.has(text) && /^\s*\(/.test(after)) return 'function';
  if (words.has(text)) return 'word';
  if (constants.has(text)) return 'constant';
  if (softWords.has(text) && !/^\s*(=[^=]|\.|\[)/.test(after)) return 'word';
  if (shapes.has(text) && startsItem(before) && /^\s+[A-Za-z_]/.test(after)) return 'element';
  if (shapeWords.has(text) && startsShape.test(before + text + after)) return 'word';
  if (elements.has(text) && /^\s+[A-Za-z_]/.test(after)) return 'element';
  return 'name';
}

const startsItem = (before: string) => /^\s*$|[{};]\s*$/.test(before);

// One line; `inComment`: a comment of several lines is open where it begins.
export function tokenize(line: string, inComment = false): { tokens: Token[]; inComment: boolean } {
  const tokens: Token[] = [];
  let at = 0;
  while (at < line.length) {
    if (inComment || line.startsWith('/*', at)) {
      const close = line.indexOf('*/', inComment ? at : at + 2);
      const end = close < 0 ? line.length : close + 2;
      tokens.push({ kind: 'comment', text: line.slice(at, end) });
      inComment = close < 0;
      at = end;
      continue;
    }
    const token = match(line, at);
    const before = line.slice(0, at);
    at += token.text.length;
    if (token.kind === 'name') token.kind = nameKind(token.text, before, line.slice(at));
    if (/^[01]$/.test(token.text) && startsItem(before) && /^(\/[EF])?\s+[A-Za-z_]/.test(line.slice(at))) {
      token.kind = 'element';
    }
    tokens.push(token);
  }
  return { tokens, inComment };
}

export function tokenizeText(text: string): Token[][] {
  let inComment = false;
  return text.split('\n').map((line) => {
    const result = tokenize(line, inComment);
    inComment = result.inComment;
    return result.tokens;
  });
}
