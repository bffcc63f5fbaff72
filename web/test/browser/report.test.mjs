// The report in a real browser, from disk and without a network: every model's page opens; what the
// microscope shows is what `instants --json` says; plot, graph and source follow.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { assertFits, binary, cradle, fileAddress, openBrowser, openPage, root, screenshot, sizes, themes, withFolder } from './harness.mjs';

let browser;
before(async () => (browser = await openBrowser()));
after(() => browser.close());

// A run that ends early, or cannot begin, has its page, too.
const write = (args) =>
  new Promise((done, failed) => {
    execFile(binary, ['report', ...args], { cwd: root, timeout: 120_000 }, (error) =>
      error && error.code !== 3 && error.code !== 1 ? failed(error) : done(),
    );
  });

async function inReport(model, options, body) {
  await withFolder(async (folder) => {
    const path = join(folder, 'report.html');
    await write([model, ...(options.args ?? []), '-o', path]);
    const opened = await openPage(browser, options);
    await opened.page.goto(fileAddress(path));
    await opened.page.waitForFunction(() => performance.getEntriesByName('cradle-first-picture').length > 0);
    await body(opened.page);
    await opened.close();
  });
}

async function models(...folders) {
  const found = [];
  for (const folder of folders) found.push(...(await readdir(join(root, folder), { recursive: true, withFileTypes: true })));
  return found
    .filter((entry) => entry.isFile() && entry.name.endsWith('.cradle'))
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}

// Long names, short times, wide numbers.
const long = `model AMachineWithAVeryLongNameThatDoesNotFitOnAPhone {
  Sf pump_of_the_first_circuit = 2.345678e-12
  C accumulator_behind_it(1.234567e-9)
  R leakage_to_the_tank(7.654321e11)
  0 manifold_of_the_press
  1 relief_valve_with_spring initially off {
    off -> on when manifold_of_the_press.e > 1.2345e-3
    on -> off when relief_valve_with_spring.f < 0
  }
  R throttle_in_the_valve(1e8)
  pump_of_the_first_circuit -> manifold_of_the_press -> accumulator_behind_it
  manifold_of_the_press -> leakage_to_the_tank
  manifold_of_the_press -> relief_valve_with_spring -> throttle_in_the_valve
  until 1.5
}
`;

// Down to the event, through marks that stand for several.
async function openEvent(page, index) {
  for (let i = 0; i < 40; i += 1) {
    const marks = await page.locator('.marks .mark').evaluateAll((buttons) =>
      buttons.map(({ dataset }) => ({ first: Number(dataset.event), count: Number(dataset.count) })),
    );
    const place = marks.findIndex(({ first, count }) => first <= index && index < first + count);
    assert.notEqual(place, -1, `event ${index} has no mark`);
    await page.locator('.marks .mark').nth(place).click();
    if (marks[place].count === 1) break;
  }
  await page.locator(`.microscope[data-event="${index}"]`).waitFor();
}

// The first instant; what is inside comes with the next frames.
async function lookInside(page) {
  await page.getByRole('button', { name: /Look inside/ }).click();
  await page.locator('.microscope tr.step').first().waitFor();
}

const cells = (page) =>
  page.locator('.microscope table.steps tr.step').evaluateAll((rows) =>
    rows.map((row) => ({
      eps: Number(row.dataset.eps),
      step: Number(row.dataset.step),
      kind: row.dataset.kind,
      modes: Object.fromEntries([...row.querySelectorAll('[data-automaton]')].map(({ dataset }) => [dataset.automaton, dataset.state])),
      values: Object.fromEntries([...row.querySelectorAll('[data-column]')].map(({ dataset }) => [dataset.column, dataset.value])),
      impulses: Object.fromEntries(
        [...row.querySelectorAll('[data-impulse]')].map(({ dataset }) => [dataset.column, dataset.impulse]),
      ),
    })),
  );

const told = (value) => (value === null ? 'absent' : String(value));
const strings = (object) => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, told(value)]));
// Only what the cells hold: rows that no automaton is in or that are folded have fewer.
const subset = (object, keys) => Object.fromEntries(Object.keys(keys).map((name) => [name, object[name]]));

