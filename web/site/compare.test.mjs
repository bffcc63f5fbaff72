import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, evaluate, judge, parse_compare, parse_instant, read_recorded, render_compare } from './compare.mjs';

const row = (t, eps, step, value, mode = 'off') => ({ t, eps, step, kind: 'real', modes: { S: mode }, values: { v: value }, impulses: {} });
const run = {
  outcome: { ending: 'finished', t: 3 },
  diagnostics: [{ kind: 'run.x' }],
  audit: { entries: [{ name: 'S', jumping: 3 }] },
  rows: [row(0, 0, 0, 1), row(1, 0, 0, 2), row(1, 0, 1, 5, 'on'), row(1, 1, 0, 4, 'on'), row(2, 0, 0, -1), row(3, 0, 0, 0, 'on')],
};

test('formulas', () => {
  assert.equal(evaluate('3*pi/4'), (3 * Math.PI) / 4);
  assert.equal(evaluate('-2^2'), -4);
  assert.equal(evaluate('−73/27'), -73 / 27);
  assert.equal(evaluate('1 - exp(-(1 + 2))'), 1 - Math.exp(-3));
  assert.equal(evaluate('1e-3'), 0.001);
  for (const text of ['off', '', '1 +', '(1', 'sqrt', '1 2', 'constructor', '1/0']) assert.equal(evaluate(text), null, text);
});

test('instants', () => {
  assert.deepEqual(parse_instant('⟨1, 0⟩'), { t: 1, eps: 0, step: 0 });
  assert.deepEqual(parse_instant('⟨1 + ε, 2⟩'), { t: 1, eps: 1, step: 2 });
  assert.deepEqual(parse_instant('<0.5 + 3eps, 0>'), { t: 0.5, eps: 3, step: 0 });
  assert.deepEqual(parse_instant('⟨1/2 − ε, 0⟩'), { t: 0.5, eps: -1, step: 0 });
  assert.throws(() => parse_instant('⟨1⟩'), /no instant/);
  assert.throws(() => parse_instant('⟨x, 0⟩'), /no time/);
});

test('questions', () => {
  assert.equal(ask(run, 'v at ⟨1, 1⟩'), 5);
  assert.equal(ask(run, 'v at ⟨1 + ε, 0⟩'), 4);
  assert.equal(ask(run, 'v at 1'), 4);
  assert.equal(ask(run, 'v at the end'), 0);
  assert.equal(ask(run, 'S at the end'), 'on');
  assert.equal(ask(run, 'largest v'), 5);
  assert.equal(ask(run, 'smallest v'), -1);
  assert.equal(ask(run, 'time S becomes on'), 1);
  assert.equal(ask(run, 'time S becomes on, 2'), 3);
  assert.equal(ask(run, 'impulse(v) at the end'), 0);
  assert.equal(ask(run, 'diagnostic'), 'run.x');
  assert.equal(ask(run, 'ending'), 'finished');
  assert.equal(ask(run, '$.audit.entries[name=S].jumping'), 3);
  assert.equal(ask(run, '$.rows[2].values["v"]'), 5);
  assert.equal(ask(run, '$.rows'), 6);
  assert.equal(ask({ t: 1, steps: [{ eps: 0, step: 0, values: { v: 7 } }] }, 'v at ⟨1, 0⟩'), 7);
  for (const [question, what] of [
    ['v', /no question/], ['v at 7', /no row at t = 7/], ['v at ⟨1, 9⟩', /no row at/], ['w at 1', /no column w/],
    ['impulse(w) at 1', /no column w/], ['time X becomes on', /no automaton X/], ['time S becomes on, 3', /so often/],
    ['$.nothing.here', /nothing stands/], ['$.audit.entries[name=T].x', /nothing stands/], ['largest w', /no column/],
  ]) assert.throws(() => ask(run, question), what, question);
});

test('tolerances', () => {
  const agree = (original, ours, within) => judge({ original, ours, within }, run).agree;
  assert.ok(agree('5', 'largest v', ''));
  assert.ok(!agree('5.00001', 'largest v', ''));
  assert.ok(agree('5.1', 'largest v', '0.2'));
  assert.ok(agree('5.1', 'largest v', '2%'));
  assert.ok(!agree('5.2', 'largest v', '2%'));
  assert.ok(!agree('5', 'S at the end', ''));
  assert.throws(() => agree('5', 'largest v', 'near'), /no tolerance/);
});

test('recorded data', () => {
  const data = read_recorded('t,microstep,signal,value\n0.0,0,a,1\n0.0,1,a,2\n0.0,1,b,true\n1.0,0,b,3\n');
  assert.equal(ask(data, 'a at ⟨0, 1⟩'), 2);
  assert.equal(ask(data, 'a at ⟨1, 0⟩'), 'absent');
  assert.equal(judge({ original: 'b at the end', ours: 'v at ⟨1, 0⟩', within: '2' }, run, data).original.value, 3);
});

test('blocks that say too little', () => {
  assert.throws(() => parse_compare('run x'), /nothing to compare/);
  assert.throws(() => parse_compare('a | b | c\n1 | 2 | 3'), /a command stands before/);
  assert.throws(() => parse_compare('run x\na | b\n'), /a row is/);
  assert.throws(() => parse_compare('recorded x\n'), /a command stands before/);
});

test('the table escapes what it shows', () => {
  const judged = [{ row: { what: '<p>', ours: 'v at "1"', within: '' }, original: { value: '<o>' }, ours: '<u>', agree: false }];
  const html = render_compare({ what: 'w', original: '<head>', ours: 'c', within: '' }, judged);
  assert.doesNotMatch(html, /<p>|<o>|<u>|<head>/);
  assert.match(html, /class="differs"/);
});
