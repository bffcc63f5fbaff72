import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceBands } from '../src/plot/bands';
import { scaleFor } from '../src/plot/scale';
import { Sight } from '../src/plot/sight';
import { spread } from '../src/plot/spread';
import { makeAxis } from '../src/plot/ticks';
import { trace } from '../src/plot/trace';
import { truthLane } from '../src/plot/truths';
import { loadRun } from '../src/data/run';
import { makeCurvedRun, makeRun, makeView, table2, type MadeRow } from './made';

const drawn = (line: number[]) => line.filter((_, i) => i % 2 === 1 && !Number.isNaN(line[i]));

test('a jump is a jump, what was tried is a mark, impulses are arrows', async () => {
  const run = await makeRun(table2);
  const { line, jumps, marks, arrows } = trace(run, run.columns[0], 0, 2, 800);
  assert.deepEqual(jumps, [{ t: 1, from: 1, to: 0.1, low: -0.2, high: 1 }]);
  assert.deepEqual(marks.map(({ kind, y }) => [kind, y]), [['mythical', -0.2], ['pinnacle', 0.1]]);
  assert.deepEqual(arrows.map(({ tried, weight }) => [tried, weight]), [[true, 1.2], [false, 0.9]]);
  assert.ok(line.some(Number.isNaN), 'the line is interrupted');
});

test('absent is a gap, present for one instant is a dot', async () => {
  const rows: MadeRow[] = [
    { t: 0, values: { x: 0 } },
    { t: 1, values: { x: 0 } },
    { t: 2, values: {} },
    { t: 3, kind: 'real', values: { x: 5 } },
    { t: 4, values: {} },
    { t: 5, values: { x: 1 } },
    { t: 6, values: { x: 1 } },
  ];
  const run = await makeRun(rows);
  const { line, dots } = trace(run, run.columns[0], 0, 6, 600);
  assert.deepEqual(dots.map(({ t, y }) => [t, y]), [[3, 5]]);
  assert.deepEqual(drawn(line), [0, 0, 1, 1]);
});

test('between rows the curve is drawn, however far one zooms in', async () => {
  const run = await makeCurvedRun([0, 1, 2].map((t) => ({ t, values: { x: 0 } })));
  for (const [from, to] of [[0, 2], [0.4, 0.6], [0.499, 0.501]]) {
    const { line, low } = trace(run, run.columns[0], from, to, 100);
    assert.ok(line.length > 60, 'as many points as pixels need');
    for (let i = 0; i < line.length; i += 2) {
      if (line[i] > 1 || Number.isNaN(line[i])) continue;
      assert.ok(Math.abs(line[i + 1] - (line[i] ** 2 - line[i])) < 1e-12, `at ${line[i]}`);
    }
    assert.ok(Math.abs(low + 0.25) < 1e-3, 'the range holds what is drawn');
  }
});

// Signals alone: the microsteps that are left were not tried but happened.
test('events that happen at a microstep that is left are dots, however many there are', async () => {
  const count = 30;
  const rows = Array.from({ length: count }, (_, i): MadeRow[] => [
    { t: i, kind: 'mythical', tried: false, values: { held: i } },
    { t: i, step: 1, kind: 'mythical', tried: false, values: { held: i, click: 20 + i } },
    { t: i, step: 2, kind: 'real', values: { held: i + 1 } },
    { t: i + 0.5, values: { held: i + 1 } },
  ]).flat();
  const run = await makeRun(rows);
  const click = run.columns.find(({ name }) => name === 'click')!;
  for (const pixels of [2000, 100, 40]) {
    const { dots, marks, columns, low, high } = trace(run, click, 0, count, pixels);
    assert.equal(marks.length, 0);
    assert.deepEqual([low, high], [20, 19 + count], `${pixels} pixels`);
    if (columns.length === 0) assert.deepEqual(dots.map(({ y }) => y), Array.from({ length: count }, (_, i) => 20 + i));
  }
});

// A long run: a slow wave, one row that sticks out, and events.
function long(count: number, events: number): MadeRow[] {
  const every = Math.ceil(count / (events + 1));
  return Array.from({ length: count }, (_, i): MadeRow[] => {
    const t = i / count;
    const x = i === 12345 ? 50 : i === 54321 ? -40 : Math.sin(20 * t);
    if (i % every !== 0 || i === 0) return [{ t, values: { x } }];
    return [
      { t, eps: -1, kind: 'before', values: { x } },
      { t, kind: 'mythical', values: { x: 9 } },
      { t, step: 1, kind: 'real', values: { x: x + 3 } },
    ];
  }).flat();
}