for (const [model, ...args] of [
  ['models/mosterman/cradle.cradle'],
  ['models/mosterman/cradle.cradle', '--set', 'J_break=0.95', '--set', 'restitution=0.3'],
  ['models/mosterman/stiction.cradle'],
  ['models/circuits/flyback.cradle'],
  ['models/lee/three_balls.cradle'],
  ['models/lee/diode_inductor.cradle'],
  ['models/lee/collision.cradle'],
  ['docs/tutorial/share.cradle'],
]) {
  test(`the microscope's cells are those of instants: ${[model, ...args].join(' ')}`, async () => {
    const rows = JSON.parse(await cradle(['instants', model, ...args, '--json']));
    await inReport(model, { args }, async (page) => {
      const view = await page.evaluate(() => JSON.parse(document.getElementById('view').textContent));
      assert.ok(view.events.length > 0);
      for (let index = 0; index < Math.min(view.events.length, 3); index += 1) {
        await openEvent(page, index);
        const expected = rows.filter((row) => row.t === view.events[index].t && row.kind !== 'evolving');
        const shown = await cells(page);
        assert.equal(shown.length, expected.length);
        shown.forEach((cell, i) => {
          const row = expected[i];
          assert.deepEqual([cell.eps, cell.step, cell.kind], [row.eps, row.step, row.kind]);
          assert.deepEqual(cell.modes, subset(row.modes, cell.modes));
          assert.ok(Object.keys(cell.values).length > 0);
          assert.deepEqual(cell.values, subset(strings(row.values), cell.values));
          assert.deepEqual(cell.impulses, subset(strings(row.impulses), cell.impulses));
        });
        // Nothing that changes inside the instant is left out.
        const names = new Set(Object.keys(shown[0].values));
        for (const name of Object.keys(expected[0].values)) {
          const moves = expected.some((row) => row.values[name] !== expected[0].values[name] || name in row.impulses);
          assert.ok(!moves || names.has(name), `${name} changes and is not shown`);
        }
      }
    });
  });
}

test('Table 2 at a glance: hollow, solid, the guard with its numbers, the energy', () =>
  inReport('models/mosterman/cradle.cradle', {}, async (page) => {
    await lookInside(page);
    const shown = await cells(page);
    assert.deepEqual(
      shown.map(({ kind }) => kind),
      ['before', 'mythical', 'pinnacle', 'real'],
    );
    const guard = page.locator('.move[data-automaton="F23"]').first();
    assert.match(await guard.textContent(), /on → off.*abs\(impulse\(F23\.e\)\) > J_break.*0\.6 > 0\.5/);
    const text = await page.locator('.microscope').textContent();
    for (const part of ['body1', '0.495', 'F13', '0.09']) assert.ok(text.includes(part), part);
    // Hollow and solid are told apart by shape, not by colour alone.
    const look = (kind) =>
      page.locator(`.steps .bullet.${kind}`).first().evaluate((bullet) => {
        const style = getComputedStyle(bullet);
        return [style.backgroundColor, style.borderStyle, style.borderRadius].join();
      });
    assert.notEqual(await look('mythical'), await look('pinnacle'));
    // The guard leads to its line.
    await guard.getByRole('button').click();
    assert.match(await page.locator('#source li.there').textContent(), /on -> off when abs\(impulse\(F23\.e\)\) > J_break/);
  }));

test('the instant is walked by keyboard, and the graph follows with strokes and efforts', () =>
  inReport('models/mosterman/cradle.cradle', {}, async (page) => {
    await lookInside(page);
    await page.locator('.steps-box').focus();
    await page.keyboard.press('Home');
    const view = await page.evaluate(() => JSON.parse(document.getElementById('view').textContent));
    const { first } = view.events[0];
    for (const [row, mode] of [
      [first, 'F13=off,F23=on'],
      [first + 1, 'F13=on,F23=on'],
      [first + 2, 'F13=on,F23=off'],
      [first + 3, 'F13=off,F23=off'],
    ]) {
      await page.locator(`.graph[data-row="${row}"]`).waitFor();
      const { modes } = JSON.parse(await cradle(['causality', 'models/mosterman/cradle.cradle', '--json', '--mode', mode]));
      const strokes = await page.locator('.graph-picture').evaluate((host) =>
        Object.fromEntries(
          [...host.shadowRoot.querySelectorAll('g.bond')].map(({ dataset }) => [dataset.bond, dataset.stroke]),
        ),
      );
      const ends = { head: 'to', tail: 'from', none: 'none' };
      assert.deepEqual(strokes, Object.fromEntries(modes[0].bonds.map(({ name, stroke }) => [name, ends[stroke ?? 'none']])));
      await page.keyboard.press('ArrowDown');
    }
    // The mythical step: an impulse of 1.2 at the contact.
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.locator(`.graph[data-row="${first + 1}"]`).waitFor();
    const labels = await page.locator('.graph-picture').evaluate((host) =>
      [...host.shadowRoot.querySelectorAll('.bond-value')].map((label) => label.textContent),
    );
    assert.ok(labels.some((label) => label.includes('1.2')), labels.join('; '));
  }));

