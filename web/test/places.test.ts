import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnOf, lineStarts, offsetOf, rangeOf, sameBesideSpace } from '../src/editor/places';

const text = 'a = 1\n// 𝜔 ≤ ε\n  𝜔𝜔 = x\n';
const starts = lineStarts(text);

test('columns count code points, offsets UTF-16 units', () => {
  assert.equal(offsetOf(text, starts, 1, 5), text.indexOf('1'));
  assert.equal(offsetOf(text, starts, 2, 6), text.indexOf('≤'));
  assert.equal(offsetOf(text, starts, 3, 8), text.indexOf('x'));
});

test('what lies outside the text is moved into it', () => {
  assert.equal(offsetOf(text, starts, 0, 1), 0);
  assert.equal(offsetOf(text, starts, 1, 99), 5);
  assert.equal(offsetOf(text, starts, 99, 1), text.length);
  assert.deepEqual(rangeOf('', [0], { line: 1, column: 1 }), { from: 0, to: 0 });
});

test('a range is never empty where there is something to mark', () => {
  assert.deepEqual(rangeOf(text, starts, { line: 1, column: 1, end_line: 1, end_column: 1 }), { from: 0, to: 1 });
  // at the end of a line: the last character
  assert.deepEqual(rangeOf(text, starts, { line: 1, column: 6, end_line: 1, end_column: 6 }), { from: 4, to: 5 });
  assert.deepEqual(rangeOf(text, starts, { line: 1, column: 3, end_line: 2, end_column: 4 }), { from: 2, to: 9 });
  assert.deepEqual(rangeOf(text, starts, {}), { from: 0, to: 1 });
});

test('offsets become columns again', () => {
  for (const [line, column] of [[1, 1], [2, 6], [3, 5], [3, 8], [4, 1]] as const) {
    assert.deepEqual(columnOf(text, starts, offsetOf(text, starts, line, column)), { line, column });
  }
});

test('a place stays at what it stood at when only spaces change', () => {
  const [old, next] = ['model  M{x=1\ny  =2}', 'model M {\n  x = 1\n  y = 2\n}\n'];
  for (const mark of ['l', '1', 'y']) assert.equal(sameBesideSpace(old, next, old.indexOf(mark) + 1), next.indexOf(mark) + 1);
  for (const mark of ['M', 'x', 'y', '2']) assert.equal(sameBesideSpace(old, next, old.indexOf(mark)), next.indexOf(mark));
  assert.equal(sameBesideSpace(old, next, 0), 0);
  assert.equal(sameBesideSpace('abc', 'a', 3), 1);
});
