import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../src/data/api';
import type { Diagnostic } from '../src/data/view';
import { ofParts } from '../src/workspace/parts';

const said = (kind: string, more: Partial<Diagnostic> = {}): Diagnostic => ({ severity: 'error', kind, message: kind, labels: [], notes: [], text: kind, ...more }) as Diagnostic;
const check = (...diagnostics: Diagnostic[]): Check => ({ ok: false, model: null, diagnostics, names: [], parameters: [], until: null });
const component = '// Parts.\ncomponent P {\n  port a\n}\n';

test('a file of components is no error', () => {
  const { check: seen, partsOnly } = ofParts(check(said('model.missing')), component);
  assert.ok(partsOnly);
  assert.ok(seen.ok);
  assert.deepEqual(seen.diagnostics, []);
});

test('what is wrong in it is told still', () => {
  const { check: seen, partsOnly } = ofParts(check(said('model.missing'), said('name.unknown', { line: 2 })), component);
  assert.ok(partsOnly);
  assert.ok(!seen.ok);
  assert.deepEqual(seen.diagnostics.map(({ kind }) => kind), ['name.unknown']);
});

test('a file without anything lacks a model', () => {
  for (const text of ['', '// nothing\n', 'import "std/electrical/diode.cradle"\n']) {
    const { check: seen, partsOnly } = ofParts(check(said('model.missing')), text);
    assert.ok(!partsOnly);
    assert.equal(seen.diagnostics.length, 1);
  }
});
