// The words of the language (docs/language.md): what the editor offers.

import * as table from '../source/words';

// Reserved: no name, except behind a point.
export const keywords = new Set(table.reserved);
export const elementTypes = new Set(table.elements);
export const domains = new Set(table.domains);

export const constants: [name: string, about: string][] = [...table.constants, ['true', ''], ['false', '']];

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
  offer('assert', 'assert always condition, "message"', 'Held against the whole run; also assert never.', 'assert always ${condition}, "${message}"'),
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
  offer('port', 'port a, b', 'A power port, where one bond from outside meets one from inside. With a domain: port electrical a, b.', 'port ${a}'),
  offer('input', 'input name = default', 'A signal that comes from outside.', 'input ${name}'),
  offer('output', 'output name = expression', 'A signal that can be read outside.', 'output ${name} = ${value}'),
];
export const definitions: Offer[] = [
  offer('model', 'model Name { … }', 'What runs.', 'model ${Name} {\n\t${}\n\tuntil ${10}\n}'),
  offer('component', 'component Name { … }', 'A part with power ports.', 'component ${Name} {\n\tport ${a}, ${b}\n\t${}\n}'),
  offer('block', 'block Name { … }', 'A part without power ports.', 'block ${Name} {\n\tinput ${u}\n\toutput ${y} = ${value}\n}'),
  offer('import', 'import "file"', 'The components of another file.', 'import "${std/electrical/diode.cradle}"'),
];
export const shapes: Offer[] = [
  offer('circle', 'circle name at (x, y) radius r', 'Also fill, label, when.', 'circle ${name} at (${x}, ${y}) radius ${1}'),
  offer('box', 'box name at (x, y) size (w, h)', 'Also angle, fill, label, when.', 'box ${name} at (${x}, ${y}) size (${1}, ${1})'),
  offer('line', 'line name from (x, y) to (x, y)', 'Also fill, label, when.', 'line ${name} from (${0}, ${0}) to (${x}, ${y})'),
  items.find((item) => item.label === 'for')!,
  items.find((item) => item.label === 'if')!,
];
export const fills = 'black orange sky green yellow blue vermilion purple grey'.split(' ');

export const functions: Offer[] = table.functions.map((row) => offer(...row));
