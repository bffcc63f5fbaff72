// Numbers and instants as people read them.

import type { Run, RunEvent, Value } from './run';
import { toNumber } from './unpack';
import type { Num } from './view';

const withMinus = (text: string) => text.replaceAll('-', '−');

export function short(value: Num, digits = 6): string {
  const number = toNumber(value);
  if (Number.isNaN(number)) return 'nan';
  if (!Number.isFinite(number)) return number > 0 ? '∞' : '−∞';
  if (number === 0) return '0';
  const size = Math.abs(number);
  if (size < 1e-4 || size >= 10 ** digits) {
    return withMinus(number.toExponential(digits - 1).replace(/\.?0+e/, 'e').replace('e+', 'e'));
  }
  const text = number.toPrecision(digits);
  return withMinus(text.includes('.') ? text.replace(/\.?0+$/, '') : text);
}

// All digits, for machines; as JSON has it.
export function exact(value: Num): string {
  const number = toNumber(value);
  if (Number.isNaN(number)) return 'nan';
  if (!Number.isFinite(number)) return number > 0 ? 'inf' : '-inf';
  return String(number);
}

export function valueText(value: Value): string {
  if (value.unknown) return 'unknown';
  if (value.absent) return 'absent';
  if (value.truth) return value.number === 0 ? 'false' : 'true';
  return short(value.number);
}

export const weightText = (weight: number) => `${short(weight)}ω`;

// ⟨1 + 2ε, 0⟩
export function instantText(t: number, eps: number, step: number, digits = 7): string {
  return `⟨${hyperText(t, eps, digits)}, ${step}⟩`;
}
export function hyperText(t: number, eps: number, digits = 7): string {
  const count = Math.abs(eps) === 1 ? '' : String(Math.abs(eps));
  const shift = eps === 0 ? '' : ` ${eps < 0 ? '−' : '+'} ${count}ε`;
  return short(t, digits) + shift;
}
export function rowText(run: Run, row: number): string {
  const event = run.eventAtRow(row);
  return instantText(run.t[row], run.eps[row], run.step[row], event === null ? 7 : eventDigits(run, event));
}

// As many digits as tell its time from that of the events before and after it.
export function eventDigits(run: Run, { index, t }: RunEvent, least = 7): number {
  const others = [run.events[index - 1], run.events[index + 1]].filter((event) => event !== undefined && event.t !== t);
  let digits = least;
  while (digits < 17 && others.some((event) => short(event.t, digits) === short(t, digits))) digits += 1;
  return digits;
}
export const eventTime = (run: Run, event: RunEvent, least = 7) => short(event.t, eventDigits(run, event, least));

const grouped = new Intl.NumberFormat('en');
export const countText = (count: number) => grouped.format(count);

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

// "F13 on, F23 off"; those that fit.
export function modeText(run: Run, row: number, most = 6): string {
  const names = run.automata.slice(0, most).map(({ name }, a) => `${name} ${run.stateName(a, row)}`);
  const more = run.automata.length - names.length;
  return names.join(', ') + (more > 0 ? `, … ${more} more` : '');
}
