// What can be written at a place of the text. Pure: the editor hands in the text and what the
// server knows, and gets offers.

import { outline, type Definition, type Outline, type Thing } from './outline';
import { scan, words, type Token } from './scan';
import { componentItems, constants, definitions, elements, elementTypes, fills, functions, items, junctions, keywords, shapes, type Offer } from './words';

export interface Knowledge {
  names: { name: string; kind: string }[]; // of the last check that knew any
  library: { name: string; text: string }[];
  imported: { name: string; text: string }[]; // files of the folder
  files: string[]; // that can be imported, as an import writes them
}

export interface Choice {
  label: string;
  kind: string; // keyword, element, function, name, state, component, file
  detail?: string;
  about?: string;
  snippet?: string; // else the label itself is inserted
  import?: string; // a file that has to be imported with it
}

export interface Choices {
  from: number; // where what is being typed begins
  options: Choice[];
}

type Where =
  | { at: 'nowhere' | 'item' | 'expression' | 'bond' | 'definition' | 'continuation' | 'colour' | 'clause' | 'file' }
  | { at: 'member'; path: string }
  | { at: 'argument'; type: string } // of an element or a component, where one begins
  | { at: 'state'; owner: Thing | null; start: boolean };

const wordBefore = /[\p{L}_µ][\p{L}\d_₀-₉]*$/u;
const pathBefore = /(?:[\p{L}_µ][\p{L}\d_₀-₉]*(?:\[[^\]]*\])*\.)+$/u;

export function choicesAt(text: string, pos: number, knowledge: Knowledge): Choices | null {
  const before = text.slice(0, pos);
  const scanned = [...scan(before)];
  const inside = scanned.filter((token) => token.to === pos).pop();
  if (inside?.kind === 'comment' && !inside.text.endsWith('*/')) return null;
  const all = scanned.filter((token) => token.kind !== 'comment');
  if (inside?.kind === 'string' && !/^".*"$/.test(inside.text)) {
    const file = all[all.length - 2]?.text === 'import';
    return file ? { from: inside.from + 1, options: fileChoices(knowledge) } : null;
  }
  if (inside?.kind === 'number') return null;
  const from = pos - (wordBefore.exec(before)?.[0].length ?? 0);
  const head = before.slice(0, from);
  const whole = outline(text);
  const where = whereAt(head, outline(head), whole);
  const options = offersAt(where, head, whole, knowledge);
  return options.length > 0 ? { from, options } : null;
}

// Words behind which a new name is made up.
const declaring = new Set('param port input output model component block modal mode for circle box line'.split(' '));
const openers = new Set(['{', '}', ';', '']);
const operand = (token: Token) => token.kind === 'number' || token.kind === 'string' || token.text === ')' || token.text === ']' || (token.kind === 'name' && !keywords.has(token.text)) || token.text === 'true' || token.text === 'false';

export function whereAt(head: string, upTo: Outline, whole: Outline): Where {
  const path = pathBefore.exec(head);
  if (path) return { at: 'member', path: path[0] };
  const before = words(head);
  const last = before[before.length - 1];
  const lastButOne = before[before.length - 2];
  const word = last?.text ?? '';
  const fresh = !last || head.slice(last.to).includes('\n'); // on a new line
  const { scope } = upTo;
  if (word === '.') return { at: 'nowhere' };
  if (scope.kind === 'file') return fresh || openers.has(word) ? { at: 'definition' } : { at: 'nowhere' };
  if (word === 'initially') return { at: 'state', owner: ownerNamed(whole, lastButOne?.text ?? ''), start: false };
  if (word === 'after') return { at: 'clause' };
  if (upTo.depth > 0) {
    const type = declaredWith(before, head);
    if (type) return { at: 'argument', type };
    return { at: word && operand(last!) ? 'continuation' : 'expression' };
  }
  const starts = openers.has(word) || (fresh && operand(last!)) || (fresh && word === 'eps');
  if (scope.kind === 'automaton' || scope.kind === 'modal') {
    const owner = ownerNamed(whole, scope.owner?.name ?? '') ?? scope.owner;
    if (starts) return { at: 'state', owner, start: true };
    if (word === '->') return { at: 'state', owner, start: false };
    if (lastButOne?.text === '->' && last!.kind === 'name') return { at: 'clause' };
    if (word === 'active' || word === 'inactive' || word === 'mode') return { at: 'nowhere' };
  }
  if (starts) return { at: 'item' };
  if (declaring.has(word)) return { at: 'nowhere' };
  if (word === 'fill' && scope.kind === 'animate') return { at: 'colour' };
  if (declares(last!, lastButOne, head)) return { at: 'nowhere' };
  if (word === '->') return { at: 'bond' };
  return { at: operand(last!) ? 'continuation' : 'expression' };
}

