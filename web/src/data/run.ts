// A run, unpacked for looking: typed arrays, lookup by time and by row. Everything on a page reads
// this and not the view.

import { Curve } from './curves';
import { Pyramid } from './pyramid';
import { lowerBound, upperBound } from './search';
import { toNumber, unpackJson, unpackNumbers } from './unpack';
import type { Automaton, Column, Graph, Instant, RunView } from './view';

export interface Value {
  number: number; // NaN where there is none
  impulse: number; // 0: none
  absent: boolean;
  unknown: boolean;
  truth: boolean; // the number is 1 for true and 0 for false
  between: boolean; // on a straight line between two rows that differ: no curve is known there
}

export class RunColumn {
  private builtPyramid: Pyramid | null = null;

  constructor(
    readonly index: number,
    readonly name: string,
    readonly hidden: boolean,
    readonly values: Float64Array,
    readonly absent: Uint32Array,
    readonly unknown: number[],
    readonly impulseRows: Uint32Array,
    readonly impulseWeights: Float64Array,
    private tried: (row: number) => boolean,
    readonly curve: Curve | null = null,
    readonly unit = '',
    readonly truth = false, // true or false, and no number
  ) {}

  // As people read it: v [V].
  get title(): string {
    return this.unit === '' ? this.name : `${this.name} [${this.unit}]`;
  }

  // Of all rows that came true.
  get pyramid(): Pyramid {
    this.builtPyramid ??= new Pyramid(this.values, this.tried);
    return this.builtPyramid;
  }

  impulse(row: number): number {
    const at = lowerBound(this.impulseRows, row);
    return this.impulseRows[at] === row ? this.impulseWeights[at] : 0;
  }

  at(row: number): Value {
    const number = this.values[row];
    const at = lowerBound(this.absent, row);
    return {
      number,
      impulse: this.impulse(row),
      absent: this.absent[at] === row,
      unknown: this.unknown.includes(row),
      truth: this.truth,
      between: false,
    };
  }
}

export interface RunAutomaton {
  name: string;
  states: string[];
  active: boolean[] | null;
  rows: Uint32Array; // from this row on …
  state: Int32Array; // … it is in this state
}

export interface RunEvent {
  index: number;
  t: number;
  first: number;
  last: number;
  told: number | null;
}

export interface GraphMode {
  states: number[];
  svg: string;
}
export interface GraphBond {
  name: string;
  e: Float32Array;
  f: Float32Array;
  impulseRows: Uint32Array;
  p: Float64Array;
  q: Float64Array;
}
export interface RunGraph {
  modes: GraphMode[];
  more_modes: number;
  bonds: GraphBond[];
  rows: Uint32Array;
}

export const kMostBands = 16;

// In the order in which the automata have them, as all pictures take them (RowLayout::state_names).
const statesInOrder = (automata: RunAutomaton[]) => [...new Set(automata.flatMap(({ states }) => states))];

export class Run {
  readonly columns: RunColumn[] = []; // hidden ones too
  readonly events: RunEvent[];
  readonly eventTimes: Float64Array;
  readonly eventRows: Uint32Array; // the first of each
  readonly stateNames: string[]; // of all automata: by colour
  private toldInstants: Promise<Instant[]> | null = null;
  private unpackedGraph: Promise<RunGraph | null> | null = null;

  constructor(
    readonly view: RunView,
    readonly t: Float64Array,
    readonly eps: Int32Array,
    readonly step: Int32Array,
    readonly kindOf: Uint8Array,
    private triedRows: Uint8Array,
    readonly automata: RunAutomaton[],
  ) {
    this.events = view.events.map((event, index) => ({ ...event, index, t: toNumber(event.t) }));
    this.eventTimes = Float64Array.from(this.events, (event) => event.t);
    this.eventRows = Uint32Array.from(this.events, (event) => event.first);
    this.stateNames = statesInOrder(automata);
  }

