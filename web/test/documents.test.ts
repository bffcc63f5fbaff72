import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dirty, diskText, docOfFile, docOfGallery, Drafts, pathProblem, withEnding } from '../src/workspace/documents';

const memory = () => {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
};
const file = (text: string, stamp = '1') => docOfFile({ path: 'a/m.cradle', text, stamp });

test('a draft comes back with the stamp that it was made from', () => {
  const storage = memory();
  const drafts = new Drafts('folder', storage);
  const doc = file('model M {}\n');
  doc.text = 'model M { until 1 }\n';
  drafts.keep(doc);
  const later = file('model Other {}\n', '2');
  assert.ok(drafts.restore(later));
  assert.equal(later.text, doc.text);
  assert.equal(later.stamp, '1');
  assert.ok(dirty(later));
});

test('what is saved leaves no draft, and other folders have their own', () => {
  const storage = memory();
  const drafts = new Drafts('folder', storage);
  const doc = file('model M {}\n');
  doc.text = 'x';
  drafts.keep(doc);
  assert.ok(!new Drafts('other', storage).restore(file('model M {}\n')));
  doc.saved = doc.text;
  drafts.keep(doc);
  assert.equal(storage.kept.size, 0);
});

test('a draft that is damaged or cannot be kept does no harm', () => {
  const storage = memory();
  storage.getItem = () => '{';
  assert.ok(!new Drafts('folder', storage).restore(file('x')));
  storage.setItem = () => {
    throw new Error('full');
  };
  const doc = file('x');
  doc.text = 'y';
  new Drafts('folder', storage).keep(doc);
});

test('lines end on disk as they did', () => {
  const doc = file('a\r\nb\r\n');
  assert.equal(doc.text, 'a\nb\n');
  assert.ok(!dirty(doc));
  assert.equal(diskText(doc), 'a\r\nb\r\n');
  assert.equal(diskText(file('a\nb\n')), 'a\nb\n');
});

test('a model of the gallery would be saved under its own name', () => {
  const doc = docOfGallery({ path: 'lee/ball.cradle', title: '', model: 'Ball', group: 'lee', text: 'model Ball {}' });
  assert.equal(doc.path, 'ball.cradle');
  assert.equal(doc.stamp, null);
});

test('names for files', () => {
  for (const bad of ['', ' ', '/a', '../a', 'a/../b', 'a//b', './a', 'a\\b', 'a\n']) assert.ok(pathProblem(bad), JSON.stringify(bad));
  for (const good of ['a', 'a/b.cradle', 'größe 2.cradle']) assert.equal(pathProblem(good), null);
  assert.equal(withEnding('a'), 'a.cradle');
  assert.equal(withEnding('a.cradle'), 'a.cradle');
});