// A type at the start of an item: `I `, `Diode `, `0 `, `0/E `.
function declares(last: Token, before: Token | undefined, head: string): boolean {
  const starts = !before || openers.has(before.text) || head.slice(before.to, last.from).includes('\n');
  if (starts) return elementTypes.has(last.text) || last.text === '0' || last.text === '1';
  return before.text === '/' && /^[EF]$/.test(last.text);
}

const opening: Record<string, string> = { ')': '(', ']': '[' };

// Where a bracket that closes at `at` was opened; `at` where none closes there.
function openedAt(tokens: Token[], at: number): number {
  if (!(tokens[at]!.text in opening)) return at;
  let depth = 0;
  for (let i = at; i >= 0; --i) {
    if (tokens[i]!.text in opening) depth += 1;
    else if (Object.values(opening).includes(tokens[i]!.text)) depth -= 1;
    if (depth === 0) return i;
  }
  return 0;
}

// The type of the declaration in whose parentheses an argument begins: `Diode d1(`, `I m[2](1), k(2, `.
function declaredWith(before: Token[], head: string): string | null {
  const last = before[before.length - 1]!;
  if (last.text !== '(' && last.text !== ',') return null;
  let open = before.length - 1;
  while (open >= 0 && before[open]!.text !== '(' && before[open]!.text !== '[') open = openedAt(before, open) - 1;
  if (before[open]?.text !== '(') return null;
  for (let i = open - 1; i > 0; i = openedAt(before, i) - 1) {
    const [type, token] = [before[i - 1]!, before[i]!];
    if (token.kind === 'symbol' && !/^[,\])]$/.test(token.text)) return null;
    const pair = [type, token].every((one) => one.kind === 'name' && !keywords.has(one.text));
    if (pair && !head.slice(type.to, token.from).includes('\n')) return type.text;
  }
  return null;
}

function ownerNamed(whole: Outline, name: string): Thing | null {
  for (const definition of whole.definitions) {
    const found = definition.things.find((thing) => thing.name === name && thing.states);
    if (found) return found;
  }
  return null;
}

function offersAt(where: Where, head: string, whole: Outline, knowledge: Knowledge): Choice[] {
  const own = whole.definitions.find((d) => d.from < head.length && head.length <= d.to);
  const things = own?.things ?? [];
  const word = (label: string, detail = ''): Choice => ({ label, kind: 'keyword', ...(detail ? { detail } : {}) });
  switch (where.at) {
    case 'definition':
      return definitions.map((offer) => choice(offer, 'keyword'));
    case 'member':
      return members(where.path, whole, own, knowledge);
    case 'state':
      return stateChoices(where.owner, where.start);
    case 'clause':
      if (/after\s*$/.test(head)) return [word('eps')];
      return [word('when'), { label: 'after eps when', kind: 'keyword', detail: 'physical: when time has moved on' }, word('priority')].concat(
        ownerIsModal(head) ? ['history', 'default', 'preemptive', 'immediate'].map((w) => word(w)) : [],
      );
    case 'colour':
      return fills.map((name) => word(name));
    case 'continuation':
      return ['and', 'or', 'then', 'else', 'when', 'for', 'in', 'initially'].map((w) => word(w));
    case 'item':
      return itemChoices(head, own, things, whole, knowledge);
    case 'bond':
      return nameChoices(things.filter((thing) => thing.kind !== 'param' && thing.kind !== 'signal'));
    case 'argument':
      return [...argumentChoices(where.type, whole, knowledge), ...expressionChoices(things, knowledge)];
    case 'expression':
      return expressionChoices(things, knowledge);
    default:
      return [];
  }
}

