// studio_test.mjs CRADLE: the studio and the documentation as a user starts them, asked as a page
// asks, by the real program with its real processes.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const cradle = process.argv[2];
const root = new URL('..', import.meta.url).pathname;
const top = mkdtempSync(join(tmpdir(), 'cradle-studio-test-'));
const folder = join(top, 'models');
mkdirSync(folder);
const model = readFileSync(join(root, 'models/mosterman/cradle.cradle'), 'utf8');
writeFileSync(join(folder, 'cradle.cradle'), model);
writeFileSync(join(top, 'secret.cradle'), '// secret\n');
symlinkSync(join(top, 'secret.cradle'), join(folder, 'out.cradle'));
const endless = 'model Endless {\n  C c(1, q = 1)\n  I l(1)\n  1 j\n  j -> c\n  j -> l\n  until 1e15\n  show l.p\n}\n';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const started = [];

// The program, once it has printed its address.
async function serve(words) {
  const child = spawn(cradle, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  child.ended = new Promise((resolve) => child.on('exit', (status, signal) => resolve(status ?? signal)));
  child.said = '';
  child.stderr.on('data', (data) => (child.said += data));
  let out = '';
  while (!out.includes('\n')) {
    const data = await Promise.race([new Promise((resolve) => child.stdout.once('data', resolve)), child.ended.then(() => null)]);
    if (data === null) throw new Error(`it ended: ${child.said}`);
    out += data;
  }
  return { child, address: new URL(out.trim()) };
}

function request(address, method, path, { body, headers = {}, token = address.searchParams.get('token') } = {}) {
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = http.request(
      {
        host: address.hostname,
        port: address.port,
        method,
        path,
        agent: false,
        headers: {
          ...(token === null ? {} : { 'X-Cradle-Token': token }),
          ...(text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
          ...headers,
        },
      },
      (answer) => {
        const pieces = [];
        answer.on('data', (piece) => pieces.push(piece));
        answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text: Buffer.concat(pieces).toString() }));
        answer.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
}

async function ask(address, method, path, body) {
  const answer = await request(address, method, path, { body });
  return { status: answer.status, body: JSON.parse(answer.text) };
}

async function run_until(address, id, enough, seconds = 60) {
  for (const end = Date.now() + seconds * 1000; ; ) {
    const { body } = await ask(address, 'GET', `/api/run/${id}`);
    if (enough(body)) return body;
    assert.ok(Date.now() < end, `run ${id} stays ${JSON.stringify(body)}`);
  }
}
const is_over = (run) => run.state !== 'waiting' && run.state !== 'running';

function children_of(pid) {
  return readdirSync('/proc').filter((id) => {
    if (!/^\d+$/.test(id)) return false;
    try {
      const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(parent) === pid && state !== 'Z';
    } catch {
      return false;
    }
  });
}

async function refusals(address) {
  const page = await request(address, 'GET', `/${address.search}`, { token: null });
  assert.equal(page.status, 200);
  assert.match(page.text, /<div id="page">/);
  assert.match(page.headers['content-security-policy'], /default-src 'none'.*connect-src 'self'/);
  assert.equal(page.headers['access-control-allow-origin'], undefined);
  for (const [method, path, options, status = 403] of [
    ['GET', '/', {}, 401],
    ['GET', '/?token=0', {}, 401],
    ['GET', '/api/folder', { token: null }, 401],
    ['GET', '/api/folder', { token: 'wrong' }, 401],
    ['GET', '/api/folder', { headers: { Host: 'evil.example' } }],
    ['GET', '/api/folder', { headers: { Origin: 'http://evil.example' } }],
    ['GET', `/${address.search}`, { headers: { Host: `evil.example:${address.port}` } }],
    ['POST', '/api/run', { headers: { Origin: 'null' }, body: {} }],
  ])
    assert.equal((await request(address, method, path, options)).status, status, `${method} ${path} ${JSON.stringify(options)}`);
}

async function files(address) {
  const all = (await ask(address, 'GET', '/api/folder')).body;
  assert.equal(all.name, 'models');
  assert.equal(all.open, 'cradle.cradle');
  assert.deepEqual(all.files.map((file) => file.path), ['cradle.cradle']);
  assert.equal(all.files[0].model, 'Cradle');
  assert.ok(all.gallery.some((file) => file.path === 'mosterman/cradle.cradle' && file.text === model));
  for (const path of ['out.cradle', '%2e%2e/secret.cradle', '..%2fsecret.cradle', '/etc/passwd', 'cradle.cradle%00'])
    assert.ok([400, 403, 404].includes((await ask(address, 'GET', `/api/file?path=${path}`)).status), path);
  const read = (await ask(address, 'GET', '/api/file?path=cradle.cradle')).body;
  assert.equal(read.text, model);
  const text = `// Ω\n${model}`;
  const saved = await ask(address, 'PUT', '/api/file', { path: 'cradle.cradle', text, stamp: read.stamp });
  assert.equal(saved.status, 200);
  assert.equal(readFileSync(join(folder, 'cradle.cradle'), 'utf8'), text);
  assert.equal((await ask(address, 'PUT', '/api/file', { path: 'cradle.cradle', text, stamp: read.stamp })).status, 409);
  const made = await ask(address, 'POST', '/api/new', { path: 'first_try.cradle' });
  assert.equal(made.status, 200);
  assert.equal((await ask(address, 'POST', '/api/check', { path: 'first_try.cradle', text: made.body.text })).body.ok, true);
  assert.equal((await ask(address, 'POST', '/api/new', { path: 'first_try.cradle' })).status, 409);
}

async function checks(address) {
  const fine = (await ask(address, 'POST', '/api/check', { path: 'cradle.cradle', text: model })).body;
  assert.equal(fine.ok, true);
  assert.equal(fine.model, 'Cradle');
  assert.ok(fine.names.some(({ name }) => name === 'body1.p'));
  assert.ok(fine.parameters.some(({ name, value }) => name === 'restitution' && value === 0.8));
  const wrong = (await ask(address, 'POST', '/api/check', { path: 'sub.cradle', text: 'model X {\n  1 j\n  j -> nowhere\n}\n' })).body;
  assert.equal(wrong.ok, false);
  assert.deepEqual([wrong.diagnostics[0].file, wrong.diagnostics[0].line, wrong.diagnostics[0].column], ['sub.cradle', 3, 8]);
  assert.equal((await ask(address, 'POST', '/api/format', { path: 'x.cradle', text: 'model X { until   1 }' })).body.text, 'model X {\n  until 1\n}\n');
  assert.ok((await ask(address, 'POST', '/api/format', { path: 'x.cradle', text: 'model {' })).body.diagnostics.length > 0);
  // An import does not lead out of the folder either.
  const out = (await ask(address, 'POST', '/api/check', { path: 'x.cradle', text: 'import "../secret.cradle"\nmodel X { until 1 }\n' })).body;
  assert.equal(out.ok, false);
}

async function runs(address) {
  const settings = [{ name: 'J_break', value: 0.95 }];
  const begun = await ask(address, 'POST', '/api/run', { path: 'cradle.cradle', text: model, settings, until: 1.5 });
  assert.equal(begun.status, 202);
  assert.equal((await run_until(address, begun.body.id, is_over)).state, 'finished');
  const view = await ask(address, 'GET', `/api/run/${begun.body.id}/view`);
  assert.equal(view.status, 200);
  assert.equal(view.body.format, 'cradle-view');
  assert.equal(view.body.file, 'cradle.cradle');
  assert.equal(view.body.outcome.t, 1.5);
  assert.equal(view.body.parameters.find(({ name }) => name === 'J_break').value, 0.95);

  const faulty = (await ask(address, 'POST', '/api/run', { path: 'x.cradle', text: 'model X {\n' })).body.id;
  await run_until(address, faulty, is_over);
  const why = await ask(address, 'GET', `/api/run/${faulty}/view`);
  assert.equal(why.status, 422);
  assert.equal(why.body.diagnostics[0].file, 'x.cradle');
}

// Two runs that never end; all else goes on.
async function endless_runs(address, server) {
  const ids = [];
  for (const path of ['a.cradle', 'b.cradle', 'c.cradle'])
    ids.push((await ask(address, 'POST', '/api/run', { path, text: endless })).body.id);
  for (const id of ids.slice(0, 2)) await run_until(address, id, (run) => run.state === 'running' && run.t > 0);
  assert.equal((await ask(address, 'GET', `/api/run/${ids[2]}`)).body.state, 'waiting');
  const checked = Array.from({ length: 20 }, () => ask(address, 'POST', '/api/check', { path: 'cradle.cradle', text: model }));
  const begin = Date.now();
  assert.equal((await ask(address, 'GET', '/api/folder')).status, 200);
  assert.ok(Date.now() - begin < 3000, 'the folder is answered at once');
  for (const answer of await Promise.all(checked)) assert.equal(answer.body.ok, true);
  await ask(address, 'DELETE', `/api/run/${ids[0]}`);
  assert.equal((await run_until(address, ids[0], is_over)).state, 'cancelled');
  const view = await ask(address, 'GET', `/api/run/${ids[0]}/view`);
  assert.equal(view.status, 200);
  assert.equal(view.body.outcome.finished, false);
  assert.ok(view.body.rows.count > 1);
  // The third takes the place of the first.
  await run_until(address, ids[2], (run) => run.state === 'running');
  assert.equal(children_of(server.pid).length, 2);
}

async function ends(server, signal, expected) {
  const working = children_of(server.pid);
  assert.ok(working.length > 0);
  server.kill(signal);
  assert.equal(await server.ended, expected);
  for (const end = Date.now() + 5000; working.some((id) => existsSync(`/proc/${id}/exe`)); ) {
    assert.ok(Date.now() < end, 'processes are left behind');
    await sleep(20);
  }
}

async function documentation() {
  const site = join(top, 'site');
  mkdirSync(site);
  writeFileSync(join(site, 'index.html'), '<h1>Ω</h1>');
  const { child, address } = await serve(['docs', '--folder', site]);
  const page = await request(address, 'GET', '/', { token: null });
  assert.equal(page.status, 200);
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(page.text, '<h1>Ω</h1>');
  assert.equal((await request(address, 'GET', '/../secret.cradle', { token: null })).status, 404);
  assert.equal((await request(address, 'GET', '/', { token: null, headers: { Host: 'evil.example' } })).status, 403);
  assert.equal((await request(address, 'DELETE', '/', { token: null })).status, 405);
  child.kill('SIGINT');
  assert.equal(await child.ended, 0);
}

function wrong_usage(port) {
  for (const words of [
    ['studio', join(top, 'nothing')],
    ['studio', join(top, 'studio.txt')],
    ['studio', folder, '--port', port],
    ['studio', folder, '--memory', '-1'],
    ['docs', '--folder', folder],
  ]) {
    const ended = spawnSync(cradle, words, { encoding: 'utf8', timeout: 20000 });
    assert.equal(ended.status, 2, words.join(' '));
    assert.ok(ended.stderr.length > 0 && ended.stdout === '', words.join(' '));
  }
}

try {
  writeFileSync(join(top, 'studio.txt'), '');
  const { child, address } = await serve(['studio', join(folder, 'cradle.cradle')]);
  assert.match(address.href, /^http:\/\/127\.0\.0\.1:\d+\/\?token=[0-9a-f]{64}$/);
  await refusals(address);
  await files(address);
  await checks(address);
  await runs(address);
  await endless_runs(address, child);
  wrong_usage(address.port);
  await ends(child, 'SIGTERM', 0);

  // Killed, it takes its processes along.
  const second = await serve(['studio', folder, '--port', address.port]);
  const { id } = (await ask(second.address, 'POST', '/api/run', { path: 'a.cradle', text: endless })).body;
  await run_until(second.address, id, (run) => run.state === 'running');
  await ends(second.child, 'SIGKILL', 'SIGKILL');
  await documentation();
  console.log('the studio and the documentation are served');
} finally {
  for (const child of started) child.kill('SIGKILL');
  rmSync(top, { recursive: true, force: true });
}
