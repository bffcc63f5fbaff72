import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainName } from '../src/editor/names';
import { dirty, diskText, docOfFile, docOfGallery, docOfGone, Drafts, onDisk, pathProblem, withEnding } from '../src/workspace/documents';
import { importedPath, importPath } from '../src/workspace/imports';

const memory = () => {
  const kept = new Map<string, string>();
  return {
    kept,
    get length() {
      return kept.size;
    },
    key: (i: number) => [...kept.keys()][i] ?? null,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
};
const file = (text: string, stamp = '1') => docOfFile({ path: 'a/m.cradle', text, stamp });

test('a draft comes back with the stamp that it was made from', () => {
  const storage = memory();
  const drafts = new Drafts('folder', 'tab', storage);
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
  const drafts = new Drafts('folder', 'tab', storage);
  const doc = file('model M {}\n');
  doc.text = 'x';
  drafts.keep(doc);
  assert.ok(!new Drafts('other', 'tab', storage).restore(file('model M {}\n')));
  doc.saved = doc.text;
  drafts.keep(doc);
  assert.equal(storage.kept.size, 0);
});

test('a save takes no draft of another tab, unless it says the same', () => {
  const storage = memory();
  const [mine, theirs] = [new Drafts('folder', '1', storage), new Drafts('folder', '2', storage)];
  const [a, b] = [file('x'), file('x')];
  a.text = 'a';
  b.text = 'b';
  mine.keep(a);
  theirs.keep(b);
  b.saved = 'b';
  theirs.keep(b);
  assert.equal(mine.text(a.key), 'a');
  b.text = b.saved = 'a';
  theirs.keep(b);
  assert.equal(storage.kept.size, 0);
});

test('what another tab left is found, the newest first; done with, it does not come back', () => {
  const storage = memory();
  const left = (tab: string, text: string, at: number) => storage.setItem(`cradle-draft:folder:${tab}:file:a/m.cradle`, JSON.stringify({ text, stamp: '1', at }));
  left('1', 'old', 1);
  left('2', 'new', 2);
  const drafts = new Drafts('folder', '3', storage);
  const doc = file('x');
  assert.ok(drafts.restore(doc));
  assert.equal(doc.text, 'new');
  doc.text = 'newer';
  drafts.keep(doc);
  assert.equal(drafts.text(doc.key), 'newer');
  doc.saved = doc.text;
  drafts.keep(doc);
  assert.equal(drafts.text(doc.key), 'old');
});

test('the draft of a file that is gone is all unsaved', () => {
  const storage = memory();
  const drafts = new Drafts('folder', 'tab', storage);
  const doc = file('x');
  doc.text = 'y';
  drafts.keep(doc);
  assert.deepEqual(drafts.keys(), ['file:a/m.cradle']);
  const gone = docOfGone('a/m.cradle', drafts.text('file:a/m.cradle')!);
  assert.ok(dirty(gone));
  assert.equal(gone.stamp, null);
});

test('characters that turn the text are shown as escapes', () => {
  assert.equal(plainName('a\u202eeldarc.\u2066x'), 'a\\u202eeldarc.\\u2066x');
  assert.equal(plainName('größe 2.cradle'), 'größe 2.cradle');
});

test('a draft that is damaged or cannot be kept does no harm', () => {
  const storage = memory();
  storage.kept.set('cradle-draft:folder:tab:file:a/m.cradle', '{');
  assert.ok(!new Drafts('folder', 'tab', storage).restore(file('x')));
  storage.setItem = () => {
    throw new Error('full');
  };
  const doc = file('x');
  doc.text = 'y';
  new Drafts('folder', 'tab', storage).keep(doc);
});

test('lines end on disk as they did', () => {
  const doc = file('a\r\nb\r\n');
  assert.equal(doc.text, 'a\nb\n');
  assert.ok(!dirty(doc));
  assert.equal(diskText(doc), 'a\r\nb\r\n');
  assert.equal(diskText(file('a\nb\n')), 'a\nb\n');
  assert.equal(file('\ufeffa\n').text, 'a\n'); // a byte order mark is kept, and not shown
  assert.equal(diskText(file('\ufeffa\n')), '\ufeffa\n');
});

test('a model of the gallery would be saved under its own name', () => {
  const doc = docOfGallery({ path: 'lee/ball.cradle', title: '', model: 'Ball', group: 'lee', text: 'model Ball {}' });
  assert.equal(doc.path, 'ball.cradle');
  assert.equal(doc.stamp, null);
});

test('a command is for what is on disk', () => {
  const doc = file('x');
  assert.ok(onDisk(doc));
  assert.ok(!onDisk({ ...doc, text: 'y' }));
  assert.ok(!onDisk(docOfGone('m.cradle', '')));
  assert.ok(!onDisk(docOfGallery({ path: 'lee/ball.cradle', title: '', model: 'Ball', group: 'lee', text: 'x' })));
});

test('names for files', () => {
  for (const bad of ['', ' ', '/a', '../a', 'a/../b', 'a//b', './a', 'a\\b', 'a\n']) assert.ok(pathProblem(bad), JSON.stringify(bad));
  for (const good of ['a', 'a/b.cradle', 'größe 2.cradle']) assert.equal(pathProblem(good), null);
  assert.equal(withEnding('a'), 'a.cradle');
  assert.equal(withEnding('a.cradle'), 'a.cradle');
});

test('an import is written relative to the folder of who imports', () => {
  assert.equal(importPath('m.cradle', 'parts/gear.cradle'), 'parts/gear.cradle');
  assert.equal(importPath('parts/train.cradle', 'parts/gear.cradle'), 'gear.cradle');
  assert.equal(importPath('sub/deep/m.cradle', 'parts/gear.cradle'), '../../parts/gear.cradle');
  for (const from of ['m.cradle', 'parts/train.cradle', 'sub/deep/m.cradle']) {
    assert.equal(importedPath(from, importPath(from, 'parts/gear.cradle')), 'parts/gear.cradle');
  }
  assert.equal(importedPath('parts/m.cradle', '../../outside.cradle'), null);
});