test('zoom, pan and the cursor: wheel, buttons, keys', () =>
  inReport('models/mechanics/bouncing_ball.cradle', { args: ['--until', '6'] }, async (page) => {
    const plot = await page.locator('canvas').first().boundingBox();
    const marks = () => page.locator('.marks .mark').evaluateAll((buttons) => buttons.map(({ dataset }) => dataset.t));
    const all = await marks();
    await page.mouse.move(plot.x + plot.width * 0.3, plot.y + plot.height * 0.4);
    for (let i = 0; i < 6; i += 1) await page.mouse.wheel(0, -200);
    await page.waitForTimeout(200);
    assert.ok((await marks()).length < all.length, 'the wheel zooms in');
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.waitForTimeout(200);
    assert.deepEqual(await marks(), all);
    // Between two rows the cursor's values are on the line between them; before the first bounce
    // y = 10 − v² / 2g.
    await page.mouse.move(plot.x + plot.width * 0.12, plot.y + plot.height * 0.4);
    await page.waitForTimeout(200);
    const y = Number(await page.locator('.legend .entry[data-column="y"]').getAttribute('data-value'));
    const v = Number(await page.locator('.legend .entry[data-column="v.f"]').getAttribute('data-value'));
    assert.ok(v < 0 && y < 10);
    assert.ok(Math.abs(y - (10 - (v * v) / 19.6)) < 1e-4, `${y} and ${v} are of one instant`);
    // Events by keyboard.
    await page.getByRole('button', { name: 'event ▶' }).click();
    await page.getByRole('button', { name: 'event ▶' }).click();
    await page.locator('.microscope[data-event="1"]').waitFor();
  }));

test('absent, unknown and endless: pages of runs that end early tell why', async () => {
  await inReport('models/lee/fixed_point_strict.cradle', {}, async (page) => {
    assert.match(await page.locator('.first-diagnostic').textContent(), /constructive/);
  });
  await inReport('models/lee/stacked_masses.cradle', {}, async (page) => {
    assert.match(await page.locator('.first-diagnostic').textContent(), /error/);
    await lookInside(page);
    const rows = await page.locator('.steps tr.step').count();
    assert.ok(rows > 5 && rows < 400, `${rows} of a thousand steps are in the page`);
  });
});

test('every model has a page that opens', async () => {
  const all = await models('models', 'docs/tutorial');
  assert.ok(all.length > 30);
  await withFolder(async (folder) => {
    await writeFile(join(folder, 'long.cradle'), long);
    for (const [i, model] of [join(folder, 'long.cradle'), ...all].entries()) {
      const path = join(folder, 'report.html');
      await write([model, '-o', path]);
      const opened = await openPage(browser, { size: i % 2 === 0 ? 'phone' : 'desk' });
      await opened.page.goto(fileAddress(path));
      await opened.page.waitForFunction(() => performance.getEntriesByName('cradle-first-picture').length > 0);
      if ((await opened.page.getByRole('button', { name: /Look inside/ }).count()) > 0) await lookInside(opened.page);
      await assertFits(opened.page, model);
      if ((await opened.page.locator('#graph').count()) > 0) {
        await opened.page.locator('#graph').scrollIntoViewIfNeeded();
        await assertFits(opened.page, `${model}, graph`);
      }
      await opened.close();
    }
  });
});

