// Parameters as sliders: their ranges, what they say to a run, and how they get into the source.

import { toNumber } from '../data/unpack';
import type { Parameter } from '../data/view';
import { lineStarts, offsetOf } from '../editor/places';
import { outline } from '../editor/outline';
import { expressionEnd, scan, words, type Token } from '../editor/scan';
import { keywords } from '../editor/words';

export interface Range {
  min: number;
  max: number;
  step: number;
}

// 1, 2 or 5 times a power of ten, not above `size`.
function roundStep(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size));
  const lead = size / power;
  return tidy((lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power);
}

// Without the noise of the last bits: 0.30000000000000004 is 0.3.
export function tidy(value: number): number {
  return Number(value.toPrecision(12));
}

// From nothing to twice the default, in some 200 steps; whole numbers where it counts something.
export function defaultRange(value: number, whole = false): Range {
  if (!Number.isFinite(value)) return { min: -1, max: 1, step: 0.01 };
  if (whole && Number.isInteger(value)) return { min: Math.min(0, 2 * value), max: Math.max(2 * value, 2), step: 1 };
  if (value === 0) return { min: -1, max: 1, step: 0.01 };
  const [min, max] = value > 0 ? [0, 2 * value] : [2 * value, 0];
  return { min: tidy(min), max: tidy(max), step: roundStep(Math.abs(value) / 100) };
}

export function rangeProblem({ min, max, step }: Range): string | null {
  if (![min, max, step].every(Number.isFinite)) return 'min, max and step are numbers';
  if (min >= max) return 'min lies below max';
  if (step <= 0 || step > max - min) return 'step is positive and fits between min and max';
  return null;
}

