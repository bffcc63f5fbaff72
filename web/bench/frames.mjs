// node bench/frames.mjs: how fast a large report is in a real browser. CRADLE names the binary.
//
// Prints JSON: the rows and the size of the page, the time from opening it to its first picture, and
// how long frames take while the plot is zoomed and panned, in milliseconds.

import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cradle, fileAddress, openBrowser, openPage, root, withFolder } from '../test/browser/harness.mjs';

const kRuns = 5;

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const quantile = (list, q) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * q))];
const round = (value) => Math.round(value * 10) / 10;

async function firstPicture(browser, path) {
  const { page, close } = await openPage(browser);
  await page.goto(fileAddress(path));
  await page.waitForFunction(() => performance.getEntriesByName('cradle-first-picture').length > 0, null, { timeout: 60_000 });
  const time = await page.evaluate(() => performance.getEntriesByName('cradle-first-picture')[0].startTime);
  await close();
  return time;
}

// The times between frames while the wheel turns: in, then out, then a drag.
async function frames(browser, path) {
  const { page, close } = await openPage(browser);
  await page.goto(fileAddress(path));
  await page.waitForFunction(() => performance.getEntriesByName('cradle-first-picture').length > 0, null, { timeout: 60_000 });
  const plot = await page.locator('canvas').first().boundingBox();
  const [x, y] = [plot.x + plot.width * 0.6, plot.y + plot.height * 0.5];
  await page.mouse.move(x, y);
  await page.evaluate(() => {
    window.frameTimes = [];
    let last = performance.now();
    const tick = (now) => {
      window.frameTimes.push(now - last);
      last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  for (let i = 0; i < 40; i += 1) await page.mouse.wheel(0, i < 20 ? -120 : 120);
  for (let i = 0; i < 10; i += 1) await page.mouse.wheel(0, -120);
  await page.mouse.down();
  for (let i = 0; i < 40; i += 1) await page.mouse.move(x - 4 * i, y);
  await page.mouse.up();
  const times = await page.evaluate(() => window.frameTimes.slice(2));
  await close();
  return times;
}

await withFolder(async (folder) => {
  const made = [];
  for (const [name, args] of [
    ['small', ['models/mosterman/cradle.cradle']],
    ['large', ['bench/models/long_report.cradle', '--every', '0.012']],
  ]) {
    const path = join(folder, `${name}.html`);
    await cradle(['report', ...args, '-o', path], { cwd: root });
    const view = JSON.parse(await cradle(['report', ...args, '--json', '-'], { cwd: root }));
    made.push({ name, path, rows: view.rows.count, events: view.events.length });
  }
  const browser = await openBrowser();
  const report = [];
  for (const { name, path, rows, events } of made) {
    const opening = [];
    for (let i = 0; i < kRuns; i += 1) opening.push(await firstPicture(browser, path));
    const zooming = await frames(browser, path);
    report.push({
      report: name,
      rows,
      events,
      kilobytes: Math.round((await stat(path)).size / 1024),
      first_picture_ms: round(median(opening)),
      frames: zooming.length,
      frame_ms_median: round(median(zooming)),
      frame_ms_p95: round(quantile(zooming, 0.95)),
      frame_ms_worst: round(Math.max(...zooming)),
    });
  }
  await browser.close();
  const text = JSON.stringify(report, null, 2);
  if (process.argv[2]) await writeFile(process.argv[2], `${text}\n`);
  console.log(text);
});