for (const size of Object.keys(sizes)) {
  for (const theme of themes) {
    test(`every part fits: ${size}, ${theme}`, async () => {
      for (const model of ['mosterman/cradle', 'circuits/buck', 'lee/diode_inductor', 'mechanics/bouncing_ball']) {
        await inReport(`models/${model}.cradle`, { size, theme }, async (page) => {
          const name = `report-${model.replace('/', '-')}-${size}-${theme}`;
          await assertFits(page, name);
          await screenshot(page, name);
          await lookInside(page);
          await page.waitForTimeout(300);
          await assertFits(page, `${name}, microscope`);
          await screenshot(page, `${name}-microscope`);
          for (const part of ['instants', 'energy', 'source']) {
            await page.locator(`#${part}`).scrollIntoViewIfNeeded();
            await assertFits(page, `${name}, ${part}`);
          }
          await screenshot(page, `${name}-source`);
        });
      }
    });
  }
}

// As it is painted.
const inSight = (page, selector) =>
  page.evaluate(async (selector) => {
    await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
    const { top, bottom } = document.querySelector(selector).getBoundingClientRect();
    return { top, bottom, height: window.innerHeight };
  }, selector);

test('the graph is in sight when it is enlarged, and when it is small again', async () => {
  for (const size of Object.keys(sizes)) {
    await inReport('models/mosterman/cradle.cradle', { size }, async (page) => {
      await lookInside(page);
      for (let turn = 0; turn < 2; ++turn) {
        await page.locator('.enlarge').click();
        const { top, bottom, height } = await inSight(page, '.graph-picture');
        assert.ok(top >= 0 && Math.min(bottom, height) - top > 0.4 * Math.min(height, bottom - top), `${size}: from ${top} to ${bottom} of ${height}`);
      }
    });
  }
});

test('what plays stays in sight, whatever is told above it', async () => {
  for (const model of ['models/mechanics/bouncing_ball.cradle', 'models/mosterman/cradle.cradle']) {
    await inReport(model, { size: 'phone' }, async (page) => {
      await page.locator('.player select').selectOption('4');
      await page.locator('.player .primary').click();
      for (let i = 0; i < 12; ++i) {
        await page.waitForTimeout(150);
        const { top, bottom, height } = await inSight(page, '.animation .stage');
        assert.ok(top >= -1 && bottom <= height + 1, `${model}: from ${top} to ${bottom} of ${height}`);
      }
    });
  }
});

test('paper has all that the page has, and is light', async () => {
  for (const model of ['models/mechanics/bouncing_ball.cradle', 'models/circuits/buck.cradle']) {
    const args = model.includes('buck') ? ['--until', '2e-4'] : [];
    await inReport(model, { theme: 'dark', args }, async (page) => {
      await lookInside(page);
      const view = await page.evaluate(() => JSON.parse(document.getElementById('view').textContent));
      await page.locator('#energy > summary').click(); // closed
      await page.setViewportSize({ width: 718, height: 1000 }); // A4, less its margins
      await page.emulateMedia({ media: 'print' });
      await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
      await page.waitForTimeout(100);
      await screenshot(page, `paper-${view.model}`);
      const found = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth,
        canvas: Math.max(...[...document.querySelectorAll('.plot canvas')].map((canvas) => canvas.getBoundingClientRect().right)),
        hidden: [...document.querySelectorAll('.instants, .steps-box, .code, .scroll-x, .narrow')]
          .filter((box) => box.scrollHeight > box.clientHeight + 1 && getComputedStyle(box).overflowY !== 'visible')
          .map((box) => box.className),
        rows: document.querySelectorAll('.instants tbody tr[data-row]').length,
        closed: document.querySelectorAll('details:not([open])').length,
        sources: document.querySelectorAll('.code').length,
        ground: getComputedStyle(document.documentElement).backgroundColor,
      }));
      const rows = view.events.reduce((sum, { first, last }) => sum + last - first + 1, 0);
      assert.deepEqual(
        { ...found, wide: found.wide <= 719, canvas: found.canvas <= 719 },
        { wide: true, canvas: true, hidden: [], rows, closed: 0, sources: view.sources.length, ground: 'rgb(255, 255, 255)' },
      );
      await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
      await page.emulateMedia({ media: 'screen' });
      await page.waitForTimeout(100);
      assert.equal(await page.locator('#energy[open]').count(), 0);
      assert.notEqual(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor), 'rgb(255, 255, 255)');
    });
  }
});