test('of many rows the extremes and the events stay, and the work follows the pixels', async () => {
  const run = await makeRun(long(100000, 40));
  const { columns, line, jumps, marks, low, high, merged } = trace(run, run.columns[0], 0, 1, 1000);
  assert.equal(merged, false);
  assert.equal(jumps.length, 40);
  assert.equal(marks.filter(({ kind }) => kind === 'mythical').length, 40);
  assert.equal(Math.max(...columns.filter((_, i) => i % 4 === 3)), 50);
  assert.equal(Math.min(...columns.filter((_, i) => i % 4 === 2)), -40);
  assert.deepEqual([low, high], [-40, 50]);
  assert.ok(columns.length / 4 <= 1000 + 2 * 41, `${columns.length / 4} columns`);
  assert.ok(line.length < 1000, 'few points beside the columns');
});

test('pixel columns hang together where the run does', async () => {
  const run = await makeRun(Array.from({ length: 50000 }, (_, i) => ({ t: i, values: { x: Math.sin(i / 4000) } })));
  const { columns } = trace(run, run.columns[0], 0, 49999, 500);
  for (let i = 4; i < columns.length; i += 4) {
    const apart = Math.max(columns[i + 2] - columns[i - 1], columns[i - 2] - columns[i + 3]);
    assert.ok(apart <= 0, `a gap before column ${i / 4}`);
    assert.equal(columns[i], columns[i - 3], 'side by side');
  }
});

test('more events than pixels are merged, without what was only tried', async () => {
  const run = await makeRun(long(60000, 9000));
  const { merged, marks, jumps, high, columns } = trace(run, run.columns[0], 0, 1, 800);
  assert.equal(merged, true);
  assert.equal(marks.length + jumps.length, 0);
  assert.equal(high, 50);
  assert.ok(columns.length / 4 <= 801);
});

test('zoomed in, every row is drawn', async () => {
  const run = await makeRun(long(100000, 40));
  const { line, columns } = trace(run, run.columns[0], 0.5001, 0.5002, 1000);
  assert.equal(columns.length, 0);
  assert.ok(drawn(line).length >= 10 && drawn(line).length < 30);
});

// The parts of the sight that no line and no column of pixels covers, in pixels.
function uncovered({ line, columns }: ReturnType<typeof trace>, from: number, to: number, pixels: number): number {
  const parts: [number, number][] = [];
  for (let i = 2; i < line.length; i += 2) if (line[i] > line[i - 2]) parts.push([line[i - 2], line[i]]);
  for (let i = 0; i < columns.length; i += 4) parts.push([columns[i], columns[i + 1]]);
  parts.sort((a, b) => a[0] - b[0]);
  let [reached, missing] = [from, 0];
  for (const [left, right] of [...parts, [to, to]]) {
    missing += Math.max(0, Math.min(left, to) - reached);
    reached = Math.max(reached, right);
  }
  return (missing / (to - from)) * pixels;
}

test('at every zoom the line covers the sight, and stays within it', async () => {
  const smooth = Array.from({ length: 200 }, (_, i): MadeRow => ({ t: 0.1 * i, values: { x: Math.sin(0.1 * i) } }));
  // No left limit on record: the first row of an instant is only tried.
  const tried = smooth.flatMap((row, i): MadeRow[] =>
    i % 20 !== 10
      ? [row]
      : [
          { t: row.t, kind: 'mythical', values: row.values },
          { t: row.t, step: 1, kind: 'real', values: { x: row.values.x + 1 } },
        ],
  );
  // Many rows at once, and hardly any around them.
  const dense = [
    { t: 0, values: { x: 0 } },
    ...Array.from({ length: 9000 }, (_, i): MadeRow => ({ t: 10 + 1e-6 * i, values: { x: i % 7 } })),
    { t: 19.9, values: { x: 5 } },
  ];
  for (const rows of [smooth, tried, table2.map((row) => ({ ...row, values: { x: row.values.p } })), long(2000, 40), dense]) {
    const run = await makeRun(rows);
    const whole = run.to - run.from;
    for (const share of [0, 0.123, 0.5, 0.5025, 0.77, 1]) {
      const sight = new Sight(run.from, run.to);
      for (let click = 0; click < 70; ++click) {
        const { from, to } = sight;
        const drawn = trace(run, run.columns[0], from, to, 800);
        const told = `${rows.length} rows, zoomed ${click} times to ${share}`;
        // What leaps at an edge may be left out there.
        assert.ok(uncovered(drawn, from, to, 800) < 1.5, told);
        assert.ok(drawn.low <= drawn.high, told);
        for (let i = 0; i < drawn.line.length; i += 2) assert.ok(!(drawn.line[i] < from || drawn.line[i] > to), told);
        sight.zoom(0.5, run.from + share * whole);
      }
    }
  }
});

