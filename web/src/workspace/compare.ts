// How run B differs from run A: what they end with, their events, their energy.

import type { Run, Value } from '../data/run';
import { toNumber } from '../data/unpack';
import type { Num } from '../data/view';

export interface Difference {
  name: string;
  a: Value | null; // null: that run does not have it
  b: Value | null;
}

export interface Differences {
  finals: Difference[];
  events: Difference[]; // how many, and the first times
  energy: Difference[];
  moreEvents: number;
}

// Whether they show anything of the same name.
export function comparable(a: Run, b: Run): boolean {
  const names = new Set(a.shown.map((column) => column.name));
  return b.shown.some((column) => names.has(column.name)) || a.view.model === b.view.model;
}

const kEvents = 12;

export const plain = (number: number): Value => ({ number, impulse: 0, absent: false, unknown: false, truth: false, between: false });

function finals(run: Run): Map<string, Value> {
  const out = new Map<string, Value>([['t', plain(run.to)]]);
  for (const column of run.shown) if (run.count > 0) out.set(column.name, column.at(run.count - 1));
  return out;
}

function events(run: Run): Map<string, Value> {
  const out = new Map<string, Value>([['events', plain(run.events.length)]]);
  run.events.slice(0, kEvents).forEach((event, i) => out.set(`t of event ${i + 1}`, plain(event.t)));
  return out;
}

function energy(run: Run): Map<string, Value> {
  const { audit } = run.view;
  if (!audit) return new Map();
  const number = (value: Num) => plain(toNumber(value));
  return new Map([
    ['stored at the start', number(audit.stored_start)],
    ['stored at the end', number(audit.stored_end)],
    ['delivered by sources', number(audit.delivered)],
    ['dissipated', number(audit.dissipated)],
    ['dissipated by switching', number(audit.dissipated_by_switching)],
  ]);
}

function side(a: Map<string, Value>, b: Map<string, Value>): Difference[] {
  const names = [...b.keys(), ...[...a.keys()].filter((name) => !b.has(name))];
  return names.map((name) => ({ name, a: a.get(name) ?? null, b: b.get(name) ?? null }));
}

export function differences(a: Run, b: Run): Differences {
  return {
    finals: side(finals(a), finals(b)),
    events: side(events(a), events(b)),
    energy: side(energy(a), energy(b)),
    moreEvents: Math.max(0, Math.max(a.events.length, b.events.length) - kEvents),
  };
}

const isPlain = (value: Value | null): value is Value => value !== null && !value.absent && !value.unknown;

// B − A; null where one of them has no number.
export function change({ a, b }: Difference): number | null {
  if (!isPlain(a) || !isPlain(b)) return null;
  return a.number === b.number ? 0 : b.number - a.number;
}

export const differs = (difference: Difference) => {
  const { a, b } = difference;
  if (!isPlain(a) || !isPlain(b)) return a?.absent !== b?.absent || a?.unknown !== b?.unknown || a === null || b === null;
  return a.number !== b.number && !(Number.isNaN(a.number) && Number.isNaN(b.number));
};
