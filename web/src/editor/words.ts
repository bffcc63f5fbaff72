// The words of the language (docs/language.md): what the editor offers.

import { kElements, kWords } from '../source/tokens';

// Reserved: no name, except behind a point.
export const keywords = new Set([...kWords, 'animate', 'true', 'false']);
export const elementTypes = new Set(kElements);

export const constants: [name: string, about: string][] = [
  ['time', 'real time'],
  ['pi', '3.14159…'],
  ['inf', 'without bound'],
  ['omega', '1/ε, the unit of impulses: 2 * omega is an impulse of weight 2'],
  ['absent', 'no value at all'],
  ['true', ''],
  ['false', ''],
];

// A snippet has fields ${…}, visited in order; those of the same name are filled together.
export interface Offer {
  label: string;
  detail: string; // how it is written, or what it is
  about: string;
  snippet: string;
}

const offer = (label: string, detail: string, about: string, snippet: string): Offer => ({ label, detail, about, snippet });

export const elements: Offer[] = [
  offer('I', 'I name(m, p = …)', 'Inertia, inductor: f = p / m. Starts with p or f. Any law: law(p) = …', 'I ${name}(${mass})'),
  offer('C', 'C name(c, q = …)', 'Capacitor, spring: e = q / c. Starts with q or e. Any law: law(q) = …', 'C ${name}(${capacitance})'),
  offer('R', 'R name(r)', 'Resistor, friction: e = r · f. Any law: law(f) = … or law(e) = …', 'R ${name}(${resistance})'),
  offer('Se', 'Se name = expression', 'Source of effort.', 'Se ${name} = ${effort}'),
  offer('Sf', 'Sf name = expression', 'Source of flow.', 'Sf ${name} = ${flow}'),
  offer('TF', 'TF name(n)', 'Transformer: e₁ = n · e₂, f₂ = n · f₁. One bond points in, one out.', 'TF ${name}(${ratio})'),
  offer('GY', 'GY name(r)', 'Gyrator: e₁ = r · f₂, e₂ = r · f₁. One bond points in, one out.', 'GY ${name}(${ratio})'),
];

export const junctions: Offer[] = [
  offer('0', '0 name', '0-junction: one effort, flows sum to zero.', '0 ${name}'),
  offer('1', '1 name', '1-junction: one flow, efforts sum to zero.', '1 ${name}'),
  offer(
    '0 initially',
    '0/E name initially off { … }',
    'Controlled junction: its automaton decides whether it is active.',
    '0 ${name} initially ${off} {\n\toff -> on when ${guard_on}\n\ton -> off when ${guard_off}\n}',
  ),
  offer(
    '1 initially',
    '1/F name initially off { … }',
    'Controlled junction: its automaton decides whether it is active.',
    '1 ${name} initially ${off} {\n\toff -> on when ${guard_on}\n\ton -> off when ${guard_off}\n}',
  ),
];

// What can begin an item of a model.
export const items: Offer[] = [
  offer('param', 'param name = value', 'A number that --set and the sliders change.', 'param ${name} = ${1}'),
  offer('require', 'require condition, "message"', 'Stops if a condition over parameters is false.', 'require ${condition}, "${message}"'),
  offer('for', 'for i in 1..N { … }', 'Repeats its items.', 'for ${i} in ${1}..${N} {\n\t${}\n}'),
  offer('if', 'if condition { … }', 'Keeps or drops items by a condition over parameters.', 'if ${condition} {\n\t${}\n}'),
  offer('when', 'when event { … }', 'What is defined in it is present only then.', 'when ${event} {\n\t${}\n}'),
  offer(
    'modal',
    'modal name initially mode { … }',
    'A modal model: in one of its modes at a time.',
    'modal ${name} initially ${first} {\n\tmode ${first} {\n\t\t${}\n\t}\n\tmode ${second} {\n\t}\n\t${first} -> ${second} when ${guard}\n}',
  ),
  offer('until', 'until time', 'When the run ends.', 'until ${10}'),
  offer('show', 'show signal, …', 'What the run shows.', 'show ${signal}'),
  offer('priority', 'priority A > B', 'Whose transitions come first at one instant.', 'priority ${A} > ${B}'),
  offer('animate', 'animate { … }', 'What to draw of a run.', 'animate {\n\tcircle ${name} at (${x}, ${y}) radius ${1}\n}'),
];
export const componentItems: Offer[] = [
  offer('port', 'port a, b', 'A power port, where one bond from outside meets one from inside.', 'port ${a}'),
  offer('input', 'input name = default', 'A signal that comes from outside.', 'input ${name}'),
  offer('output', 'output name = expression', 'A signal that can be read outside.', 'output ${name} = ${value}'),
];
export const definitions: Offer[] = [
  offer('model', 'model Name { … }', 'What runs.', 'model ${Name} {\n\t${}\n\tuntil ${10}\n}'),
  offer('component', 'component Name { … }', 'A part with power ports.', 'component ${Name} {\n\tport ${a}, ${b}\n\t${}\n}'),
  offer('block', 'block Name { … }', 'A part without power ports.', 'block ${Name} {\n\tinput ${u}\n\toutput ${y} = ${value}\n}'),
  offer('import', 'import "file"', 'The components of another file.', 'import "${std/diode.cradle}"'),
];
export const shapes: Offer[] = [
  offer('circle', 'circle name at (x, y) radius r', 'Also fill, label, when.', 'circle ${name} at (${x}, ${y}) radius ${1}'),
  offer('box', 'box name at (x, y) size (w, h)', 'Also angle, fill, label, when.', 'box ${name} at (${x}, ${y}) size (${1}, ${1})'),
  offer('line', 'line name from (x, y) to (x, y)', 'Also fill, label, when.', 'line ${name} from (${0}, ${0}) to (${x}, ${y})'),
  items.find((item) => item.label === 'for')!,
  items.find((item) => item.label === 'if')!,
];
export const fills = 'black orange sky green yellow blue vermilion purple grey'.split(' ');

