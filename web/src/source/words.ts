// The words of the language, as its own tables have them.

import elementTable from '../../../src/language/elements/names.def';
import table from '../../../src/language/syntax/words.def';

// The strings of each row of this kind.
function rows(kind: string): string[][] {
  const found = table.matchAll(new RegExp(`^${kind}\\((.*)\\)$`, 'gm'));
  return [...found].map((row) => [...row[1]!.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((text) => text[1]!.replace(/\\(.)/g, '$1')));
}
const firsts = (kind: string): string[] => rows(kind).map((row) => row[0]!);

export const reserved = firsts('RESERVED');
// May be names as well.
export const softWords = firsts('SOFT');
// Begin a shape; behind them, and on lines that go on with one, the words of shapes are words.
export const shapes = firsts('SHAPE');
export const shapeWords = firsts('SHAPE_WORD');
// Behind `port`.
export const domains = firsts('DOMAIN');
export const constants = rows('CONSTANT') as [name: string, about: string][];
export const functions = rows('FUNCTION') as [name: string, call: string, about: string, snippet: string][];
export const elements = [...elementTable.matchAll(/^ELEMENT\((\w+),/gm)].map((row) => row[1]!);
