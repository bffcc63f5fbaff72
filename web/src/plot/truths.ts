// A column that is true or false, as a lane: how long each lasts, and what is said for an instant
// only, as events are (trace_truth in src/show/plot/curve.cpp).

import type { Run, RunColumn } from '../data/run';

export interface TruthBand {
  from: number;
  to: number;
  holds: boolean;
}
export interface TruthMark {
  t: number;
  row: number;
  holds: boolean;
}
export interface TruthLane {
  bands: TruthBand[];
  marks: TruthMark[];
}

export function truthLane(run: Run, column: RunColumn): TruthLane {
  const out: TruthLane = { bands: [], marks: [] };
  const stateAt = (row: number): boolean | null => (Number.isNaN(column.values[row]) ? null : column.values[row] !== 0);
  let before: boolean | null = null; // what time goes on with
  let since = 0; // the row that said so
  const told = () => {
    const last = out.bands.at(-1);
    return last !== undefined && last.to === run.t[since] && last.holds === before;
  };
  const leave = () => {
    if (before !== null && !told()) out.marks.push({ t: run.t[since], row: since, holds: before });
    before = null;
  };
  for (let first = 0; first < run.count; ) {
    let last = first;
    while (last + 1 < run.count && run.t[last + 1] === run.t[first]) last += 1;
    const [left, right] = [stateAt(first), stateAt(last)];
    if (left === null) {
      leave();
    } else if (before !== null) {
      if (told()) out.bands.at(-1)!.to = run.t[first];
      else out.bands.push({ from: run.t[since], to: run.t[first], holds: before });
    }
    let shown = left;
    for (let row = first; row < last; ++row) {
      const now = stateAt(row);
      if (now === shown || run.tried(row)) continue;
      shown = now;
      if (now !== null && now !== left && now !== right) out.marks.push({ t: run.t[row], row, holds: now });
    }
    [before, since] = [right, last];
    first = last + 1;
  }
  leave();
  return out;
}
