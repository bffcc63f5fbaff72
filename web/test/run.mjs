// node test/run.mjs: bundles test/*.test.ts and runs them with node:test.

import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = await mkdtemp(join(tmpdir(), 'cradle-pages-'));
const tests = (await readdir(here)).filter((name) => name.endsWith('.test.ts'));
await build({
  entryPoints: tests.map((name) => join(here, name)),
  bundle: true,
  loader: { '.def': 'text' },
  platform: 'node',
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  outdir: out,
  logLevel: 'warning',
});
const files = tests.map((name) => join(out, name.replace('.ts', '.mjs')));
const { status } = spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' });
await rm(out, { recursive: true });
process.exit(status ?? 1);
