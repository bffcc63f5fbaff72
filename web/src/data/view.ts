// What a page knows of a run: the whole contract between the binary (src/show/view, which writes it) and
// the pages (which only read it). `cradle report FILE --json` prints it; a report holds it in its
// <script id="view">; the studio gets it from /api/run/ID/view.
//
// Numbers read back as the same doubles. Long lists are packed (unpack.ts): base64 of the zlib
// stream of little-endian numbers.

export interface Packed {
  type: 'f64' | 'f32' | 'i32' | 'u32' | 'u8' | 'json'; // json: UTF-8 text of one JSON value
  length: number; // how many numbers; of json: how many bytes
  data: string;
}

// JSON cannot write these; they stand as strings wherever a number is not packed.
export type Num = number | 'inf' | '-inf' | 'nan';

export interface RunView {
  format: 'cradle-view';
  version: 1;
  cradle: string; // version of the binary
  model: string; // its name
  file: string; // as the user named it
  command: string; // what makes this page again, ready to paste into a shell
  // What the page was asked for: `settings` are the --set of the command, in order.
  settings: { name: string; value: string }[];
  parameters: Parameter[];
  sources: { name: string; text: string; own: boolean }[]; // own: not of the standard library
  outcome: { ending: string; finished: boolean; t: Num; eps: number; step: number };
  until: Num | null;
  from: Num; // time of the first row
  diagnostics: Diagnostic[]; // of the model and of the run, errors first
  statistics: Record<string, number>;
  audit: Audit | null;
  rows: Rows;
  // Between rows: stretches of time without events, ascending; the curves of columns are on them.
  stretches?: { begin: Packed; end: Packed }; // f64
  columns: Column[];
  automata: Automaton[];
  panels: number[][]; // columns that share one panel, by quantity; hidden ones and truths are in none
  events: Event[]; // in order of time
  // The instants told (explain), in order; those of `events` beyond a bound are not, and then only
  // the rows tell. Packed as json: Instant[].
  instants: Packed;
  instants_told: number;
  graph: Graph | null; // null: no bond graph and no modal model
  animation: Shape[];
}

export interface Parameter {
  name: string;
  value: Num;
  default: Num; // as the text has it, without --set
  // Where its default stands, if it is in a file of the user's.
  place?: { file: string; line: number; column: number };
}

export interface Diagnostic {
  severity: 'error' | 'warning';
  kind: string;
  message: string;
  // The first label's place, as in `check --json`: lines and columns from 1, columns in code
  // points, ends exclusive. Missing if no place is known.
  file?: string;
  line?: number;
  column?: number;
  end_line?: number;
  end_column?: number;
  labels: { file?: string; line?: number; column?: number; end_line?: number; end_column?: number; text: string }[];
  notes: { key: string; text: string }[];
  text: string; // as the terminal shows it, whole
}

export interface Rows {
  count: number;
  // The run recorded more than a page can hold, and these are the rows up to `outcome`: why.
  cut?: string;
  t: Packed; // f64
  eps: Packed; // i32
  step: Packed; // i32
  kind: Packed; // u8, an index into kinds
  // u8: 1 where inference left the mode, so that nothing in the row came true. In other mythical rows
  // only logic moved: events of that microstep have happened.
  tried: Packed;
  strained?: number[]; // rows of modes in which ideal connections would carry something without limit
  kinds: string[]; // "start", "evolving", "before", "mythical", "pinnacle", "real", …
}

export interface Column {
  name: string;
  hidden: boolean; // recorded for the animation only
  unit?: string; // V, as far as the model's units tell
  truth?: true; // true or false, and no number: drawn as a lane
  values: Packed; // f64; NaN where nothing is present
  absent?: Packed; // u32: the rows where it is absent (a NaN elsewhere is a NaN)
  unknown?: number[]; // rows where it has no value at all
  impulses?: { rows: Packed; weights: Packed }; // u32, f64
  // u8, by stretch: the degree of its Chebyshev series, 255: none; f64: their coefficients in order.
  curve?: { degrees: Packed; coefficients: Packed };
}

