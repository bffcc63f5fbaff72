// Runs for tests, packed as the binary packs them.

import { deflateSync } from 'node:zlib';
import { loadRun, type Run } from '../src/data/run';
import type { Packed, RunView } from '../src/data/view';

const arrays = { f64: Float64Array, f32: Float32Array, i32: Int32Array, u32: Uint32Array, u8: Uint8Array };

export function pack(type: keyof typeof arrays, list: number[]): Packed {
  const bytes = new Uint8Array(new arrays[type](list).buffer);
  return { type, length: list.length, data: deflateSync(bytes).toString('base64') };
}
export function packJson(value: unknown): Packed {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return { type: 'json', length: bytes.length, data: deflateSync(bytes).toString('base64') };
}

export interface MadeRow {
  t: number;
  eps?: number;
  step?: number;
  kind?: string;
  tried?: boolean; // of a mythical row, unless it says so
  values: Record<string, number>; // missing: absent
  impulses?: Record<string, number>;
  states?: Record<string, string>;
}

const kinds = ['start', 'evolving', 'before', 'mythical', 'pinnacle', 'real'];

export function makeView(rows: MadeRow[]): RunView {
  const names = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))];
  const automata = Object.keys(rows[0]?.states ?? {});
  const events: RunView['events'] = [];
  for (let first = 0; first < rows.length; ) {
    let last = first;
    while (last + 1 < rows.length && rows[last + 1].t === rows[first].t) last += 1;
    const flows = (rows[last].kind ?? 'evolving') === 'evolving' || (first === last && rows[last].kind === 'start');
    if (!flows) events.push({ t: rows[first].t, first, last, told: null });
    first = last + 1;
  }
  return {
    format: 'cradle-view',
    version: 1,
    cradle: 'test',
    model: 'Test',
    file: 'test.cradle',
    command: 'cradle report test.cradle',
    settings: [],
    parameters: [],
    sources: [],
    outcome: { ending: 'finished', finished: true, t: rows.at(-1)?.t ?? 0, eps: 0, step: 0 },
    until: null,
    from: rows[0]?.t ?? 0,
    diagnostics: [],
    statistics: {},
    audit: null,
    rows: {
      count: rows.length,
      t: pack('f64', rows.map(({ t }) => t)),
      eps: pack('i32', rows.map(({ eps }) => eps ?? 0)),
      step: pack('i32', rows.map(({ step }) => step ?? 0)),
      kind: pack('u8', rows.map(({ kind }) => kinds.indexOf(kind ?? 'evolving'))),
      tried: pack('u8', rows.map(({ kind, tried }) => Number(tried ?? kind === 'mythical'))),
      kinds,
    },
    columns: names.map((name) => {
      const struck = rows.flatMap(({ impulses }, row) => (impulses?.[name] === undefined ? [] : [row]));
      return {
        name,
        hidden: false,
        values: pack('f64', rows.map(({ values }) => values[name] ?? NaN)),
        absent: pack('u32', rows.flatMap(({ values }, row) => (values[name] === undefined ? [row] : []))),
        impulses: { rows: pack('u32', struck), weights: pack('f64', struck.map((row) => rows[row].impulses![name])) },
      };
    }),
    automata: automata.map((name) => {
      const states = [...new Set(rows.map((row) => row.states![name]))];
      const changes = rows.flatMap((row, i) => (i === 0 || rows[i - 1].states![name] !== row.states![name] ? [i] : []));
      return {
        name,
        states,
        active: null,
        rows: pack('u32', changes),
        state: pack('i32', changes.map((row) => states.indexOf(rows[row].states![name]))),
      };
    }),
    panels: [names.map((_, index) => index)],
    events,
    instants: packJson([]),
    instants_told: 0,
    graph: null,
    animation: [],
  };
}

export const makeRun = (rows: MadeRow[]): Promise<Run> => loadRun(makeView(rows));

// With a curve of its first column: t² − t on [0, 1], none on [1, 2].
export function makeCurvedRun(rows: MadeRow[]): Promise<Run> {
  const view = makeView(rows);
  view.stretches = { begin: pack('f64', [0, 1]), end: pack('f64', [1, 2]) };
  view.columns[0].curve = { degrees: pack('u8', [2, 255]), coefficients: pack('f64', [-0.125, 0, 0.125]) };
  return loadRun(view);
}

// The collision of Table 2.
export const table2: MadeRow[] = [
  { t: 0, kind: 'start', values: { p: 1 }, states: { F: 'off', G: 'on' } },
  { t: 0.5, values: { p: 1 }, states: { F: 'off', G: 'on' } },
  { t: 1, eps: -1, kind: 'before', values: { p: 1 }, states: { F: 'off', G: 'on' } },
  { t: 1, kind: 'mythical', values: { p: -0.2 }, impulses: { p: 1.2 }, states: { F: 'on', G: 'on' } },
  { t: 1, step: 1, kind: 'pinnacle', values: { p: 0.1 }, impulses: { p: 0.9 }, states: { F: 'on', G: 'off' } },
  { t: 1, eps: 1, kind: 'real', values: { p: 0.1 }, states: { F: 'off', G: 'off' } },
  { t: 1.5, values: { p: 0.1 }, states: { F: 'off', G: 'off' } },
  { t: 2, values: { p: 0.1 }, states: { F: 'off', G: 'off' } },
];
