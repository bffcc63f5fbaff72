import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cursor } from '../src/data/cursor';
import { Run, RunColumn } from '../src/data/run';
import type { RunView } from '../src/data/view';
import { change, differences, differs } from '../src/workspace/compare';
import { followCursor } from '../src/workspace/follow';

// Times, one column, and events as [first, last].
function run(t: number[], values: number[], events: [number, number][] = [], absent: number[] = []): Run {
  const view = {
    columns: [],
    events: events.map(([first, last]) => ({ t: t[first]!, first, last, told: null })),
    rows: { kinds: ['evolving', 'mythical'] },
    audit: { stored_start: 1, stored_end: values[0]!, delivered: 0, dissipated: 0, dissipated_by_switching: 0, residual: 0, entries: [] },
  } as unknown as RunView;
  const zeros = t.map(() => 0);
  const made = new Run(view, Float64Array.from(t), Int32Array.from(zeros), Int32Array.from(zeros), Uint8Array.from(zeros), Uint8Array.from(zeros), []);
  made.columns.push(new RunColumn(0, 'x', false, Float64Array.from(values), Uint32Array.from(absent), [], new Uint32Array(0), new Float64Array(0), () => false));
  return made;
}

test('what two runs end with, their events and their energy', () => {
  const a = run([0, 1, 1, 2], [1, 2, 3, 4], [[1, 2]]);
  const b = run([0, 0.5, 0.5, 1.5], [2, 2, 3, 6], [[1, 2]]);
  const found = differences(a, b);
  const row = (list: typeof found.finals, name: string) => list.find((difference) => difference.name === name)!;
  assert.equal(change(row(found.finals, 'x')), 2);
  assert.equal(change(row(found.finals, 't')), -0.5);
  assert.equal(change(row(found.events, 'events')), 0);
  assert.ok(!differs(row(found.events, 'events')));
  assert.equal(change(row(found.events, 't of event 1')), -0.5);
  assert.equal(change(row(found.energy, 'stored at the end')), 1);
});

test('what only one of them has, or what is absent, has no difference in numbers', () => {
  const a = run([0, 1], [1, NaN], [], [1]);
  const b = run([0, 1, 1], [1, 2, 2], [[1, 2]]);
  const found = differences(a, b);
  const x = found.finals.find((difference) => difference.name === 'x')!;
  assert.equal(change(x), null);
  assert.ok(differs(x));
  const event = found.events.find((difference) => difference.name === 't of event 1')!;
  assert.equal(event.a, null);
  assert.ok(differs(event));
});

test('the cursor stays at its time, or in its event', () => {
  const a = run([0, 1, 1, 1, 2], [0, 0, 0, 0, 0], [[1, 3]]);
  const b = run([0, 1.5, 1.5, 2], [0, 0, 0, 0], [[1, 2]]);
  const cursor = new Cursor(a);
  cursor.toTime(0.5);
  assert.equal(followCursor(cursor, b).t, 0.5);
  cursor.toRow(3);
  const followed = followCursor(cursor, b);
  assert.equal(followed.event, b.events[0]);
  assert.equal(followed.row, 2);
  assert.equal(followed.t, 1.5);
  // without events it stays at the time
  const without = followCursor(cursor, run([0, 2], [0, 0]));
  assert.equal(without.t, 1);
  assert.equal(without.event, null);
});
