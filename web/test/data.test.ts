import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cursor } from '../src/data/cursor';
import { Pyramid } from '../src/data/pyramid';
import { checkView, loadRun } from '../src/data/run';
import { lowerBound, upperBound } from '../src/data/search';
import { exact, instantText, short } from '../src/data/text';
import { makeRun, makeView, table2 } from './made';

test('searches agree with looking one by one', () => {
  const list = [0, 1, 1, 1, 2, 5];
  for (let value = -1; value < 7; value += 0.5) {
    const lower = list.findIndex((item) => item >= value);
    const upper = list.findIndex((item) => item > value);
    assert.equal(lowerBound(list, value), lower < 0 ? list.length : lower);
    assert.equal(upperBound(list, value), upper < 0 ? list.length : upper);
  }
});

test('a pyramid knows the extremes of every stretch', () => {
  let seed = 1;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (const size of [0, 1, 31, 32, 33, 257, 3000]) {
    const values = Float64Array.from({ length: size }, () => (random() < 0.1 ? NaN : random() < 0.02 ? Infinity : random() - 0.5));
    const leftOut = (row: number) => row % 7 === 3;
    const pyramid = new Pyramid(values, leftOut);
    for (let i = 0; i < 300; ++i) {
      const [a, b] = [Math.floor(random() * size), Math.floor(random() * size)].sort((p, q) => p - q);
      const inside = [...values.subarray(a, b + 1)].filter((value, k) => Number.isFinite(value) && !leftOut(a + k));
      const found = pyramid.extremes(a, b);
      assert.deepEqual(found, { low: Math.min(...inside), high: Math.max(...inside) });
    }
  }
});

test('what was packed is unpacked: numbers, absent, impulses, states', async () => {
  const run = await makeRun([
    { t: 0, kind: 'start', values: { x: 0.1, e: 7 }, states: { A: 'on' } },
    { t: 0.1 + 0.2, values: { x: -0 }, states: { A: 'off' } },
    { t: 1, kind: 'real', values: { x: 1e-300 }, impulses: { x: -2.5 }, states: { A: 'off' } },
  ]);
  assert.equal(run.t[1], 0.1 + 0.2);
  assert.ok(Object.is(run.columns[0].values[1], -0));
  assert.deepEqual(run.columns[1].at(1), { number: NaN, impulse: 0, absent: true, unknown: false, between: false });
  assert.equal(run.columns[0].at(2).impulse, -2.5);
  assert.equal(run.columns[0].at(1).impulse, 0);
  assert.deepEqual([0, 1, 2].map((row) => run.stateName(0, row)), ['on', 'off', 'off']);
});

test('rows and events are found by time and by row', async () => {
  const run = await makeRun(table2);
  assert.equal(run.rowAt(-1), 0);
  assert.equal(run.rowAt(0.7), 1);
  assert.equal(run.rowAt(1), 5);
  assert.equal(run.rowAt(9), 7);
  assert.equal(run.eventAtRow(1), null);
  assert.equal(run.eventAtRow(2)?.index, 0);
  assert.equal(run.eventAtRow(5)?.index, 0);
  assert.equal(run.eventAtRow(6), null);
  assert.equal(run.nextEvent(1)?.first, 2);
  assert.equal(run.nextEvent(3), null);
  assert.equal(run.previousEvent(7)?.last, 5);
  assert.equal(run.value(0, 5, 1.25).between, true);
});

test('the cursor walks through an instant step by step and stops at events', async () => {
  const run = await makeRun(table2);
  const cursor = new Cursor(run, 0.9);
  cursor.forward(0.3);
  assert.equal(cursor.row, 2, 'stops at the event, at its left limit');
  const seen = [];
  for (let i = 0; i < 3; ++i) {
    cursor.forward(0.3);
    seen.push(run.kind(cursor.row));
  }
  assert.deepEqual(seen, ['mythical', 'pinnacle', 'real']);
  cursor.forward(0.3);
  assert.equal(cursor.t, 1.3);
  assert.equal(cursor.event?.index, 0, 'the instant stays open');
  cursor.back(0.5);
  assert.equal(cursor.row, 5, 'back into the event, at its end');
  cursor.previousEvent();
  assert.equal(cursor.row, 2);
  cursor.toTime(2);
  cursor.previousEvent();
  assert.equal(cursor.row, 2);
});

test('a view that cannot be read says why', async () => {
  assert.throws(() => checkView({}), /no run of Cradle/);
  assert.throws(() => checkView(null), /no run of Cradle/);
  assert.throws(() => checkView({ ...makeView(table2), version: 2 }), /version 2 .* reads version 1/);
  const damaged = makeView(table2);
  damaged.rows.count = 9;
  await assert.rejects(loadRun(damaged), /damaged: 8 of 9 rows/);
  const cut = makeView(table2);
  cut.columns[0].values.data = cut.columns[0].values.data.slice(0, 8);
  await assert.rejects(loadRun(cut));
});

test('numbers and instants read well', () => {
  assert.equal(short(-0.19999999999999996), '−0.2');
  assert.equal(short(1.0000000000000002), '1');
  assert.equal(short(100), '100');
  assert.equal(short(1234567), '1.23457e6');
  assert.equal(short(1e-7), '1e−7');
  assert.equal(short('inf'), '∞');
  assert.equal(short('nan'), 'nan');
  assert.equal(exact(-0.19999999999999996), '-0.19999999999999996');
  assert.equal(instantText(1, -1, 0), '⟨1 − ε, 0⟩');
  assert.equal(instantText(1, 2, 3), '⟨1 + 2ε, 3⟩');
});