const ownerIsModal = (head: string) => outline(head).scope.kind === 'modal';

const choice = (offer: Offer, kind: string): Choice => ({
  label: offer.label,
  kind,
  detail: offer.detail,
  ...(offer.about ? { about: offer.about } : {}),
  snippet: offer.snippet,
});

function nameChoices(things: Thing[]): Choice[] {
  const out = new Map<string, Choice>();
  for (const thing of things) {
    const detail = thing.kind === 'instance' ? thing.type! : (kindWords[thing.kind] ?? thing.kind);
    if (!out.has(thing.name)) out.set(thing.name, { label: thing.name, kind: 'name', detail });
  }
  return [...out.values()];
}

const kindWords: Record<string, string> = { '0': '0-junction', '1': '1-junction', param: 'parameter' };

function stateChoices(owner: Thing | null, start: boolean): Choice[] {
  const states = owner?.states?.length ? owner.states : owner?.kind === 'modal' ? [] : ['on', 'off'];
  const out: Choice[] = states.map((label) => ({ label, kind: 'state', detail: owner?.kind === 'modal' ? 'mode' : 'state' }));
  if (!start) return out;
  if (owner?.kind === 'modal') {
    out.push({ label: 'mode', kind: 'keyword', detail: 'mode name { … }', snippet: 'mode ${name} {\n\t${}\n}' });
    out.push({ label: 'final mode', kind: 'keyword', detail: 'nothing moves any more', snippet: 'final mode ${name} {}' });
    out.push({ label: 'param', kind: 'keyword', detail: 'param name = value', snippet: 'param ${name} = ${1}' });
  } else {
    out.push({ label: 'active', kind: 'keyword', detail: 'states in which it is active' });
    out.push({ label: 'inactive', kind: 'keyword', detail: 'states in which it is not' });
  }
  const [from, to] = states.length > 1 ? states : ['off', 'on'];
  out.push({ label: 'transition', kind: 'keyword', detail: 'from -> to when guard', snippet: `\${${from}} -> \${${to}} when \${guard}` });
  return out;
}

function itemChoices(head: string, own: Definition | undefined, things: Thing[], whole: Outline, knowledge: Knowledge): Choice[] {
  const scope = outline(head).scope.kind;
  if (scope === 'animate') return shapes.map((offer) => choice(offer, 'keyword'));
  if (scope === 'actions') {
    return [
      { label: 'set', kind: 'keyword', detail: 'set x = expression', snippet: 'set ${x} = ${value}' },
      { label: 'output', kind: 'keyword', detail: 'output y = expression', snippet: 'output ${y} = ${value}' },
    ];
  }
  const inPart = own && own.kind !== 'model';
  const kept = inPart ? [...items.filter((item) => item.label !== 'until' && item.label !== 'show' && item.label !== 'animate'), ...componentItems] : items;
  return [
    ...elements.map((offer) => choice(offer, 'element')),
    ...junctions.map((offer) => choice(offer, 'element')),
    ...kept.map((offer) => choice(offer, 'keyword')),
    ...componentChoices(own, whole, knowledge),
    ...nameChoices(things.filter((thing) => thing.kind !== 'param' && thing.kind !== 'signal')),
  ];
}

