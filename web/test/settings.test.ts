import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Parameter } from '../src/data/view';
import { booleans, command, counting, defaultRange, keptSettings, knownOf, listsOf, ownsDefault, rangeProblem, readList, readNumber, readSettings, runName, widened, withEnd, withList, withSetting, writeDefault, writeDefaults, writeLists } from '../src/workspace/settings';

test('a range goes from nothing to twice the default', () => {
  assert.deepEqual(defaultRange(0.5), { min: 0, max: 1, step: 0.005 });
  assert.deepEqual(defaultRange(1), { min: 0, max: 2, step: 0.01 });
  assert.deepEqual(defaultRange(-9.81), { min: -19.62, max: 0, step: 0.05 });
  assert.deepEqual(defaultRange(0), { min: -1, max: 1, step: 0.01 });
  assert.deepEqual(defaultRange(1e-4), { min: 0, max: 2e-4, step: 1e-6 });
  assert.deepEqual(defaultRange(5, true), { min: 0, max: 10, step: 1 });
  assert.deepEqual(defaultRange(Infinity), { min: -1, max: 1, step: 0.01 });
});

test('every usual range is one', () => {
  for (const value of [1, -1, 3.7e-12, 6.02e23, -0.3, 0, 7]) {
    assert.equal(rangeProblem(defaultRange(value)), null, String(value));
    const { min, max } = defaultRange(value);
    assert.ok(min <= value && value <= max);
  }
});

test('a range that is none is told', () => {
  assert.ok(rangeProblem({ min: 1, max: 1, step: 0.1 }));
  assert.ok(rangeProblem({ min: 0, max: 1, step: 0 }));
  assert.ok(rangeProblem({ min: 0, max: 1, step: 2 }));
  assert.ok(rangeProblem({ min: NaN, max: 1, step: 0.1 }));
  assert.deepEqual(widened({ min: 0, max: 1, step: 0.1 }, 7), { min: 0, max: 7, step: 0.1 });
});

test('what bounds a loop counts', () => {
  const text = 'model M {\n  param N = 5, mass = 1\n  for i in 1..N - 1 { I b[i](mass) }\n  t = sum(b[i].p for i in K..3)\n}';
  assert.ok(counting(text).has('N'));
  assert.ok(counting(text).has('K'));
  assert.ok(!counting(text).has('mass'));
});

test('what an index or another count is made of counts', () => {
  const counts = counting('model M {\n  param n = 2, N = 2 * n + 1, L = 1, K = floor(L / 0.1), last = 3, mass = 1\n  param list = [mass, 2]\n  for i in 1..N { x[i] = i }\n  for i in 1..K { y[i] = list[last] }\n}');
  for (const name of ['n', 'N', 'K', 'last']) assert.ok(counts.has(name), name);
  for (const name of ['L', 'mass']) assert.ok(!counts.has(name), name);
});

const parameter = (name: string, value: number, line = 1, column = 1): Parameter => ({ name, value, default: value, place: { file: 'm.cradle', line, column } });

test('settings are what differs from the defaults', () => {
  const mass = parameter('mass', 1);
  const set = withSetting({}, mass, 2);
  assert.deepEqual(set, { mass: 2 });
  assert.deepEqual(withSetting(set, mass, 1), {});
  assert.deepEqual(keptSettings({ mass: 2, gone: 3 }, [mass]), { mass: 2 });
  assert.deepEqual(keptSettings({ mass: 2 }, [parameter('mass', 2)]), {});
  assert.equal(runName({}), 'defaults');
  assert.equal(runName({ mass: 2, 'd1.v_on': -0.5 }), 'mass = 2, d1.v_on = -0.5');
});

test('settings kept in the browser are read as such', () => {
  assert.deepEqual(readSettings(JSON.stringify({ a: 1.5, b: false })), { a: 1.5, b: false });
  assert.deepEqual(readSettings('{"a": "1", "b": null, "c": 2}'), { c: 2 });
  assert.deepEqual(readSettings(null), {});
  assert.deepEqual(readSettings('null'), {});
});

test('the command can be pasted', () => {
  assert.equal(command('models/a.cradle', {}), 'cradle run models/a.cradle');
  assert.equal(command("it's.cradle", { mass: 2, 'b[1].m': 1e-7 }), "cradle run 'it'\\''s.cradle' --set mass=2 --set 'b[1].m=1e-7'");
  assert.equal(command('-x.cradle', {}), 'cradle run ./-x.cradle');
});

test('a default is written where it stands', () => {
  const text = 'model M {\n  param a = 1, b = 2 * a  // both\n  param ω𝜔 = 3, c = f(1,\n    2) C c1(1)\n}\n';
  assert.equal(writeDefault(text, parameter('a', 1, 2, 13), 4), text.replace('a = 1', 'a = 4'));
  assert.equal(writeDefault('param a = -2.5e-3, b = 1', parameter('a', 1, 1, 11), 4), 'param a = 4, b = 1');
  // the place of the name will do
  assert.equal(writeDefault(text, parameter('a', 1, 2, 9), 4), text.replace('a = 1', 'a = 4'));
});

