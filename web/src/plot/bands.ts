// The states of one automaton between two times, as bands. Those narrower than a pixel become one
// whose state says nothing; states that are passed through in no time are visits.

import type { Run } from '../data/run';
import { lowerBound, upperBound } from '../data/search';

export interface Band {
  from: number;
  to: number;
  state: number; // −1: several, too short to tell apart
}
export interface Visit {
  t: number;
  state: number;
  row: number;
}
export interface Bands {
  bands: Band[];
  visits: Visit[];
}

export function traceBands(run: Run, automaton: number, from: number, to: number, pixels: number): Bands {
  const { rows, state } = run.automata[automaton];
  const out: Bands = { bands: [], visits: [] };
  const width = (to - from) / Math.max(1, pixels);
  const begin = Math.max(0, upperBound(rows, lowerBound(run.t, from)) - 1);
  const end = lowerBound(rows, upperBound(run.t, to));
  const crowded = end - begin > 2 * pixels;
  for (let i = begin; i < end; ) {
    const start = run.t[rows[i]];
    const until = i + 1 < rows.length ? run.t[rows[i + 1]] : run.to;
    if (until === start && i + 1 < rows.length) {
      if (!crowded && start >= from) out.visits.push({ t: start, state: state[i], row: rows[i] });
      i += 1;
      continue;
    }
    const band: Band = { from: Math.max(start, from), to: Math.min(until, to), state: state[i] };
    i += 1;
    if (crowded && band.to - band.from < width) {
      const edge = lowerBound(run.t, band.from + width);
      const next = Math.max(i, lowerBound(rows, edge, i, end));
      if (next > i) band.state = -1;
      band.to = next < rows.length ? Math.min(run.t[rows[next]], to) : to;
      i = next;
    }
    const last = out.bands.at(-1);
    if (last !== undefined && last.state === band.state) last.to = band.to;
    else out.bands.push(band);
  }
  return out;
}
