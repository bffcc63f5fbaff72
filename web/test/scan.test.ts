import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expressionEnd, scan, words } from '../src/editor/scan';

test('tokens keep their offsets over lines and comments', () => {
  const text = 'a = 1 // b\n/* c\n d */ e.f -> "g" 1..N';
  for (const token of scan(text)) assert.equal(text.slice(token.from, token.to), token.text);
  assert.deepEqual(words(text).map((token) => token.text), ['a', '=', '1', 'e', '.', 'f', '->', '"g"', '1', '..', 'N']);
});

const ends = (text: string) => text.slice(0, expressionEnd(text, 0));

test('an expression ends before what cannot continue it', () => {
  assert.equal(ends('1, b = 2'), '1');
  assert.equal(ends('1  // why\n  param c = 2'), '1');
  assert.equal(ends('1 C c1(2)'), '1');
  assert.equal(ends('-2e-3 + f(x, [1, 2])\nI body(1)'), '-2e-3 + f(x, [1, 2])');
  assert.equal(ends('a +\n  b\nc = 1'), 'a +\n  b');
  assert.equal(ends('a // and\n  + b\nc -> d'), 'a // and\n  + b');
  assert.equal(ends('if a then b else c[1]\n0 n1'), 'if a then b else c[1]');
  assert.equal(ends('a and not b }'), 'a and not b');
  assert.equal(ends('x.p\n(1)'), 'x.p');
  assert.equal(ends('true\nnot'), 'true');
  assert.equal(ends('(1'), '(1');
  assert.equal(ends(', 1'), '');
});