test('an expression is not written over', () => {
  const text = 'model M {\n  param a = 1, b = 2 * a\n  param c = f(1,\n    2), d = a, e = 1 + 1\n}\n';
  assert.equal(writeDefault(text, parameter('b', 2, 2, 20), 0.5), null);
  assert.equal(writeDefault(text, parameter('c', 2, 3, 13), -1), null);
  const done = writeDefaults(text, [parameter('a', 1, 2, 13), parameter('d', 1, 4, 13), parameter('e', 2, 4, 20)], { a: 7, d: 2, e: 3 });
  assert.equal(done.text, text.replace('a = 1', 'a = 7'));
  assert.deepEqual(done.left.sort(), ['d', 'e']);
});

test('a number is one as a whole', () => {
  for (const [text, value] of [['1', 1], [' -2.5E6 ', -2.5e6], ['−3', -3], ['+1e-3', 1e-3], ['0.0', 0], ['0e5', 0]] as const) assert.equal(readNumber(text), value, text);
  for (const text of ['', '1,000', '1,5', '0x10', '1e400', '1e-400', '1e', '.5', '1.', '1.e3', '1 2', '1_000', 'Infinity', 'NaN', 'one', '2*3']) {
    assert.equal(typeof readNumber(text), 'string', text);
  }
});

test('nothing is written where no default stands', () => {
  const text = 'model M {\n  param a = 1\n}\n';
  assert.equal(writeDefault(text, parameter('a', 1, 1, 1), 4), null);
  assert.equal(writeDefault(text, parameter('a', 1, 99, 1), 4), null);
  assert.equal(writeDefault(text, { name: 'a', value: 1, default: 1 }, 4), null);
});

test('several are written at once, whatever their lengths', () => {
  const text = 'param a = 1, b = 2\nparam c = 3\n';
  const parameters = [parameter('a', 1, 1, 11), parameter('b', 2, 1, 18), parameter('c', 3, 2, 11), parameter('d', 4, 9, 9)];
  const done = writeDefaults(text, parameters, { a: 0.125, b: 1e-9, c: 30, d: 5 });
  assert.equal(done.text, 'param a = 0.125, b = 1e-9\nparam c = 30\n');
  assert.deepEqual(done.written.sort(), ['a', 'b', 'c']);
  assert.deepEqual(done.left, ['d']);
});

test('only what owns its default is written: not what a part was given', () => {
  const text = 'component P { param r = 1 }\nmodel M {\n  P p1(r = 2)\n  modal ball { param e = 1  mode falling {} }\n}\n';
  assert.ok(ownsDefault(knownOf(text), parameter('mass', 1)));
  assert.ok(ownsDefault(knownOf(text), parameter('ball.e', 1)));
  assert.ok(!ownsDefault(knownOf(text), parameter('p1.r', 2)));
});

test('booleans are known by their defaults, and are set as such', () => {
  const text = 'model M {\n  param a = true, b = 2 > 1, c = a, d = if a then 1 else 2, e = max(1, 2), f = not b, g = 3 * (1 + 2)\n  param h = if 1 < 2 then false else a\n}\n';
  assert.deepEqual([...booleans(text)].sort(), ['a', 'b', 'c', 'f', 'h']);
  const a = parameter('a', 1);
  assert.deepEqual(withSetting({}, a, false), { a: false });
  assert.deepEqual(withSetting({ a: false }, a, true), {});
  assert.equal(command('m.cradle', { a: false }), 'cradle run m.cradle --set a=false');
  assert.equal(writeDefault('param a = true\n', parameter('a', 1, 1, 7), false), 'param a = false\n');
});

test('an end time is written at the end of the model', () => {
  assert.equal(withEnd('model M {\n  x = 1\n}\n\ncomponent C {}\n'), 'model M {\n  x = 1\n  until 10\n}\n\ncomponent C {}\n');
  assert.equal(withEnd('model M {}'), 'model M {\n  until 10\n}');
  assert.equal(withEnd('model M {\n  x = 1\n'), null);
  assert.equal(withEnd('component C {}'), null);
});

test('lists are set as text, and written where they stand', () => {
  const text = 'component P {\n  param inner = [9]\n}\nmodel M {\n  param a = 1, masses = [1,  // first\n    2 * pi], flags = [true, false]\n  param m = [[1, 2], [3, 4]]\n}\n';
  const lists = listsOf(text);
  assert.deepEqual(lists, [{ name: 'masses', text: '[1, 2 * pi]' }, { name: 'flags', text: '[true, false]' }, { name: 'm', text: '[[1, 2], [3, 4]]' }]);
  const set = withList({ a: 2 }, lists[0]!, '[5, 6]');
  assert.deepEqual(set, { a: 2, masses: '[5, 6]' });
  assert.deepEqual(withList(set, lists[0]!, lists[0]!.text), { a: 2 });
  assert.deepEqual(keptSettings({ ...set, gone: '[1]' }, [], lists), { masses: '[5, 6]' });
  assert.equal(command('m.cradle', { masses: '[5, 6]' }), "cradle run m.cradle --set 'masses=[5, 6]'");
  assert.equal(writeLists(text, { masses: '[5, 6]', flags: '[false]' }), text.replace(/\[1,[^]*?pi\]/, '[5, 6]').replace('[true, false]', '[false]'));
});

test('a list stands in brackets', () => {
  assert.deepEqual(readList(' [1,\n  2 ] '), { list: '[1, 2]' });
  assert.deepEqual(readList('[[1,-2],  [if 1>2 then max(1, 2) else 3]]'), { list: '[[1,-2], [if 1>2 then max(1, 2) else 3]]' });
  for (const wrong of ['', '1, 2', '[1', '[[1]', '[(1]', '1]']) assert.equal(typeof readList(wrong), 'string', wrong);
});