const call = (name: string, args: string, about: string): Offer =>
  offer(
    name,
    `${name}(${args})`,
    about,
    `${name}(${args
      .split(/[,[]/)[0]!
      .trim()
      .replace(/^(.+)$/, '${$1}')})`,
  );

export const functions: Offer[] = [
  call('sin', 'x', ''),
  call('cos', 'x', ''),
  call('tan', 'x', ''),
  call('asin', 'x', ''),
  call('acos', 'x', ''),
  call('atan', 'x', ''),
  offer('atan2', 'atan2(y, x)', 'The angle of the point (x, y).', 'atan2(${y}, ${x})'),
  call('sinh', 'x', ''),
  call('cosh', 'x', ''),
  call('tanh', 'x', ''),
  call('exp', 'x', ''),
  call('log', 'x', 'Natural logarithm.'),
  call('log10', 'x', ''),
  call('sqrt', 'x', ''),
  offer('pow', 'pow(base, exponent)', 'Also base^exponent.', 'pow(${base}, ${exponent})'),
  offer('hypot', 'hypot(x, y)', '', 'hypot(${x}, ${y})'),
  call('abs', 'x', ''),
  call('sign', 'x', ''),
  call('floor', 'x', ''),
  call('ceil', 'x', ''),
  offer('mod', 'mod(x, divisor)', '', 'mod(${x}, ${divisor})'),
  offer('min', 'min(a, b, …)', 'Of two or more, of a list, or min(x[i] for i in 1..N).', 'min(${a}, ${b})'),
  offer('max', 'max(a, b, …)', 'Of two or more, of a list, or max(x[i] for i in 1..N).', 'max(${a}, ${b})'),
  offer('sum', 'sum(x[i] for i in 1..N)', 'Or of a list.', 'sum(${x[i]} for ${i} in ${1}..${N})'),
  offer('product', 'product(x[i] for i in 1..N)', 'Or of a list.', 'product(${x[i]} for ${i} in ${1}..${N})'),
  offer('any', 'any(b[i] for i in 1..N)', 'Or of a list.', 'any(${b[i]} for ${i} in ${1}..${N})'),
  offer('all', 'all(b[i] for i in 1..N)', 'Or of a list.', 'all(${b[i]} for ${i} in ${1}..${N})'),
  call('length', 'list', 'How many items.'),
  offer('dot', 'dot(a, b)', 'Inner product of two vectors.', 'dot(${a}, ${b})'),
  call('impulse', 'x', 'The weight of the impulse in x.'),
  call('finite', 'x', 'x without its impulse.'),
  call('pre', 'x', 'x on arrival at the present instant, before any jump there.'),
  call('integral', 'derivative, start, impulse', 'Over time, from start (0), plus the jumps of impulse.'),
  call('step', 't0', '0 before t0, 1 from then on.'),
  call('sawtooth', 'period, offset', 'Phase of a clock, from 0 up to 1 and back.'),
  offer('pulse', 'pulse(period, duty, offset)', 'True while the phase is below duty.', 'pulse(${period}, ${duty})'),
  call('count', 'period, offset', 'How often the clock has ticked.'),
  call('is_present', 'x', 'A boolean, never absent.'),
  offer('default', 'default(x, y, …)', 'The first that is present.', 'default(${x}, ${y})'),
  offer('merge', 'merge(a, b, …)', 'The first event that is present.', 'merge(${a}, ${b})'),
  offer('sample', 'sample(x, e)', 'x at the instants of the event e.', 'sample(${x}, ${e})'),
  offer('inhibit', 'inhibit(x, by)', 'x at the instants at which by is absent.', 'inhibit(${x}, ${by})'),
  offer('hold', 'hold(e, start)', 'The last value of the event e.', 'hold(${e}, ${start})'),
  offer('fby', 'fby(start, x)', 'x at the instant before; start at first.', 'fby(${start}, ${x})'),
  call('delay', 'x', 'The event x, one microstep later.'),
  offer('time_delay', 'time_delay(x, T, start)', 'x, T later; with a start also of what is no event.', 'time_delay(${x}, ${T})'),
  call('rising', 'x, level', 'When x reaches level (0) from below.'),
  call('falling', 'x, level', 'When x reaches level (0) from above.'),
  call('crossing', 'x, level', 'When x reaches level (0) from either side.'),
  call('event', 't, value', 'Once, at t.'),
  call('clock', 'period, offset, values = […], count = n', 'At offset + j · period.'),
  offer('choose', 'choose(a, b, …)', 'Which of the alternatives is taken, from 1.', 'choose(${a}, ${b})'),
];