// A number as the language writes it, or what is wrong.
export function readNumber(text: string): number | string {
  const typed = text.trim().replace(/^−/, '-');
  if (typed === '') return 'a number is missing';
  if (typed.includes(',')) return 'no commas: the point is the decimal sign';
  if (/^[-+]?0[xob]/i.test(typed)) return 'digits, point and e only';
  if (/^[-+]?(?:\.\d+|\d+\.(?:e.*)?)$/i.test(typed)) return 'digits stand on both sides of the point';
  if (!/^[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i.test(typed)) return 'not a number';
  const value = Number(typed);
  if (!Number.isFinite(value) || (value === 0 && /[1-9]/.test(typed.split(/e/i)[0]!))) return 'out of the range of numbers';
  return value;
}

// A range that holds the value as well, for what was typed.
export function widened(range: Range, value: number): Range {
  return { ...range, min: Math.min(range.min, value), max: Math.max(range.max, value) };
}

// The names that have to be whole: those that bound a loop or pick an item, and what these are
// counted from.
export function counting(text: string): Set<string> {
  const out = new Set<string>();
  const all = words(text);
  const take = (from: number, ends: string[]) => {
    for (let i = from; i < all.length && !ends.includes(all[i]!.text); ++i) if (all[i]!.kind === 'name') out.add(all[i]!.text);
  };
  for (let i = 1; i < all.length; ++i) {
    if (all[i]!.text === 'in' && all[i - 2]?.text === 'for') take(i + 1, ['{', ')']);
    if (all[i]!.text === '[' && all[i - 1]!.kind === 'name' && !keywords.has(all[i - 1]!.text)) take(i + 1, [']']);
  }
  const defaults = parameterDefaults(text);
  for (const name of out) {
    const value = words(defaults.get(name) ?? '');
    if (value.every(isCount)) for (const token of value) if (token.kind === 'name') out.add(token.text);
  }
  return out;
}

const isCount = ({ kind, text }: Token) => kind === 'name' || /^(?:\d+|[-+*()])$/.test(text);

function parameterDefaults(text: string): Map<string, string> {
  const params = outline(text).definitions.flatMap(({ things }) => things.filter(({ kind }) => kind === 'param'));
  return new Map(params.map(({ name, value }) => [name, value ?? '']));
}

// The parameters that are booleans: a view has them as 0 and 1, but they are set as true and false.
// Judged by what their defaults look like.
export function booleans(text: string): Set<string> {
  const values = parameterDefaults(text);
  const out = new Set<string>();
  for (let found = true; found; ) {
    found = false;
    for (const [name, value] of values) {
      if (out.has(name) || !looksBoolean(value, out)) continue;
      out.add(name);
      found = true;
    }
  }
  return out;
}

const saysTruth = new Set('true false and or not == != < <= > >='.split(' '));

function looksBoolean(value: string, known: Set<string>): boolean {
  const all = words(value);
  const then = all[0]?.text === 'if' ? all.findIndex((token) => token.text === 'then') + 1 : 0;
  let depth = 0;
  for (const token of all.slice(then)) {
    if (token.text === '(' || token.text === '[') depth += 1;
    if (token.text === ')' || token.text === ']') depth -= 1;
    if (depth === 0 && saysTruth.has(token.text)) return true;
    if (token.text === 'else') break;
  }
  return all.length === 1 && known.has(value);
}

// A parameter that is a list has no slider, but its text can be set.
export interface List {
  name: string;
  text: string; // of its default, in one line
}

// Without comments, and one space where there are any.
function oneLine(text: string): string {
  let at = 0;
  let line = '';
  for (const token of words(text)) {
    line += (token.from > at ? ' ' : '') + token.text;
    at = token.to;
  }
  return line.replace(/([[(]) /g, '$1').replace(/ ([\])])/g, '$1').trim();
}

const listThings = (text: string) =>
  outline(text)
    .definitions.filter(({ kind }) => kind === 'model')
    .flatMap(({ things }) => things.filter((thing) => thing.kind === 'param' && /^\[[^]*\]$/.test(thing.value ?? '')));

export const listsOf = (text: string): List[] => listThings(text).map(({ name, value }) => ({ name, text: oneLine(value!) }));

// A list as it is passed on, or what is wrong with it. What stands in it is judged by the run.
export function readList(text: string): { list: string } | string {
  const typed = oneLine(text);
  const counts = (mark: string) => typed.split(mark).length;
  if (!/^\[.*\]$/.test(typed) || counts('[') !== counts(']') || counts('(') !== counts(')')) return 'a list stands in brackets: [1, 2]';
  return { list: typed };
}

export type Value = number | boolean | string; // a string: of a list
export type Settings = Record<string, Value>; // what differs from the defaults

const isDefault = (value: Value, parameter: Parameter) => Number(value) === toNumber(parameter.default);

export function withSetting(settings: Settings, parameter: Parameter, value: Value): Settings {
  const next = { ...settings };
  if (isDefault(value, parameter)) delete next[parameter.name];
  else next[parameter.name] = value;
  return next;
}

export function withList(settings: Settings, { name, text }: List, value: string): Settings {
  const { [name]: before, ...others } = settings;
  return value === text ? others : { ...others, [name]: value };
}

// Those that the model still has, and that still differ.
export function keptSettings(settings: Settings, parameters: Parameter[], lists: List[] = []): Settings {
  const next: Settings = {};
  for (const { name, text } of lists) {
    const value = settings[name];
    if (typeof value === 'string' && value !== text) next[name] = value;
  }
  for (const parameter of parameters) {
    const value = settings[parameter.name];
    if (value !== undefined && !isDefault(value, parameter)) next[parameter.name] = value;
  }
  return next;
}

const isValue = (value: unknown) => typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && typeof readList(value) !== 'string');

export function readSettings(kept: string | null): Settings {
  const read: unknown = JSON.parse(kept ?? '{}');
  if (typeof read !== 'object' || read === null) return {};
  return Object.fromEntries(Object.entries(read).filter(([, value]) => isValue(value))) as Settings;
}

export const settingList = (settings: Settings) => Object.entries(settings).map(([name, value]) => ({ name, value: String(value) }));