  get count() {
    return this.t.length;
  }
  get from() {
    return this.count > 0 ? this.t[0] : 0;
  }
  get to() {
    return this.count > 0 ? this.t[this.count - 1] : 0;
  }
  // What a reader is shown.
  get shown(): RunColumn[] {
    return this.columns.filter((column) => !column.hidden);
  }

  // True or false over time: lanes and no curves.
  get truths(): RunColumn[] {
    return this.shown.filter((column) => column.truth);
  }
  // Of time, in a model with units.
  get timeUnit(): string {
    return this.columns.some(({ unit }) => unit !== '') ? 's' : '';
  }

  kind(row: number): string {
    return this.view.rows.kinds[this.kindOf[row]];
  }
  strained(row: number): boolean {
    return this.view.rows.strained?.includes(row) ?? false;
  }
  // Inference left it: the state never took what stands there.
  tried = (row: number): boolean => this.triedRows[row] === 1;

  // The last row that is not later; of the rows of one instant the last.
  rowAt(t: number): number {
    return Math.max(0, upperBound(this.t, t) - 1);
  }

  // The instant a row belongs to; null while time flows.
  eventAtRow(row: number): RunEvent | null {
    const event = this.events[upperBound(this.eventRows, row) - 1];
    return event !== undefined && row <= event.last ? event : null;
  }
  nextEvent(row: number): RunEvent | null {
    return this.events[upperBound(this.eventRows, row)] ?? null;
  }
  previousEvent(row: number): RunEvent | null {
    return this.events[lowerBound(this.eventRows, row) - 1] ?? null;
  }

  state(automaton: number, row: number): number {
    const { rows, state } = this.automata[automaton];
    return state[Math.max(0, upperBound(rows, row) - 1)];
  }
  stateName(automaton: number, row: number): string {
    return this.automata[automaton].states[this.state(automaton, row)];
  }
  states(row: number): number[] {
    return this.automata.map((_, automaton) => this.state(automaton, row));
  }

  // Between two rows on the curve, or on a straight line, as the plot draws it.
  value(column: number, row: number, t: number): Value {
    const here = this.columns[column].at(row);
    if (t === this.t[row] || row + 1 >= this.count) return here;
    if (here.truth) {
      // What is gone by the next row was there for an instant.
      const next = this.columns[column].at(row + 1);
      return next.absent ? { ...next, impulse: 0 } : here;
    }
    const onCurve = this.columns[column].curve?.at(t) ?? NaN;
    if (!Number.isNaN(onCurve)) return { ...here, number: onCurve, impulse: 0, absent: false, unknown: false };
    const there = this.columns[column].values[row + 1];
    const share = (t - this.t[row]) / (this.t[row + 1] - this.t[row]);
    const number = here.number + share * (there - here.number);
    const between = !Object.is(here.number, there);
    return { ...here, number: Number.isNaN(there) ? here.number : number, impulse: 0, between };
  }

  // What is told of instants, unpacked when it is first asked for.
  instants(): Promise<Instant[]> {
    this.toldInstants ??= unpackJson<Instant[]>(this.view.instants);
    return this.toldInstants;
  }
  graph(): Promise<RunGraph | null> {
    this.unpackedGraph ??= this.view.graph === null ? Promise.resolve(null) : unpackGraph(this.view.graph);
    return this.unpackedGraph;
  }
}

const none = new Uint32Array(0);

async function unpackGraph(graph: Graph): Promise<RunGraph> {
  const bonds = graph.bonds.map(async (bond) => ({
    name: bond.name,
    e: (await unpackNumbers(bond.e)) as Float32Array,
    f: (await unpackNumbers(bond.f)) as Float32Array,
    impulseRows: bond.impulses ? ((await unpackNumbers(bond.impulses.rows)) as Uint32Array) : none,
    p: bond.impulses ? ((await unpackNumbers(bond.impulses.p)) as Float64Array) : new Float64Array(0),
    q: bond.impulses ? ((await unpackNumbers(bond.impulses.q)) as Float64Array) : new Float64Array(0),
  }));
  return {
    modes: await unpackJson<GraphMode[]>(graph.modes),
    more_modes: graph.more_modes,
    bonds: await Promise.all(bonds),
    rows: (await unpackNumbers(graph.rows)) as Uint32Array,
  };
}

