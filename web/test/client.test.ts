import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Client, type ServerError } from '../src/workspace/client';

const real = globalThis.fetch;
afterEach(() => void (globalThis.fetch = real));

// What a request that is answered so throws, and what the page hears of the server.
async function answered(status: number, body: unknown) {
  globalThis.fetch = async () => new Response(JSON.stringify(body), { status });
  let heard: ServerError | null = null;
  const client = new Client('t', 'tab', (error) => (heard = error));
  const error = await client.read('m.cradle').then(() => null, (cause: ServerError) => cause);
  return { error, heard };
}

test('only a wrong token means that the server was started anew', async () => {
  const { error, heard } = await answered(401, { error: 'wrong token' });
  assert.ok(error!.refused);
  assert.equal(heard, error);
});

test('every other error is told in its own words', async () => {
  for (const status of [400, 403, 404, 413, 500]) {
    const { error, heard } = await answered(status, { error: 'm.cradle may not be read' });
    assert.ok(!error!.refused && !error!.unreachable, String(status));
    assert.equal(error!.message, 'm.cradle may not be read');
    assert.equal(heard, null);
  }
});
