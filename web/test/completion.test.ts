import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choicesAt, importEdit, importsOf, numberedFields, type Knowledge } from '../src/editor/completion';
import { outline } from '../src/editor/outline';

const library = [{ name: 'std/electrical/diode.cradle', text: 'component Diode {\n  param v_on = 0  // threshold\n  param r_on = 0\n  port a, b\n  output i = D.f\n  1/F D initially off {\n    off -> on when a.e > b.e\n  }\n}\n' }];
const empty: Knowledge = { names: [], library, imported: [], files: ['parts/gear.cradle'] };

// The bar marks the cursor.
function labels(marked: string, knowledge = empty): string[] {
  const pos = marked.indexOf('|');
  const choices = choicesAt(marked.replace('|', ''), pos, knowledge);
  return choices?.options.map((option) => option.label) ?? [];
}
const has = (marked: string, ...wanted: string[]) => {
  const found = labels(marked);
  for (const label of wanted) assert.ok(found.includes(label), `${label} in [${found}] at ${marked}`);
};
const hasNot = (marked: string, ...unwanted: string[]) => {
  const found = labels(marked);
  for (const label of unwanted) assert.ok(!found.includes(label), `no ${label} in [${found}] at ${marked}`);
};

const model = (body: string) => `model M {\n  param mass = 1, gap = 2\n  I body1(mass)\n  1 v1\n  0 F initially off {\n    off -> on when x > 0\n  }\n  x = integral(v1.f)\n  Diode d1(0.6)\n  TF gear(2)\n${body}\n}\n`;

test('outside of definitions: definitions', () => {
  has('|', 'model', 'component', 'block', 'import');
  has('// about\n\nmo|', 'model');
  hasNot('mo|', 'I', 'sin');
});

test('at the start of an item: elements, junctions, items, components, nodes', () => {
  has(model('  |'), 'I', 'C', 'R', 'Se', 'Sf', 'TF', 'GY', '0', '1', 'param', 'until', 'Diode', 'body1', 'v1', 'F');
  hasNot(model('  |'), 'sin', 'mass', 'port');
  has('component P {\n  |\n}', 'port', 'input', 'output');
  hasNot('component P {\n  |\n}', 'until', 'show');
});

test('in an expression: names, functions, constants', () => {
  has(model('  y = |'), 'mass', 'gap', 'x', 'body1', 'sin', 'integral', 'time', 'if');
  has(model('  R r(|)'), 'mass', 'law');
  has(model('  y = 2 * m|'), 'mass', 'min');
  hasNot(model('  y = |'), 'I', 'until');
});

test('behind a point: what can be read', () => {
  assert.deepEqual(labels(model('  y = body1.|')), ['e', 'f', 'p', 'q']);
  assert.deepEqual(labels(model('  y = v1.|')), ['f', 'q']);
  assert.deepEqual(labels(model('  y = F.|')), ['e', 'p', 'active', 'on', 'off']);
  assert.deepEqual(labels(model('  y = gear.|')), ['in', 'out']);
  assert.deepEqual(labels(model('  y = gear.in.|')), ['e', 'f', 'p', 'q']);
  has(model('  y = d1.|'), 'a', 'b', 'i', 'v_on', 'D');
  has(model('  y = d1.D.|'), 'f', 'active', 'on', 'off');
  assert.deepEqual(labels(model('  y = nobody.|')), []);
  assert.deepEqual(labels(model('  y = 1.|')), []);
});

test('behind a point: what the check knows, for any index', () => {
  const names = [
    { name: 'ball[1].x', kind: 'signal' },
    { name: 'ball[2].x', kind: 'signal' },
    { name: 'ball[2].m.p', kind: 'state' },
  ];
  assert.deepEqual(labels(model('  y = ball[i + 1].|'), { ...empty, names }), ['x', 'm']);
});

test('states: behind initially, in the automaton, behind the arrow', () => {
  assert.deepEqual(labels('model M {\n  0 F initially |\n}'), ['on', 'off']);
  assert.deepEqual(labels('model M {\n  1 D initially | {\n    active forward, reverse\n    inactive off\n  }\n}'), ['forward', 'reverse', 'off']);
  const inside = 'model M {\n  1 D {\n    active forward\n    inactive off\n    HERE\n  }\n}';
  has(inside.replace('HERE', '|'), 'forward', 'off', 'active', 'transition');
  assert.deepEqual(labels(inside.replace('HERE', 'off -> |')), ['forward', 'off']);
  has(inside.replace('HERE', 'off -> forward |'), 'when', 'after eps when', 'priority');
  hasNot(inside.replace('HERE', 'off -> forward |'), 'history');
  has(inside.replace('HERE', 'off -> forward when |'), 'abs', 'D');
  assert.deepEqual(labels(inside.replace('HERE', 'off -> forward after |')), ['eps']);
});

test('modal models: modes and their words', () => {
  const modal = 'model M {\n  modal ball initially falling {\n    mode falling {\n      v = integral(-9.81)\n    }\n    mode resting {}\n    HERE\n  }\n  y = ball.|\n}';
  assert.deepEqual(labels(modal.replace('HERE', '')), ['falling', 'resting']);
  has(modal.replace('|', '').replace('HERE', '|'), 'falling', 'resting', 'mode', 'final mode');
  has(modal.replace('|', '').replace('HERE', 'falling -> resting |'), 'when', 'history');
  has(modal.replace('|', '').replace('HERE', 'falling -> resting when v > 0 {\n |\n}'), 'set', 'output');
});