function expressionChoices(things: Thing[], knowledge: Knowledge): Choice[] {
  const out = new Map(nameChoices(things).map((option) => [option.label, option]));
  for (const { name, kind } of knowledge.names) {
    if (!out.has(name)) out.set(name, { label: name, kind: 'name', detail: kind });
  }
  return [
    ...out.values(),
    ...functions.map((offer) => choice(offer, 'function')),
    ...constants.map(([label, about]): Choice => ({ label, kind: 'constant', ...(about ? { detail: about } : {}) })),
    { label: 'if', kind: 'keyword', detail: 'if c then a else b', snippet: 'if ${condition} then ${a} else ${b}' },
    { label: 'not', kind: 'keyword' },
    { label: 'law', kind: 'keyword', detail: 'law(p) = expression', snippet: 'law(${f}) = ${expression}' },
  ];
}

// By name; what stands alone is the next parameter.
function argumentChoices(type: string, whole: Outline, knowledge: Knowledge): Choice[] {
  const start = (label: string): Choice => ({ label, kind: 'argument', detail: `${label} = …, at the start`, snippet: `${label} = \${0}` });
  if (type === 'I') return ['p', 'f'].map(start);
  if (type === 'C') return ['q', 'e'].map(start);
  const given = findDefinition(type, whole, knowledge)?.things.filter(isGiven) ?? [];
  return given.map(({ name, kind, value }) => ({
    label: name,
    kind: 'argument',
    detail: `${kindWords[kind] ?? kind}${value ? `, else ${value}` : ''}`,
    snippet: `${name} = \${${value && isPlain(value) ? value : 'value'}}`,
  }));
}

const isGiven = ({ kind }: Thing) => kind === 'param' || kind === 'input';
const isPlain = (value: string) => /^[^{}$\\]*$/.test(value);

function componentChoices(own: Definition | undefined, whole: Outline, knowledge: Knowledge): Choice[] {
  const out: Choice[] = [];
  for (const definition of whole.definitions) {
    if (definition.kind !== 'model' && definition !== own) out.push(componentChoice(definition));
  }
  const offer = (file: Knowledge['library'][number], more: Partial<Choice>) => {
    for (const definition of outline(file.text).definitions) {
      if (definition.kind !== 'model') out.push({ ...componentChoice(definition), about: `from ${file.name}`, ...more });
    }
  };
  for (const file of knowledge.imported) offer(file, {});
  for (const file of knowledge.library) offer(file, { import: file.name });
  return out;
}

function componentChoice(definition: Definition): Choice {
  const given = definition.things.filter(isGiven);
  const shown = given.map((thing) => (thing.value ? `${thing.name} = ${thing.value}` : thing.name)).join(', ');
  // What has no default, and the first parameters.
  const filled = given.filter((thing, i) => !thing.value || (thing.kind === 'param' && i < 3 && isPlain(thing.value)));
  const fields = filled.map((thing) => `${thing.name} = \${${thing.value ?? thing.name}}`).join(', ');
  return {
    label: definition.name,
    kind: 'component',
    detail: `${definition.name} name(${shown})`,
    snippet: `${definition.name} \${name}${fields ? `(${fields})` : ''}`,
  };
}

function fileChoices(knowledge: Knowledge): Choice[] {
  return [...knowledge.library.map((file) => file.name), ...knowledge.files].map((label) => ({ label, kind: 'file' }));
}

// Any index stands for any other: body[i].p is offered if body[1].p is known.
const anyIndex = (path: string) => path.replace(/\[[^\]]*\]/g, '[]');

