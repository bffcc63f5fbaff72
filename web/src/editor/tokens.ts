// The text as tokens, as src/syntax/lexer.cpp takes it apart, and never at a loss: what it would
// refuse is a token of kind `other`.

export type TokenKind = 'space' | 'comment' | 'string' | 'number' | 'name' | 'symbol' | 'other';

export interface Token {
  kind: TokenKind;
  from: number;
  to: number;
  text: string;
}

const space = /[ \t\r\n\v\f\ufeff]+/y;
const lineComment = /\/\/[^\n]*/y;
const blockComment = /\/\*[^]*?(?:\*\/|$(?![^]))/y;
const string = /"(?:[^"\\\n]|\\.)*"?/y;
const number = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const letter = 'A-Za-z_\\u00b5\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u024f\\u0370-\\u037d\\u037f-\\u0386\\u0388-\\u04ff';
const name = new RegExp(`[${letter}][${letter}0-9\\u2080-\\u2089]*`, 'y');
const symbol = /\.\.|->|==|!=|<=|>=|[()[\]{},;:.=<>+\-*/^]/y;

const kinds: [TokenKind, RegExp][] = [
  ['space', space],
  ['comment', lineComment],
  ['comment', blockComment],
  ['string', string],
  ['number', number],
  ['name', name],
  ['symbol', symbol],
];

export function tokenAt(text: string, from: number): Token {
  for (const [kind, pattern] of kinds) {
    pattern.lastIndex = from;
    const found = pattern.exec(text);
    if (found) return { kind, from, to: pattern.lastIndex, text: found[0] };
  }
  const other = String.fromCodePoint(text.codePointAt(from)!);
  return { kind: 'other', from, to: from + other.length, text: other };
}

// All of it, or what begins before `end`.
export function tokens(text: string, from = 0, end = text.length): Token[] {
  const out: Token[] = [];
  for (let at = from; at < end; ) {
    const token = tokenAt(text, at);
    out.push(token);
    at = token.to;
  }
  return out;
}

// Without space and comments.
export function words(text: string, from = 0, end = text.length): Token[] {
  return tokens(text, from, end).filter((token) => token.kind !== 'space' && token.kind !== 'comment');
}

const joins = new Set('+ - * / ^ == != < <= > >= . .. ( [ , = ->'.split(' '));
const joiningWords = new Set(['and', 'or', 'not', 'if', 'then', 'else']);

// Where the expression that begins at `from` ends: before what cannot continue it.
export function expressionEnd(text: string, from: number): number {
  let end = from;
  let depth = 0;
  let operand = false; // the expression could end here
  for (let at = from; at < text.length; ) {
    const token = tokenAt(text, at);
    at = token.to;
    if (token.kind === 'space' || token.kind === 'comment') continue;
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
