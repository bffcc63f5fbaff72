import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunState } from '../src/data/api';
import type { Packed, RunView } from '../src/data/view';
import { ServerError, type Client, type RunRequest } from '../src/workspace/client';
import { Runner, type Finished } from '../src/workspace/runner';

const none = (type: Packed['type']): Packed => ({ type, length: 0, data: '' });

function emptyView(settings: RunRequest['settings']): RunView {
  return {
    format: 'cradle-view',
    version: 1,
    settings,
    automata: [],
    columns: [],
    events: [],
    rows: { count: 0, t: none('f64'), eps: none('i32'), step: none('i32'), kind: none('u8'), tried: none('u8'), kinds: [] },
  } as unknown as RunView;
}

// Runs that last until they are told to end, or are cancelled.
class Server {
  started: RunRequest[] = [];
  cancelled: string[] = [];
  discarded: string[] = [];
  stubborn = false; // runs do not end when they are cancelled
  private states = new Map<string, RunState['state']>();

  end(id: string, state: RunState['state'] = 'finished') {
    this.states.set(id, state);
  }
  client = {
    start: async (request: RunRequest) => {
      this.started.push(request);
      return { id: String(this.started.length) };
    },
    look: async (id: string) => ({ id, state: this.states.get(id) ?? 'running', t: 0.5, until: 1, error: 'it crashed' }),
    view: async (id: string) => emptyView(this.started[Number(id) - 1]!.settings),
    cancel: async (id: string) => {
      this.cancelled.push(id);
      if (!this.stubborn) this.end(id, 'cancelled');
    },
    discard: async (id: string) => void this.discarded.push(id),
  } as unknown as Client;
}

class Heard {
  finished: Finished[] = [];
  failures: string[] = [];
  running = false;
  states: string[] = [];
  listener = {
    progress: (state: RunState | null) => {
      this.running = state !== null;
      if (state) this.states.push(state.state);
    },
    finished: (result: Finished) => void this.finished.push(result),
    failed: (message: string) => void this.failures.push(message),
  };
}

const wish = (value: number) => ({ path: 'm.cradle', text: 'model M {}', settings: { x: value } });

async function until(holds: () => boolean) {
  for (let i = 0; i < 300; ++i) {
    if (holds()) return;
    await new Promise((done) => setTimeout(done, 10));
  }
  assert.fail('it did not happen');
}

test('of many wishes the first and the last are run', async () => {
  const server = new Server();
  const heard = new Heard();
  const runner = new Runner(server.client, heard.listener);
  for (let i = 1; i <= 50; ++i) runner.want(wish(i));
  await until(() => server.started.length === 1);
  server.end('1');
  server.end('2');
  await until(() => heard.finished.length === 2 && !heard.running);
  assert.deepEqual(heard.finished.map((result) => result.name), ['x = 1', 'x = 50']);
  assert.equal(server.started.length, 2);
  assert.deepEqual(server.cancelled, []);
});

test('a slow run makes room, and nothing of it is shown', async () => {
  const server = new Server();
  const heard = new Heard();
  const runner = new Runner(server.client, heard.listener);
  runner.want(wish(1));
  await until(() => server.started.length === 1);
  runner.want(wish(2));
  await until(() => server.started.length === 2);
  assert.deepEqual(server.discarded, ['1']);
  server.end('2');
  await until(() => heard.finished.length === 1 && !heard.running);
  assert.equal(heard.finished[0]!.name, 'x = 2');
  assert.deepEqual(heard.failures, []);
});

test('a run that does not end at once holds up no other', async () => {
  const server = new Server();
  server.stubborn = true;
  const heard = new Heard();
  const runner = new Runner(server.client, heard.listener);
  runner.want(wish(1));
  await until(() => server.started.length === 1);
  runner.want(wish(2));
  await until(() => server.started.length === 2);
  server.end('2');
  await until(() => heard.finished.length === 1 && !heard.running);
  assert.equal(heard.finished[0]!.name, 'x = 2');
});

test('what was computed before a cancel is shown', async () => {
  const server = new Server();
  const heard = new Heard();
  const runner = new Runner(server.client, heard.listener);
  runner.want(wish(1));
  await until(() => server.started.length === 1);
  runner.cancel();
  await until(() => heard.finished.length === 1 && !heard.running);
  assert.ok(heard.finished[0]!.cancelled);
  assert.equal(heard.states.at(-1), 'cancelled'); // told before its view is loaded
});

test('a cancel before the server has answered holds', async () => {
  const server = new Server();
  const heard = new Heard();
  const runner = new Runner(server.client, heard.listener);
  runner.want(wish(1));
  runner.cancel();
  await until(() => !heard.running && server.cancelled.length > 0);
});

test('a failure is told, and the next run goes on', async () => {
  const server = new Server();
  const heard = new Heard();
  const runner = new Runner(server.client, heard.listener);
  runner.want(wish(1));
  await until(() => server.started.length === 1);
  server.end('1', 'failed');
  await until(() => heard.failures.length === 1);
  assert.deepEqual(heard.failures, ['it crashed']);
  server.client.start = async () => {
    throw new ServerError(0, 'the server does not answer');
  };
  runner.want(wish(2));
  await until(() => heard.failures.length === 2 && !heard.running);
});
