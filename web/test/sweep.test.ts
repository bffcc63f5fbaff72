import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SweepResult } from '../src/data/api';
import { ServerError, type Client } from '../src/workspace/client';
import { around, sweepCommand, Sweeper, variation, variationProblem } from '../src/workspace/sweep';

test('what is varied is written as the command takes it', () => {
  assert.equal(variation({ name: 'R', from: '1', to: ' 10 ', count: '5', log: false }), 'R=1..10:5');
  assert.equal(variation({ name: 'm.k', from: '1kOhm', to: '2kOhm', count: '5', log: true }), 'm.k=1kOhm..2kOhm:5,log');
  assert.deepEqual(around('R', -4), { name: 'R', from: '-8', to: '-2', count: '20', log: false });
  assert.deepEqual(around('R', 0), { name: 'R', from: '0', to: '1', count: '20', log: false });
});

test('what makes no sense is said before it is asked for', () => {
  const fine = { name: 'R', from: '1', to: '2', count: '3', log: false };
  assert.equal(variationProblem(fine), '');
  assert.match(variationProblem({ ...fine, count: '1' }), /between 2 and/);
  assert.match(variationProblem({ ...fine, count: '2.5' }), /between 2 and/);
  assert.match(variationProblem({ ...fine, to: ' ' }), /from where to where/);
  assert.match(variationProblem({ ...fine, from: '-1', log: true }), /positive/);
});

test('the command can be pasted into a shell', () => {
  assert.equal(sweepCommand('a b.cradle', ['R=1..2:3'], ['peak(v)'], [['m', '2']]), "cradle sweep 'a b.cradle' --set m=2 --vary R=1..2:3 --measure 'peak(v)' -o sweep.svg");
});

const request = { path: 'm.cradle', text: '', settings: [], vary: ['R=1..2:3'], measure: [], dark: false };
const result: SweepResult = { format: 'cradle-sweep', model: 'M', names: ['R'], measures: ['x'], complete: true, runs: [], picture: '<svg/>' };

function made(look: () => unknown, discarded: string[] = []) {
  const heard: string[] = [];
  const client = {
    startSweep: async () => ({ id: 's1' }),
    look: async () => look(),
    sweep: async () => result,
    discard: async (id: string) => void discarded.push(id),
    cancel: async () => undefined,
  } as unknown as Client;
  const sweeper = new Sweeper(client, {
    progress: (state) => heard.push(state ? `${state.state} ${state.t}` : 'idle'),
    finished: ({ model }) => heard.push(`finished ${model}`),
    failed: (message) => heard.push(`failed ${message}`),
  });
  return { sweeper, heard };
}

test('a sweep tells how far it is, and what it has found', async () => {
  const states = [
    { id: 's1', state: 'running', t: 1, until: 3 },
    { id: 's1', state: 'finished', t: 3, until: 3 },
  ];
  const { sweeper, heard } = made(() => states.shift());
  await sweeper.want(request);
  assert.deepEqual(heard, ['waiting 0', 'running 1', 'finished M', 'idle']);
});

test('what fails is told, what is dropped is not', async () => {
  const failing = made(() => {
    throw new ServerError(500, 'no such measure');
  });
  await failing.sweeper.want(request);
  assert.deepEqual(failing.heard, ['waiting 0', 'failed no such measure', 'idle']);
  const discarded: string[] = [];
  const dropped = made(() => {
    dropped.sweeper.drop();
    return { id: 's1', state: 'finished', t: 0, until: null };
  }, discarded);
  await dropped.sweeper.want(request);
  assert.deepEqual(dropped.heard, ['waiting 0']);
  assert.deepEqual(discarded, ['s1']);
});