test('where a name is made up, in comments and in numbers nothing is offered', () => {
  for (const marked of ['  param |', '  I |', '  I b|', '  0 |', '  0/E |', '  // b|', '  y = 1|', '  modal |', '  for |']) {
    assert.deepEqual(labels(model(marked)), [], marked);
  }
  has(model('  /* c */ |'), 'I');
});

test('animate has shapes and colours', () => {
  has('model M {\n  animate {\n    |\n  }\n}', 'circle', 'box', 'line', 'for');
  has('model M {\n  animate {\n    circle c at (0, x) fill |\n  }\n}', 'orange', 'sky');
});

test('imports: files of the library and of the folder', () => {
  assert.deepEqual(labels('import "std|'), ['std/electrical/diode.cradle', 'parts/gear.cradle']);
});

test('components show what they take and bring their import', () => {
  const choice = choicesAt(model('  '), model('  ').length - 3, empty)!.options.find((option) => option.label === 'Diode')!;
  assert.equal(choice.import, 'std/electrical/diode.cradle');
  assert.equal(choice.detail, 'Diode name(v_on = 0, r_on = 0)');
  assert.equal(choice.snippet, 'Diode ${name}(v_on = ${0}, r_on = ${0})');
});

test('components of files that are imported are offered as they are', () => {
  const imported = [{ name: 'gear.cradle', text: 'component Gear {\n  param ratio = 2\n  port a, b\n  output speed = T.out.f\n  TF T(ratio)\n}\n' }];
  const text = 'import "gear.cradle"\nmodel M {\n  Gear g\n  |\n}';
  const choice = choicesAt(text.replace('|', ''), text.indexOf('|'), { ...empty, imported })!.options.find((option) => option.label === 'Gear')!;
  assert.equal(choice.import, undefined);
  assert.equal(choice.detail, 'Gear name(ratio = 2)');
  const members = labels(text.replace('|', 'y = g.|'), { ...empty, imported });
  assert.ok(members.includes('speed') && members.includes('a'));
});

test('arguments have names where one begins', () => {
  assert.deepEqual(labels(model('  Diode d2(|)')).slice(0, 2), ['v_on', 'r_on']);
  assert.deepEqual(labels(model('  Diode d2(0.6), d3[1](max(1, 2), |')).slice(0, 2), ['v_on', 'r_on']);
  assert.deepEqual(labels(model('  I m(mass, |)')).slice(0, 2), ['p', 'f']);
  assert.deepEqual(labels(model('  C c[i](1, e|)')).slice(0, 2), ['q', 'e']);
  for (const marked of ['  Diode d2(v_on = |)', '  Diode d2(0.6 + |)', '  Diode d2(max(|))', '  y = max(1, |)', '  a\n  b(|)', '  y = if d1 then max(|)', '  Diode d2([1, |])']) {
    hasNot(model(marked), 'v_on', 'r_on');
  }
});

test('fields are numbered; only names are filled together', () => {
  assert.equal(numberedFields('I ${name}(${1}, ${1})'), 'I ${1:name}(${2:1}, ${3:1})');
  assert.equal(numberedFields('${a} -> ${b} ${}\n${a}'), '${1:a} -> ${2:b} ${}\n${1:a}');
});

test('imports are read off the beginning', () => {
  assert.deepEqual(importsOf('// x\nimport "a.cradle"\nimport "../b.cradle"\nmodel M {}\nimport "c.cradle"'), ['a.cradle', '../b.cradle']);
  assert.deepEqual(importsOf('import'), []);
});

test('an import goes behind the others, or before the first definition', () => {
  const file = 'std/electrical/diode.cradle';
  const put = (text: string) => {
    const edit = importEdit(text, file);
    return edit && text.slice(0, edit.at) + edit.insert + text.slice(edit.at);
  };
  assert.equal(put('// About.\nmodel M {}\n'), `// About.\nimport "${file}"\n\nmodel M {}\n`);
  assert.equal(put('import "a.cradle"\n\nmodel M {}\n'), `import "a.cradle"\nimport "${file}"\n\nmodel M {}\n`);
  assert.equal(put(`import "a.cradle"\nimport "${file}"\nmodel M {}\n`), null);
});

test('an outline survives what is unfinished', () => {
  for (const text of ['model', 'model M {', 'model M { I', 'model M { I b(', 'model M { 0 n initially', 'model M { x = ', '} } {', 'model M { param a = [', 'modal', 'model M { modal m { mode', '0 0 0 / E', 'model M { x[', '"', '/*']) outline(text);
  const things = outline('model M {\n  0 a, b initially on, c\n  l: a -> b\n  grid[i, j] = 1\n  I m[2](1), k(2, p = 3)\n}').definitions[0]!.things;
  assert.deepEqual(things.map((thing) => `${thing.kind} ${thing.name}`), ['0 a', '0 b', '0 c', 'bond l', 'signal grid', 'I m', 'I k']);
  assert.deepEqual(things[1]!.states, ['on', 'off']);
});