test('values have a scale, however small; rounding has none', async () => {
  const scaled = async (y: (t: number) => number) => {
    const run = await makeRun(Array.from({ length: 50 }, (_, i): MadeRow => ({ t: i, values: { x: y(i) } })));
    return scaleFor([trace(run, run.columns[0], 0, 49, 400)], 120);
  };
  for (const size of [1e-300, 1e-100, 1, 1e100, 1e299]) {
    const { low, high, axis } = await scaled((t) => size * Math.cos(t));
    assert.ok(low < -0.9 * size && low > -1.3 * size && high > 0.9 * size && high < 1.3 * size, `${low} to ${high}`);
    assert.ok(axis.ticks.length >= 3 && new Set(axis.labels).size === axis.labels.length, axis.labels.join(' '));
  }
  const flat = await scaled((t) => 5 + 1e-15 * t);
  assert.ok(flat.low < 0 && flat.high > 5);
  const zero = await scaled(() => 0);
  assert.ok(zero.low < -1 && zero.high > 1);
});

test('impulses have an axis of their own, with one zero, and tiny ones look tiny', async () => {
  const struck = (weight: number, y: number): MadeRow[] => [
    { t: 0, kind: 'start', values: { x: 0 } },
    { t: 1, kind: 'before', values: { x: y } },
    { t: 1, kind: 'pinnacle', values: { x: y }, impulses: { x: weight } },
    { t: 1, kind: 'real', values: { x: y } },
    { t: 2, values: { x: y } },
  ];
  const scaled = async (weight: number, y: number, among = 0) => {
    const run = await makeRun(struck(weight, y));
    return scaleFor([trace(run, run.columns[0], 0, 2, 400)], 120, among);
  };
  for (const y of [0, 5, -5, 1e-9]) {
    for (const weight of [2e-6, -2e-6, 3, -1e9]) {
      const { low, high, weights } = await scaled(weight, y);
      assert.ok(weights !== null && weights.low <= weight && weights.high >= weight && low <= y && high >= y);
      assert.ok(Math.abs(low / (low - high) - weights.low / (weights.low - weights.high)) < 1e-9, `${weight} beside ${y}`);
      assert.ok(weights.axis.ticks.length >= 3);
    }
  }
  const { weights } = await scaled(1e-12, 5, 2.5);
  assert.ok(1e-12 / (weights!.high - weights!.low) < 1e-3);
  assert.equal((await makeRun([{ t: 0, values: { x: 1 } }, { t: 1, values: { x: 2 } }]).then((run) => scaleFor([trace(run, run.columns[0], 0, 1, 400)], 120))).weights, null);
});

test('what is true or false is a lane, and events are marks on it', async () => {
  const view = makeView([
    { t: 0, kind: 'start', values: { high: 0, tick: 1 } },
    { t: 0.5, values: { high: 1 } },
    { t: 1, kind: 'mythical', tried: false, values: { high: 1 } },
    { t: 1, step: 1, kind: 'mythical', tried: false, values: { high: 1, tick: 0 } },
    { t: 1, step: 2, kind: 'real', values: { high: 0 } },
    { t: 2, values: { high: 0 } },
  ]);
  const run = await loadRun(view);
  assert.deepEqual(truthLane(run, run.columns[0]), {
    bands: [{ from: 0, to: 0.5, holds: false }, { from: 0.5, to: 1, holds: true }, { from: 1, to: 2, holds: false }],
    marks: [],
  });
  assert.deepEqual(truthLane(run, run.columns[1]), {
    bands: [],
    marks: [{ t: 0, row: 0, holds: true }, { t: 1, row: 3, holds: false }],
  });
});

