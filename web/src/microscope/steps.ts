// The rows of one instant, with what is told about them.

import type { Run, RunColumn, RunEvent } from '../data/run';
import { upperBound } from '../data/search';
import type { Instant, Step } from '../data/view';

export interface InstantRow {
  row: number;
  eps: number;
  step: number;
  kind: string;
  told: Step | null;
}

export function rowsOf(run: Run, event: RunEvent, instant: Instant | null): InstantRow[] {
  const told = new Map(instant?.steps.map((step) => [step.row, step]));
  const rows: InstantRow[] = [];
  for (let row = event.first; row <= event.last; ++row) {
    rows.push({ row, eps: run.eps[row], step: run.step[row], kind: run.kind(row), told: told.get(row) ?? null });
  }
  return rows;
}

// A stretch of a long list around what is chosen; all of a short one.
export function windowAround(count: number, chosen: number, most: number): { from: number; to: number } {
  if (count <= most) return { from: 0, to: count };
  const page = Math.floor(most / 2);
  const from = Math.min(Math.max(0, Math.floor(chosen / page) * page - Math.floor(page / 2)), count - most);
  return { from, to: from + most };
}

// By ε-step, in order.
export function groupsOf(rows: InstantRow[]): InstantRow[][] {
  const groups: InstantRow[][] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (last !== undefined && last[0].eps === row.eps) last.push(row);
    else groups.push([row]);
  }
  return groups;
}

export function columnMoves(column: RunColumn, event: RunEvent): boolean {
  const { values } = column;
  for (let row = event.first; row <= event.last; ++row) {
    if (!Object.is(values[row], values[event.first]) || column.impulse(row) !== 0) return true;
  }
  return false;
}

export function automatonMoves(run: Run, automaton: number, event: RunEvent): boolean {
  const { rows } = run.automata[automaton];
  return rows[upperBound(rows, event.first)] <= event.last;
}

// A column of the table: an automaton, or values.
export type Head = { automaton: number } | { column: RunColumn };

// What moves in this instant stands first, what does not behind it.
export function movingFirst(automata: number[], movers: number[], columns: RunColumn[], moving: RunColumn[]): Head[] {
  const heads = (ofAutomata: number[], ofColumns: RunColumn[]): Head[] => [
    ...ofAutomata.map((automaton) => ({ automaton })),
    ...ofColumns.map((column) => ({ column })),
  ];
  const moves = (a: number) => movers.includes(a);
  const changes = (column: RunColumn) => moving.includes(column);
  return [
    ...heads(automata.filter(moves), columns.filter(changes)),
    ...heads(automata.filter((a) => !moves(a)), columns.filter((column) => !changes(column))),
  ];
}
