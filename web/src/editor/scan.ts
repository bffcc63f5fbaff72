// The text as tokens with their offsets, for what has to be found in it.

import { tokenize } from '../source/tokens';

export interface Token {
  kind: 'comment' | 'string' | 'number' | 'name' | 'symbol'; // name: reserved words too
  from: number;
  to: number;
  text: string;
}

const kinds = { word: 'name', element: 'name', function: 'name', constant: 'name', name: 'name', operator: 'symbol', other: 'symbol', comment: 'comment', string: 'string', number: 'number' } as const;

// From a place that is not inside a token.
export function* scan(text: string, from = 0): Generator<Token> {
  let inComment = false;
  for (let at = from; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const line = tokenize(text.slice(at, end < 0 ? text.length : end), inComment);
    inComment = line.inComment;
    for (const token of line.tokens) {
      const to = at + token.text.length;
      const kind = token.kind === 'space' ? null : /^[01]$/.test(token.text) ? 'number' : kinds[token.kind];
      if (kind) yield { kind, from: at, to, text: token.text };
      at = to;
    }
    at += 1;
  }
}

// Without comments.
export function words(text: string): Token[] {
  return [...scan(text)].filter((token) => token.kind !== 'comment');
}

const joins = new Set('+ - * / ^ == != < <= > >= . .. ( [ , = ->'.split(' '));
const joiningWords = new Set(['and', 'or', 'not', 'if', 'then', 'else']);

// Where the expression that begins at `from` ends: before what cannot continue it.
export function expressionEnd(text: string, from: number): number {
  let end = from;
  let depth = 0;
  let operand = false; // the expression could end here
  for (const token of scan(text, from)) {
    if (token.kind === 'comment') continue;
    const opens = token.text === '(' || token.text === '[';
    const closes = token.text === ')' || token.text === ']';
    const joining = token.kind === 'symbol' ? joins.has(token.text) : joiningWords.has(token.text);
    if (depth === 0) {
      if (closes || ',;{}:='.includes(token.text)) break;
      const continues = joining && token.text !== 'if' && token.text !== 'not';
      if (operand && !continues) break;
      // An index or a call stands on the line of what it belongs to.
      if (operand && opens && text.slice(end, token.from).includes('\n')) break;
    }
    if (opens) depth += 1;
    if (closes) depth -= 1;
    operand = closes || (!joining && token.kind !== 'symbol');
    end = token.to;
  }
  return end;
}
