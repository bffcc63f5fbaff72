import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cursor } from '../src/data/cursor';
import { Pyramid } from '../src/data/pyramid';
import { checkView, loadRun } from '../src/data/run';
import { lowerBound, upperBound } from '../src/data/search';
import { eventTime, exact, instantText, rowText, short, valueText } from '../src/data/text';
import { columnMoves, movingFirst } from '../src/microscope/steps';
import { makeCurvedRun, makeRun, makeView, table2, type MadeRow } from './made';

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
  assert.deepEqual(run.columns[1].at(1), { number: NaN, impulse: 0, absent: true, unknown: false, truth: false, between: false });
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
});

test('a value between two rows is an estimate only if they differ', async () => {
  const run = await makeRun([
    { t: 0, values: { x: 1, b: 1 } },
    { t: 1, values: { x: 2, b: 1 } },
    { t: 2, values: { x: 2 } },
    { t: 3, values: { x: 2 } },
  ]);
  assert.deepEqual([run.value(0, 0, 0.5).between, run.value(0, 0, 0.5).number], [true, 1.5]);
  assert.deepEqual([run.value(1, 0, 0.5).between, run.value(1, 0, 0.5).number], [false, 1]);
  assert.equal(run.value(1, 2, 2.5).between, false);
  assert.equal(run.value(1, 2, 2.5).absent, true);
});

test('a value on a curve is no estimate', async () => {
  const run = await makeCurvedRun([0, 1, 2].map((t) => ({ t, values: { x: 0, y: t } })));
  assert.deepEqual([run.value(0, 0, 0.5).between, run.value(0, 0, 0.5).number], [false, -0.25]);
  assert.equal(run.value(0, 0, 0.25).number, -0.1875);
  assert.equal(run.value(0, 1, 1.5).number, 0, 'a straight line where there is no curve');
  assert.deepEqual([run.value(1, 0, 0.5).between, run.value(1, 0, 0.5).number], [true, 0.5]);
});

test('states have their colours in the order of the automata, whoever is visited first', async () => {
  const at = (t: number, F: string, G: string, kind = 'evolving'): MadeRow => ({ t, kind, values: { x: 0 }, states: { F, G } });
  const view = makeView([at(0, 'on', 'idle', 'start'), at(1, 'on', 'idle', 'before'), at(1, 'off', 'on', 'real'), at(2, 'off', 'on')]);
  view.automata[0].states = ['off', 'never', 'on'];
  const run = await loadRun(view);
  assert.deepEqual(run.stateNames, ['off', 'never', 'on', 'idle']);
});

test('what is true or false is read as such, and not between two rows', async () => {
  const view = makeView([
    { t: 0, values: { high: 0, tick: 1 } },
    { t: 1, values: { high: 1 } },
    { t: 2, values: { high: 1 } },
  ]);
  view.columns.forEach((column) => (column.truth = true));
  const run = await loadRun(view);
  assert.equal(valueText(run.value(0, 0, 0)), 'false');
  assert.equal(valueText(run.value(0, 0, 0.5)), 'false');
  assert.equal(valueText(run.value(0, 1, 1.5)), 'true');
  assert.equal(valueText(run.value(1, 0, 0)), 'true');
  assert.equal(valueText(run.value(1, 0, 0.5)), 'absent');
});

test('events have as many digits as tell them apart', async () => {
  const times = [0.5, 1 - 2 ** -53, 1, 1 + 1e-9, 2];
  const run = await makeRun(times.map((t) => ({ t, kind: 'real', values: { x: t } })));
  const texts = run.events.map((event) => eventTime(run, event, 6));
  assert.equal(new Set(texts).size, times.length, texts.join(' '));
  assert.deepEqual([texts[0], texts[4]], ['0.5', '2']);
  assert.notEqual(rowText(run, 1), rowText(run, 2));
});

test('what moves in an instant stands first', async () => {
  const run = await makeRun(table2.map((row) => ({ ...row, values: { still: 3, ...row.values } })));
  const [still, p] = run.columns;
  const heads = movingFirst([0, 1], [1], [still, p], [p]);
  assert.deepEqual(heads, [{ automaton: 1 }, { column: p }, { automaton: 0 }, { column: still }]);
  assert.deepEqual([still, p].map((column) => columnMoves(column, run.events[0])), [false, true]);
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
