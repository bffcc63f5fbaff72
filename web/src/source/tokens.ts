// The words of the Cradle language (docs/language.md), for highlighting: in the source that a page
// shows, line by line, and in the studio's editor. What follows is not a parser: it never fails, and
// a broken text still has colours.

import * as table from './words';

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

// Coloured as constants.
const isTruth = (word: string) => word === 'true' || word === 'false';
const words = new Set(table.reserved.filter((word) => !isTruth(word)));
const softWords = new Set(table.softWords);
const elements = new Set(table.elements);
const shapes = new Set(table.shapes);
const shapeWords = new Set(table.shapeWords);
const startsShape = new RegExp(`^\\s*(${[...table.shapes, ...table.shapeWords].join('|')})\\s+[A-Za-z_("]`);
const domains = new Set(table.domains);
const constants = new Set([...table.constants.map(([name]) => name), 'true', 'false']);
const functions = new Set(table.functions.map(([name]) => name));

const letter = 'A-Za-z_\\u00b0\\u00b5\\u2126\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u024f\\u0370-\\u037d\\u037f-\\u0386\\u0388-\\u04ff';
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
  if (isUnit(before, after)) return 'number';
  if ((text === 'from' || text === 'to') && /^\s*[A-Z]\w*\s.*\S\s+$/.test(before)) return 'word';
  if (constants.has(text)) return 'constant';
  if (domains.has(text) && /(^|\s)port\s+$/.test(before) && /^\s+[A-Za-z_]/.test(after)) return 'word';
  if (softWords.has(text) && !/^\s*(=[^=]|\.|\[)/.test(after)) return 'word';
  if (shapes.has(text) && startsItem(before) && /^\s+[A-Za-z_]/.test(after)) return 'element';
  if (shapeWords.has(text) && startsShape.test(before + text + after)) return 'word';
  if (elements.has(text) && /^\s+[A-Za-z_]/.test(after)) return 'element';
  return 'name';
}

// Behind a number, unless it begins the next item: 10 mH, but until 2 s = 3, and no junction 1 s.
const number = /(^|[^\w.\u00b5-\u04ff])\d+(\.\d+)?([eE][+-]?\d+)?[ \t]*$/;
const unitBehind = /(^|[^\w.\u00b5-\u04ff])\d+(\.\d+)?([eE][+-]?\d+)?[ \t]*[^\s,()=]+[*/(]$/;
function isUnit(before: string, after: string): boolean {
  if (/^\s*(=[^=]|->|:|\(|\[|\.)/.test(after)) return false;
  if (unitBehind.test(before)) return true;
  return number.test(before) && !startsItem(before.replace(/[01][ \t]*$/, ''));
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
