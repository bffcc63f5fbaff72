// node test/browser/run.mjs FILE: the tests of one file in a real browser. On a machine that stands
// still for a moment a page can come too late for a test, so what fails is tried once more, and that
// is told.

import { spawnSync } from 'node:child_process';

const tries = 2;
for (let i = 1; i <= tries; i += 1) {
  const { status } = spawnSync(process.execPath, ['--test', process.argv[2]], { stdio: 'inherit' });
  if (status === 0) process.exit(0);
  console.log(i < tries ? `== ${process.argv[2]} failed and is tried once more` : `== ${process.argv[2]} failed ${tries} times`);
}
process.exit(1);