test('ticks are round, few and told apart', () => {
  const axis = makeAxis(0, 2, 10);
  assert.deepEqual(axis.labels, ['0.0', '0.2', '0.4', '0.6', '0.8', '1.0', '1.2', '1.4', '1.6', '1.8', '2.0']);
  assert.equal(makeAxis(0, 5e-7, 5).note, '×10⁻⁹');
  assert.equal(makeAxis(-3, 3, 6).labels[0], '−3');
  for (const [low, high] of [[0, 1], [1, 1 + 1e-9], [-1e12, 1e12], [123.456, 123.457], [5, 5], [1e-300, 2e-300]]) {
    for (const most of [2, 5, 12]) {
      const { ticks, labels } = makeAxis(low, high, most);
      assert.ok(ticks.length >= 3 && ticks.length <= 3 * most + 3, `${ticks.length} ticks from ${low} to ${high}`);
      assert.equal(new Set(labels).size, labels.length, `${labels} from ${low} to ${high}`);
      assert.ok(labels.every((label) => label.length < 12), labels.join(' '));
    }
  }
  assert.match(makeAxis(1, 1 + 1e-9, 5).note, /\+ 1$/);
});

test('bands: states that last, visits that do not, and what changes too fast', async () => {
  const run = await makeRun(table2);
  const { bands, visits } = traceBands(run, 0, 0, 2, 400);
  assert.deepEqual(bands.map(({ from, to, state }) => [from, to, run.automata[0].states[state]]), [[0, 2, 'off']]);
  assert.deepEqual(visits.map(({ state }) => run.automata[0].states[state]), ['on']);
  const fast = await makeRun(
    Array.from({ length: 10000 }, (_, i) => ({ t: i, values: { x: 0 }, states: { A: i < 9000 && i % 2 ? 'on' : 'off' } })),
  );
  const many = traceBands(fast, 0, 0, 9999, 100);
  assert.equal(many.bands[0].state, -1);
  assert.equal(fast.automata[0].states[many.bands.at(-1)!.state], 'off');
  assert.ok(many.bands.length < 10);
});

test('the sight stays within the run and keeps a time in place', () => {
  const sight = new Sight(0, 10);
  sight.zoom(0.5, 2);
  assert.ok(Math.abs(sight.from - 1) < 1e-12 && Math.abs(sight.to - 6) < 1e-12);
  sight.pan(-100);
  assert.deepEqual([sight.from, sight.to], [0, 5]);
  sight.zoom(1e-30, 3);
  assert.ok(sight.span > 0);
  sight.reset();
  assert.equal(sight.whole, true);
});

test('events that accumulate are merged, those before them stand alone', async () => {
  const rows: MadeRow[] = [{ t: 0, kind: 'start', values: { x: 1 } }];
  for (let i = 1; i < 60; ++i) {
    const t = 1 - 0.7 ** i;
    rows.push({ t, eps: -1, kind: 'before', values: { x: -1 } }, { t, kind: 'real', values: { x: 1 } });
  }
  const run = await makeRun(rows);
  const { jumps, line } = trace(run, run.columns[0], 0, 1, 1000);
  assert.ok(jumps.length >= 10 && jumps.length < 30, `${jumps.length} jumps`);
  assert.equal(jumps[0].t, run.events[0].t);
  assert.ok(line.length > 0);
});

test('labels stay beside their panel, apart, and those without room are counted', () => {
  assert.deepEqual(spread([20, 60], 0, 90, 12), { places: [20, 60], more: null });
  for (const count of [1, 3, 8, 9, 30]) {
    for (const wanted of [() => 45, () => -20, () => 200, (i: number) => (i * 37) % 91]) {
      const { places, more } = spread(Array.from({ length: count }, (_, i) => wanted(i)), 0, 90, 12);
      const taken = [...places.filter((place) => place !== null), ...(more === null ? [] : [more.place])].sort((a, b) => a - b);
      assert.ok(taken[0] >= 0 && taken.at(-1)! <= 90, taken.join(' '));
      for (let i = 1; i < taken.length; ++i) assert.ok(taken[i] - taken[i - 1] >= 12 - 1e-9, taken.join(' '));
      assert.equal(places.filter((place) => place === null).length, more?.count ?? 0);
      assert.equal(more === null, count <= 8);
    }
  }
});