interface Stretches {
  begin: Float64Array;
  end: Float64Array;
}

async function unpackCurve(column: Column, stretches: Stretches | null): Promise<Curve | null> {
  if (!column.curve || stretches === null) return null;
  const [degrees, coefficients] = await Promise.all([
    unpackNumbers(column.curve.degrees),
    unpackNumbers(column.curve.coefficients),
  ]);
  if (degrees.length !== stretches.begin.length) {
    throw new ViewError(`the view is damaged: ${column.name} has ${degrees.length} of ${stretches.begin.length} curves`);
  }
  return new Curve(stretches.begin, stretches.end, degrees as Uint8Array, coefficients as Float64Array);
}

async function unpackStretches(view: RunView): Promise<Stretches | null> {
  if (!view.stretches) return null;
  const [begin, end] = await Promise.all([unpackNumbers(view.stretches.begin), unpackNumbers(view.stretches.end)]);
  return { begin: begin as Float64Array, end: end as Float64Array };
}

async function unpackColumn(column: Column, index: number, run: Run, stretches: Stretches | null): Promise<RunColumn> {
  const [values, absent, rows, weights, curve] = await Promise.all([
    unpackNumbers(column.values),
    column.absent ? unpackNumbers(column.absent) : none,
    column.impulses ? unpackNumbers(column.impulses.rows) : none,
    column.impulses ? unpackNumbers(column.impulses.weights) : new Float64Array(0),
    unpackCurve(column, stretches),
  ]);
  if (values.length !== run.count) {
    throw new ViewError(`the view is damaged: ${column.name} has ${values.length} of ${run.count} values`);
  }
  return new RunColumn(
    index,
    column.name,
    column.hidden,
    values as Float64Array,
    absent as Uint32Array,
    column.unknown ?? [],
    rows as Uint32Array,
    weights as Float64Array,
    run.tried,
    curve,
    column.unit ?? '',
    column.truth ?? false,
  );
}

async function unpackAutomaton(automaton: Automaton): Promise<RunAutomaton> {
  const [rows, state] = await Promise.all([unpackNumbers(automaton.rows), unpackNumbers(automaton.state)]);
  const { name, states, active } = automaton;
  return { name, states, active, rows: rows as Uint32Array, state: state as Int32Array };
}

// What is wrong with a view, for a reader.
export class ViewError extends Error {}

export function checkView(view: unknown): RunView {
  if (typeof view !== 'object' || view === null || (view as RunView).format !== 'cradle-view') {
    throw new ViewError('this page holds no run of Cradle');
  }
  const { version, cradle } = view as RunView;
  if (version !== 1) {
    throw new ViewError(
      `this run was written in version ${version} of the format (by Cradle ${cradle}); this page reads version 1`,
    );
  }
  return view as RunView;
}

export async function loadRun(view: RunView): Promise<Run> {
  checkView(view);
  const { rows } = view;
  const [t, eps, step, kind, tried, automata] = await Promise.all([
    unpackNumbers(rows.t),
    unpackNumbers(rows.eps),
    unpackNumbers(rows.step),
    unpackNumbers(rows.kind),
    unpackNumbers(rows.tried),
    Promise.all(view.automata.map(unpackAutomaton)),
  ]);
  if (t.length !== rows.count) throw new ViewError(`the view is damaged: ${t.length} of ${rows.count} rows`);
  const run = new Run(
    view,
    t as Float64Array,
    eps as Int32Array,
    step as Int32Array,
    kind as Uint8Array,
    tried as Uint8Array,
    automata,
  );
  const stretches = await unpackStretches(view);
  const columns = view.columns.map((column, index) => unpackColumn(column, index, run, stretches));
  run.columns.push(...(await Promise.all(columns)));
  return run;
}
