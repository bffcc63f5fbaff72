// node test.mjs: bundles the tests beside the sources (src/**/*.test.ts) and runs them with Node.

import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const found = await readdir(join(here, 'src'), { recursive: true });
const tests = found.filter((name) => name.endsWith('.test.ts')).map((name) => join(here, 'src', name));
const out = await mkdtemp(join(tmpdir(), 'cradle-pages-'));
try {
  await build({
    entryPoints: tests,
    bundle: true,
    outdir: out,
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    platform: 'node',
    target: 'node18',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    absWorkingDir: here,
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  const built = (await readdir(out, { recursive: true })).filter((name) => name.endsWith('.test.mjs')).sort();
  const { status } = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...built.map((name) => join(out, name))], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  await rm(out, { recursive: true, force: true });
}