export interface Automaton {
  name: string;
  states: string[];
  active: boolean[] | null; // of a controlled junction: whether the state activates it
  rows: Packed; // u32: from this row on …
  state: Packed; // i32: … it is in this state. The first is row 0.
}

// One instant of real time at which something happened, the start included if something does.
export interface Event {
  t: Num;
  first: number; // rows [first, last]; the first is the left limit where there is one
  last: number;
  told: number | null; // index into instants
}

export interface NamedValue {
  name: string;
  value: Num | null; // null: absent
  impulse?: Num;
}

export interface Condition {
  text: string; // abs(impulse(F23.e)) > J_break
  numbers: string; // 0.6 > 0.5
  holds: boolean;
  by: string; // which part of the difference decided: "value", "impulse", "strain", "rate", …
  decided: string; // the same in words; empty where the numbers tell it
  values: NamedValue[];
  because: Condition[];
}

export interface Move {
  kind: 'physical' | 'inference' | 'modal';
  automaton: string;
  from: string;
  to: string;
  guard: string;
  place?: { file: string; line: number };
  conditions: Condition[];
  sets: NamedValue[];
  history: boolean;
}

export interface Step {
  row: number; // of Rows
  moves: Move[]; // that led into this step
  events: { name: string; value: Num | null; impulse?: Num }[];
  jumps: { name: string; before: Num; after: Num; cause: 'relations' | 'impulse' | 'action' }[];
  bonds: { bond: string; p: Num; q: Num }[]; // impulses on bonds
  relations: { text: string; numbers: string }[];
  more_relations: number;
  energy: Energy[];
  committed: boolean;
  strained: boolean; // an ideal connection would have to carry something without limit
  strains: string[]; // closed junctions d1 and d2 would carry unlimited flow between v1 and v2
  begins_over: boolean; // moving together came round: from here on one automaton moves at a time
  shared: string[]; // columns that only the parasitics of junctions decide
}

export interface Energy {
  name: string;
  kind: 'store' | 'source' | 'resistor' | 'switch';
  amount: Num; // store: change; source: delivered; resistor, switch: dissipated
  before?: Num;
  after?: Num;
}

export interface Instant {
  t: Num;
  causes: string[];
  steps: Step[];
  unfinished: Move[]; // into a mode that has no values: the run ended
  energy: Energy[];
  stored_before: Num;
  stored_after: Num;
  balance: Num;
}

export interface Audit {
  stored_start: Num;
  stored_end: Num;
  delivered: Num;
  dissipated: Num;
  dissipated_by_switching: Num;
  residual: Num;
  entries: { name: string; kind: 'store' | 'source' | 'resistor' | 'switch'; flowing: Num; jumping: Num }[];
}

// The bond graph, drawn for each mode that was visited, all in one layout. The SVG's classes and
// data attributes are those of src/show/draw/draw.hpp; its colours are CSS variables with defaults, so
// that a shadow root can give it the page's theme.
export interface Graph {
  // json: { states: number[] (by automaton); svg: string }[]; empty if the graph is too large to
  // be drawn, and then there are no bonds either
  modes: Packed;
  more_modes: number; // visited, but not drawn
  bonds: {
    name: string; // data-bond
    e: Packed; // f32, by sampled row
    f: Packed;
    impulses?: { rows: Packed; p: Packed; q: Packed }; // u32 rows of Rows; f64
  }[];
  // u32: the rows at which e and f were taken, ascending. Every row of an event is one, unless
  // those alone are too many; of many others, every second, fourth, … is.
  rows: Packed;
}

// Coordinates are numbers, or columns by index (hidden or shown).
export type Coordinate = number | { column: number };

export interface Shape {
  kind: 'circle' | 'box' | 'line';
  name: string;
  fill?: string; // a name of Okabe and Ito's colours: black orange sky green yellow blue vermilion purple grey
  label?: string;
  x: Coordinate; // circle, box: the centre; line: one end
  y: Coordinate;
  x2?: Coordinate; // line: the other end
  y2?: Coordinate;
  radius?: Coordinate;
  width?: Coordinate;
  height?: Coordinate;
  angle?: Coordinate; // radians
  visible?: Coordinate; // hidden while 0 or absent
}