function members(path: string, whole: Outline, own: Definition | undefined, knowledge: Knowledge): Choice[] {
  const out = new Map<string, Choice>();
  const prefix = anyIndex(path);
  for (const { name, kind } of knowledge.names) {
    const flat = anyIndex(name);
    if (!flat.startsWith(prefix)) continue;
    const rest = flat.slice(prefix.length);
    const label = rest.split(/[.[]/)[0]!;
    if (label && !out.has(label)) out.set(label, { label, kind: 'name', detail: rest === label ? kind : '' });
  }
  for (const option of declaredMembers(prefix.split('.').slice(0, -1), whole, own, knowledge)) {
    if (!out.has(option.label)) out.set(option.label, option);
  }
  return [...out.values()];
}

const power: [string, string][] = [
  ['e', 'effort'],
  ['f', 'flow'],
  ['p', 'integral of the effort'],
  ['q', 'integral of the flow'],
];
const named = (pairs: [string, string][]): Choice[] => pairs.map(([label, detail]) => ({ label, kind: 'name', detail }));

function declaredMembers(path: string[], whole: Outline, own: Definition | undefined, knowledge: Knowledge): Choice[] {
  let definition = own;
  for (let i = 0; i < path.length; ++i) {
    const name = path[i]!.replace('[]', '');
    const thing = definition?.things.find((t) => t.name === name);
    if (!thing) return [];
    const last = i + 1 === path.length;
    if (thing.kind === 'instance') {
      definition = findDefinition(thing.type!, whole, knowledge);
      if (last) return nameChoices(definition?.things ?? []);
    } else if (thing.kind === 'TF' || thing.kind === 'GY') {
      if (last) return named([['in', 'the bond that points in'], ['out', 'the bond that points out']]);
      return i + 2 === path.length ? named(power) : [];
    } else {
      return last ? membersOf(thing) : [];
    }
  }
  return [];
}

function membersOf(thing: Thing): Choice[] {
  const states = (thing.states ?? []).map((label): Choice => ({ label, kind: 'state', detail: 'a boolean' }));
  if (thing.kind === 'modal') return states;
  if (thing.kind === '0' || thing.kind === '1') {
    const shared = thing.kind === '0' ? [power[0]!, power[2]!] : [power[1]!, power[3]!];
    return [...named(shared), ...(thing.states ? [{ label: 'active', kind: 'state', detail: 'a boolean' }, ...states] : [])];
  }
  return elementTypes.has(thing.kind) || thing.kind === 'bond' || thing.kind === 'port' ? named(power) : [];
}

function findDefinition(name: string, whole: Outline, knowledge: Knowledge): Definition | undefined {
  const here = whole.definitions.find((d) => d.name === name);
  if (here) return here;
  for (const file of [...knowledge.imported, ...knowledge.library]) {
    const found = outline(file.text).definitions.find((d) => d.name === name);
    if (found) return found;
  }
  return undefined;
}

// As CodeMirror writes snippets: fields are numbered, and a bare number is not one of them but a
// value to begin with.
export function numberedFields(snippet: string): string {
  const named = new Map<string, number>();
  let count = 0;
  return snippet.replace(/\$\{([^{}]*)\}/g, (field, text: string) => {
    if (text === '') return field;
    const number = named.get(text) ?? ++count;
    if (/^[\p{L}_]/u.test(text)) named.set(text, number);
    return `\${${number}:${text}}`;
  });
}

// The files that a text imports, as it writes them.
export function importsOf(text: string): string[] {
  const all = words(text);
  const out: string[] = [];
  for (let i = 0; i + 1 < all.length && all[i]!.text === 'import'; i += 2) {
    if (all[i + 1]!.kind === 'string') out.push(all[i + 1]!.text.slice(1, -1));
  }
  return out;
}

// Where an import has to be written so that `file` is imported; null if it is.
export function importEdit(text: string, file: string): { at: number; insert: string } | null {
  const all = words(text);
  let last: Token | null = null;
  for (let i = 0; i + 1 < all.length && all[i]!.text === 'import'; i += 2) {
    last = all[i + 1]!;
    if (last.text === `"${file}"`) return null;
  }
  if (last) return { at: last.to, insert: `\nimport "${file}"` };
  return { at: all[0]?.from ?? text.length, insert: `import "${file}"\n\n` };
}