export function runName(settings: Settings): string {
  const list = settingList(settings);
  return list.length === 0 ? 'defaults' : list.map(({ name, value }) => `${name} = ${value}`).join(', ');
}

const plainWord = /^[\w./:=+,@%-]+$/;
const quoted = (word: string) => (plainWord.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

export function command(path: string, settings: Settings, until: number | null = null): string {
  const sets = settingList(settings).map(({ name, value }) => `--set ${quoted(`${name}=${value}`)}`);
  if (until !== null) sets.push(`--until ${until}`);
  return ['cradle run', quoted(path.startsWith('-') ? `./${path}` : path), ...sets].join(' ');
}

// What the text says of its parameters, beyond what a check tells.
export interface Known {
  counts: Set<string>;
  truths: Set<string>;
  modals: Set<string>;
  lists: List[];
}

export function knownOf(text: string): Known {
  const modals = outline(text).definitions.flatMap((d) => d.things.filter((t) => t.kind === 'modal').map((t) => t.name));
  return { counts: counting(text), truths: booleans(text), modals: new Set(modals), lists: listsOf(text) };
}

// Whether its value is its default: that of a part may be given where the part is declared, and its
// default is that of all such parts.
export function ownsDefault({ modals }: Pick<Known, 'modals'>, { name }: Parameter): boolean {
  return name.split('.').slice(0, -1).every((part) => modals.has(part));
}

// A number or a truth value as it stands; an expression says more than its value.
const plainValue = /^(?:[-+−]?\s*(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|true|false)$/i;

// The text with `value` as the parameter's default. Null: its default does not stand there, or is an
// expression.
export function writeDefault(text: string, parameter: Parameter, value: Value): string | null {
  if (!parameter.place) return null;
  const starts = lineStarts(text);
  let from = offsetOf(text, starts, parameter.place.line, parameter.place.column);
  // The place may be that of the name.
  const name = parameter.name.split('.').pop()!;
  const [first, second, third] = firstTokens(text, from, 3);
  if (first?.text === name && second?.text === '=') from = third?.from ?? text.length;
  const before = text.slice(0, from).trimEnd();
  if (!before.endsWith('=') && !before.endsWith('(') && !before.endsWith(',')) return null;
  const end = expressionEnd(text, from);
  if (!plainValue.test(text.slice(from, end))) return null;
  return text.slice(0, from) + String(value) + text.slice(end);
}

// The text with these lists as their defaults.
export function writeLists(text: string, settings: Settings): string {
  const things = listThings(text).filter(({ name }) => typeof settings[name] === 'string');
  for (const { name, value, from } of things.reverse()) text = text.slice(0, from) + String(settings[name]) + text.slice(from! + value!.length);
  return text;
}

function firstTokens(text: string, from: number, count: number) {
  const out = [];
  for (const token of scan(text, from)) {
    out.push(token);
    if (out.length === count) break;
  }
  return out;
}

// All of them, from the last place to the first, so that places stay.
export function writeDefaults(text: string, parameters: Parameter[], settings: Settings): { text: string; written: string[]; left: string[] } {
  const placed = parameters.filter((parameter) => parameter.name in settings);
  placed.sort((a, b) => (b.place?.line ?? 0) - (a.place?.line ?? 0) || (b.place?.column ?? 0) - (a.place?.column ?? 0));
  const written: string[] = [];
  const left: string[] = [];
  for (const parameter of placed) {
    const next = writeDefault(text, parameter, settings[parameter.name]!);
    if (next === null) left.push(parameter.name);
    else written.push(parameter.name);
    text = next ?? text;
  }
  return { text, written, left };
}

// The text with an end time in its model; null: there is no model, or it is not complete.
export function withEnd(text: string): string | null {
  const model = outline(text).definitions.find(({ kind }) => kind === 'model');
  if (!model || text[model.to - 1] !== '}') return null;
  const body = text.slice(0, model.to - 1).trimEnd();
  return `${body}\n  until 10\n}${text.slice(model.to)}`;
}
