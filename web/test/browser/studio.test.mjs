// The studio in a real browser: open, write, run, look, compare; and what happens when things go wrong.

import assert from 'node:assert/strict';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertFits, openBrowser, openPage, root, screenshot, serve, sizes, themes, withFolder } from './harness.mjs';

const endless = 'model Endless {\n  C c(1, q = 1)\n  I l(1)\n  1 j\n  j -> c\n  j -> l\n  until 1e12\n  show l.p\n}\n';

let browser;
before(async () => (browser = await openBrowser()));
after(() => browser.close());

// A folder with the cradle in it, a studio, a page. `quiet`: the console may tell of refused requests.
async function inStudio(options, body) {
  await withFolder(async (folder) => {
    await copyFile(join(root, 'models/mosterman/cradle.cradle'), join(folder, 'cradle.cradle'));
    await writeFile(join(folder, 'endless.cradle'), endless);
    const server = await serve(['studio', folder]);
    const opened = await openPage(browser, { ...options, allowed: server.origin });
    try {
      await opened.page.goto(server.address);
      await opened.page.getByTestId('files').waitFor();
      await body(opened.page, { folder, server });
      await opened.close();
    } finally {
      await server.stop();
    }
  });
}

const openFile = (page, name) => page.getByTestId('files').getByRole('button', { name: new RegExp(`^${name}`) }).click();
const finished = (page, name) => page.getByTestId('run-b').getByText(name, { exact: true }).waitFor();
const place = (page, line) => page.locator('.cm-line').nth(line - 1);
const source = (page) => page.evaluate(() => [...document.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'));

// The header hides what does not fit, so that the page is never too wide: its button is looked for.
async function assertOnScreen(page, id) {
  const box = await page.getByTestId(id).boundingBox();
  const { width, height } = page.viewportSize();
  assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height, `${id} is at ${JSON.stringify(box)}`);
}

// The editor follows a click when it has painted.
const selected = (page, text) => page.waitForFunction((wanted) => getSelection().toString() === wanted, text);

async function type(page, line, text) {
  await place(page, line).click();
  await page.keyboard.press('End');
  await page.keyboard.type(text);
}

for (const size of Object.keys(sizes)) {
  for (const theme of themes) {
    test(`every part fits: ${size}, ${theme}`, () =>
      inStudio({ size, theme }, async (page) => {
        const shot = async (name) => {
          await page.waitForTimeout(400);
          await assertFits(page, name);
          await screenshot(page, `studio-${name}-${size}-${theme}`);
        };
        await page.getByTestId('gallery').waitFor();
        await shot('begin');
        await openFile(page, 'cradle.cradle');
        await page.getByTestId('run-b').waitFor({ state: 'attached' });
        await shot('edit');
        if (size === 'phone') await page.getByTestId('tab-result').click();
        await finished(page, 'defaults');
        await shot('result');
        await page.getByTestId('pin').click();
        if (size === 'phone') await page.getByTestId('tab-parameters').click();
        const slider = page.getByTestId('parameter-J_break').getByRole('slider');
        await slider.focus();
        await page.keyboard.press('End');
        await shot('parameters');
        if (size === 'phone') await page.getByTestId('tab-result').click();
        await finished(page, 'J_break = 1');
        await shot('compare');
        if (size === 'phone') await page.getByTestId('tab-edit').click();
        else await page.getByTestId('below-problems').click();
        await type(page, 17, '\ny = nobody');
        await page.getByTestId('problems').waitFor();
        await shot('problems');
        if (size === 'phone') await page.getByTestId('tab-files').click();
        else await page.getByTestId('toggle-files').click();
        await openFile(page, 'endless.cradle');
        await page.getByTestId('progress').getByText(/t = /).waitFor();
        await shot('running');
        await assertOnScreen(page, 'cancel');
        await page.getByTestId('cancel').click();
        await page.getByTestId('run').waitFor();
      }));
  }
}

test('a parameter is swept, and what comes out is a picture', () =>
  inStudio({}, async (page) => {
    await openFile(page, 'cradle.cradle');
    await finished(page, 'defaults');
    await page.getByTestId('below-sweep').click();
    await page.getByTestId('sweep-parameter').selectOption('J_break');
    await page.getByTestId('sweep-from').fill('0.1');
    await page.getByTestId('sweep-to').fill('1');
    await page.getByTestId('sweep-count').fill('7');
    await page.getByTestId('sweep-measure').fill('final(body1.p)');
    assert.match(await page.getByTestId('sweep-command').textContent(), /--vary J_break=0\.1\.\.1:7 --measure 'final\(body1\.p\)'/);
    await page.getByTestId('sweep-start').click();
    const picture = page.getByTestId('sweep-picture');
    await picture.waitFor();
    await page.waitForFunction((image) => image.complete && image.naturalWidth > 0, await picture.elementHandle());
    await page.getByText('7 runs').waitFor();
    await page.waitForTimeout(300);
    await screenshot(page, 'studio-sweep');
    await page.getByTestId('sweep-measure').fill('peak(nobody)');
    await page.getByTestId('sweep-start').click();
    await page.getByTestId('sweep-error').getByText(/nobody/).waitFor();
  }));

test('an error is marked where it stands, and its entry leads there', () =>
  inStudio({}, async (page) => {
    await openFile(page, 'cradle.cradle');
    await finished(page, 'defaults');
    await type(page, 17, '\n// 𝜔\ny = 1 + nobody');
    const mark = page.locator('.cm-lintRange-error');
    await mark.waitFor();
    assert.equal(await mark.first().textContent(), 'nobody');
    await page.getByTestId('below-problems').click();
    const entry = page.getByTestId('problems').getByRole('button').first();
    assert.match(await entry.textContent(), /19:11.*nobody/);
    await place(page, 1).click();
    await entry.click();
    await selected(page, 'nobody');
    // what was seen stays until there is something new
    assert.equal(await page.getByTestId('run-b').textContent(), 'defaults');
  }));

test('an error in an imported file is told with its file, and leads into it', () =>
  inStudio({}, async (page, { folder }) => {
    await writeFile(join(folder, 'part.cradle'), 'component Part {\n  port a\n  R r(nobody)\n  a -> r\n}\n');
    await writeFile(join(folder, 'whole.cradle'), 'import "part.cradle"\nmodel W {\n  Se s = 1\n  Part p\n  s -> p.a\n  until 1\n}\n');
    await page.reload();
    await openFile(page, 'whole.cradle');
    await page.getByTestId('below-problems').click();
    await page.getByTestId('problems').getByText('part.cradle:3:7').click();
    await page.getByTestId('doc-name').getByText('part.cradle').waitFor();
    await selected(page, 'nobody');
  }));

test('names and elements are offered, and a component brings its import', () =>
  inStudio({}, async (page) => {
    await openFile(page, 'cradle.cradle');
    await finished(page, 'defaults');
    await type(page, 17, '\ny = body1.');
    const list = page.getByRole('listbox');
    await list.waitFor();
    assert.deepEqual((await list.getByRole('option').allTextContents()).map((text) => text[0]), ['e', 'f', 'p', 'q']);
    await page.keyboard.press('Escape');
    await page.keyboard.type('p\nDio');
    await list.getByText('Diode name(v_on = 0, r_on = 0, r_leak = inf)').waitFor();
    await page.waitForTimeout(150);
    await page.keyboard.press('Enter');
    assert.match(await source(page), /import "std\/electrical\/diode\.cradle"/);
    assert.match(await source(page), /\n {2}Diode name\(v_on = 0, r_on = 0, r_leak = inf\)/);
  }));

test('Enter behind a name that is complete begins a line', () =>
  inStudio({}, async (page) => {
    await openFile(page, 'cradle.cradle');
    await finished(page, 'defaults');
    await type(page, 17, '\ny = body1.p');
    await page.getByRole('listbox').waitFor();
    await page.waitForTimeout(150);
    await page.keyboard.type('\nz = 1');
    assert.match(await source(page), /\n {2}y = body1\.p\n {2}z = 1\n/);
  }));

test('a line behind an open brace is indented, and its closing brace is not', () =>
  inStudio({}, async (page, { folder }) => {
    await writeFile(join(folder, 'typed.cradle'), '');
    await page.reload();
    await openFile(page, 'typed.cradle');
    await page.getByTestId('doc-name').getByText('typed.cradle').waitFor();
    await page.getByTestId('editor').click();
    for (const line of ['model M {', '0 F initially off {', 'off -> on when x > 1']) await page.keyboard.type(`${line}\n`);
    await page.keyboard.type('x');
    assert.equal(await source(page), 'model M {\n  0 F initially off {\n    off -> on when x > 1\n    x\n  }\n}');
  }));

test('a model without an end time says so, and gets one', () =>
  inStudio({ size: 'phone' }, async (page, { folder }) => {
    await writeFile(join(folder, 'ever.cradle'), 'model Ever {\n  x = integral(1)\n}\n');
    await page.reload();
    await openFile(page, 'ever.cradle');
    await page.getByText('it has to say when it ends').waitFor();
    await page.getByTestId('run').click();
    await page.getByTestId('run-error').getByText('does not say when it ends').waitFor();
    await page.getByTestId('write-end').click();
    await finished(page, 'defaults');
    assert.equal(await page.getByTestId('run-error').count(), 0);
    await page.getByTestId('tab-edit').click();
    assert.equal(await source(page), 'model Ever {\n  x = integral(1)\n  until 10\n}\n');
  }));

test('many files are one stop for the Tab key; arrows go through them', () =>
  inStudio({}, async (page, { folder }) => {
    for (let i = 10; i < 60; i += 1) await writeFile(join(folder, `m${i}.cradle`), `model M${i} {\n  x = ${i}\n  until 1\n}\n`);
    await page.reload();
    await page.getByTestId('files').getByRole('button', { name: /^m59/ }).waitFor();
    const focused = () => page.evaluate(() => document.activeElement.textContent);
    await page.getByRole('searchbox', { name: 'Filter files' }).focus();
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('Tab');
    assert.match(await focused(), /^cradle\.cradle/);
    await page.keyboard.press('Tab');
    assert.ok(!(await page.evaluate(() => document.activeElement.closest('[data-testid=files]'))));
    await page.getByRole('searchbox', { name: 'Filter files' }).focus();
    for (const key of ['ArrowDown', 'End', 'ArrowUp']) await page.keyboard.press(key);
    assert.match(await focused(), /^m58\.cradle/);
    await page.keyboard.press('Enter');
    await page.getByTestId('doc-name').getByText('m58.cradle').waitFor();
  }));

test('Escape and Tab leave the editor', () =>
  inStudio({}, async (page) => {
    await openFile(page, 'cradle.cradle');
    await place(page, 1).click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    assert.ok(!(await page.evaluate(() => document.activeElement.closest('.cm-editor'))));
  }));

test('a slider runs at once; its value is told, compared and written into the text', () =>
  inStudio({}, async (page, { folder }) => {
    await openFile(page, 'cradle.cradle');
    await finished(page, 'defaults');
    await page.getByTestId('pin').click();
    const row = page.getByTestId('parameter-J_break');
    await row.getByRole('slider').focus();
    await page.keyboard.press('End');
    await finished(page, 'J_break = 1');
    assert.equal(await page.getByTestId('command').textContent(), 'cradle run cradle.cradle --set J_break=1');
    assert.equal(await page.getByTestId('run-a').textContent(), 'defaults');
    const final = page.getByTestId('comparison').getByRole('row', { name: /^body2\.p/ });
    assert.deepEqual(await final.getByRole('cell').allTextContents(), ['0', '0.6', '+0.6']);
    await row.getByRole('textbox', { name: 'J_break, exact value' }).fill('0.95');
    await page.keyboard.press('Enter');
    await finished(page, 'J_break = 0.95');
    await page.getByRole('button', { name: 'Write into the text' }).click();
    assert.match(await source(page), /param J_break = 0\.95 {2}\/\/ breakaway/);
    await page.getByTestId('dirty').waitFor();
    await page.keyboard.press('Control+z');
    await page.getByTestId('dirty').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+Shift+z');
    await page.getByTestId('dirty').waitFor();
    await page.getByTestId('after-saving').waitFor();
    assert.equal(await page.getByTestId('changed').count(), 0);
    await page.keyboard.press('Control+s');
    await page.getByTestId('dirty').waitFor({ state: 'detached' });
    assert.match(await readFile(join(folder, 'cradle.cradle'), 'utf8'), /J_break = 0\.95 /);
  }));

test('a pinned run stays while another model is looked at', () =>
  inStudio({}, async (page, { folder }) => {
    await writeFile(join(folder, 'other.cradle'), 'model Other {\n  z = integral(1)\n  until 1\n  show z\n}\n');
    await page.reload();
    await openFile(page, 'cradle.cradle');
    await finished(page, 'defaults');
    await page.getByTestId('pin').click();
    await page.getByTestId('toggle-files').click();
    await openFile(page, 'other.cradle');
    await page.getByTestId('run-a').waitFor({ state: 'detached' });
    await page.getByTestId('toggle-files').click();
    await openFile(page, 'cradle.cradle');
    await page.getByTestId('run-a').getByText('defaults').waitFor();
  }));

test('a list is set as text', () =>
  inStudio({}, async (page, { folder }) => {
    await writeFile(join(folder, 'list.cradle'), 'model L {\n  param k = [1, 2]\n  x = integral(k[2])\n  until 1\n  show x\n}\n');
    await page.reload();
    await openFile(page, 'list.cradle');
    await finished(page, 'defaults');
    const field = page.getByRole('textbox', { name: 'k, a list' });
    await field.fill('[1, 5');
    await page.keyboard.press('Enter');
    await page.getByTestId('parameter-k').getByRole('alert').getByText('brackets').waitFor();
    await field.fill('[1, 5]');
    await page.keyboard.press('Enter');
    await finished(page, 'k = [1, 5]');
    assert.equal(await page.getByTestId('command').textContent(), "cradle run list.cradle --set 'k=[1, 5]'");
    await page.reload();
    await finished(page, 'k = [1, 5]');
    await page.getByRole('button', { name: 'Write into the text' }).click();
    await finished(page, 'defaults');
    assert.match(await source(page), /param k = \[1, 5\]\n/);
  }));

test('what is not a number is refused with a reason, and settings survive a reload', () =>
  inStudio({}, async (page) => {
    await openFile(page, 'cradle.cradle');
    await finished(page, 'defaults');
    const field = page.getByRole('textbox', { name: 'J_break, exact value' });
    for (const [text, why] of [['1,000', /no commas/], ['1e400', /out of the range/], ['0x10', /digits/], ['much', /not a number/]]) {
      await field.fill(text);
      await page.keyboard.press('Enter');
      await page.getByTestId('parameter-J_break').getByRole('alert').getByText(why).waitFor();
    }
    await page.keyboard.press('Escape');
    assert.equal(await page.getByTestId('changed').count(), 0);
    await field.fill('0.7');
    await page.keyboard.press('Enter');
    await finished(page, 'J_break = 0.7');
    await page.reload();
    await finished(page, 'J_break = 0.7');
  }));

test('the undo of a field sets nothing when the field is left', () =>
  inStudio({}, async (page) => {
    await openFile(page, 'cradle.cradle');
    await finished(page, 'defaults');
    const field = page.getByRole('textbox', { name: 'J_break, exact value' });
    await field.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('0.95');
    await page.keyboard.press('Enter');
    await finished(page, 'J_break = 0.95');
    await page.keyboard.press('Control+z');
    assert.notEqual(await field.inputValue(), '0.95');
    await page.keyboard.press('Tab');
    await page.waitForTimeout(300);
    assert.equal(await field.inputValue(), '0.95');
    assert.equal(await page.getByTestId('changed').textContent(), 'J_break = 0.95');
  }));

test('a file of components is no error', () =>
  inStudio({}, async (page, { folder }) => {
    await writeFile(join(folder, 'part.cradle'), 'component Part {\n  port a\n  R r(1)\n  a -> r\n}\n');
    await page.reload();
    await openFile(page, 'part.cradle');
    await page.getByTestId('below-problems').click();
    await page.getByTestId('parts-hint').waitFor();
    assert.equal(await page.locator('.cm-lintRange-error, .cm-lint-marker-error').count(), 0);
    assert.equal(await page.getByTestId('first-problem').count(), 0);
  }));

test('a run shows how far it is, and a cancelled one what it has', () =>
  inStudio({}, async (page) => {
    await openFile(page, 'endless.cradle');
    await page.getByTestId('progress').getByText(/t = .* of 1e12/).waitFor();
    await page.getByTestId('cancel').click();
    await page.getByText(/^cancelled at t = /).waitFor();
    await page.getByTestId('run').waitFor();
  }));

test('a file that has changed on disk is not overwritten unasked', () =>
  inStudio({ quiet: true }, async (page, { folder }) => {
    const file = join(folder, 'cradle.cradle');
    await openFile(page, 'cradle.cradle');
    await type(page, 1, ' Mine.');
    await writeFile(file, '// Theirs.\nmodel M {}\n');
    await page.keyboard.press('Control+s');
    await page.getByRole('button', { name: 'Load theirs' }).click();
    assert.match(await source(page), /^\/\/ Theirs\./);
    await place(page, 1).click();
    await page.keyboard.press('Control+z');
    assert.match(await source(page), /Mine\./);
    await writeFile(file, '// Theirs again.\n');
    await page.keyboard.press('Control+s');
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByTestId('dirty').waitFor({ state: 'detached' });
    assert.match(await readFile(file, 'utf8'), /Mine\./);
  }));

test('saves that overtake each other are no conflict', () =>
  inStudio({ quiet: true }, async (page, { folder }) => {
    await openFile(page, 'cradle.cradle');
    await finished(page, 'defaults');
    await page.route('**/api/file', async (route) => {
      await new Promise((done) => setTimeout(done, 400));
      await route.continue();
    });
    await type(page, 1, ' One.');
    await page.keyboard.press('Control+s');
    await page.keyboard.type(' Two.');
    await page.keyboard.press('Control+s');
    await page.getByTestId('dirty').waitFor({ state: 'detached' });
    assert.equal(await page.getByTestId('dialog').count(), 0);
    assert.match(await readFile(join(folder, 'cradle.cradle'), 'utf8'), /One\. Two\./);
  }));

test('formatting leaves the cursor at what it stood at, and is one step to undo', () =>
  inStudio({}, async (page, { folder }) => {
    const lines = ['model M {', ' x=integral( 1 )', '', '', 'y   =   2', '      until 1', '}'];
    await writeFile(join(folder, 'loose.cradle'), lines.join('\n'));
    await page.reload();
    await openFile(page, 'loose.cradle');
    await place(page, 5).click();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+Alt+f');
    await page.locator('.cm-line').getByText('y = 2').waitFor();
    await page.keyboard.type('an');
    await page.locator('.cm-line').getByText('any = 2').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    assert.equal(await source(page), lines.join('\n'));
  }));

test('a run ends when its page is closed', () =>
  inStudio({}, async (page, { server }) => {
    const other = await page.context().newPage();
    await other.goto(server.address);
    await openFile(other, 'endless.cradle');
    await other.getByTestId('progress').getByText(/t = /).waitFor();
    await other.close();
    const token = new URL(server.address).searchParams.get('token');
    const ended = await page.evaluate(async (token) => {
      for (let i = 0; i < 50; i += 1) {
        const state = await (await fetch('/api/run/1', { headers: { 'X-Cradle-Token': token } })).json();
        if (state.state === 'cancelled') return true;
        await new Promise((done) => setTimeout(done, 100));
      }
      return false;
    }, token);
    assert.ok(ended);
  }));

test('what is open follows its file; changes made here stay', () =>
  inStudio({}, async (page, { folder }) => {
    const file = join(folder, 'cradle.cradle');
    const looked = () => page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await openFile(page, 'cradle.cradle');
    await finished(page, 'defaults');
    await writeFile(file, '// Theirs.\nmodel M {}\n');
    await looked();
    await page.locator('.cm-line').getByText('// Theirs.').waitFor();
    assert.equal(await page.getByTestId('dirty').count(), 0);
    await type(page, 1, ' Mine.');
    await writeFile(file, '// Theirs again.\nmodel M {}\n');
    await looked();
    await page.getByTestId('notice').getByText('has changed on disk').waitFor();
    assert.match(await source(page), /Theirs\. Mine\./);
    await page.getByRole('button', { name: 'Load theirs' }).click();
    await page.locator('.cm-line').getByText('// Theirs again.').waitFor();
    assert.equal(await page.getByTestId('dirty').count(), 0);
  }));

test('a save in one tab leaves the draft of another', () =>
  inStudio({ quiet: true }, async (page, { server }) => {
    page.on('dialog', (dialog) => dialog.accept());
    await openFile(page, 'cradle.cradle');
    await type(page, 1, ' Of the first tab.');
    await page.waitForTimeout(600);
    const other = await page.context().newPage();
    await other.goto(server.address);
    await openFile(other, 'cradle.cradle');
    await other.getByRole('button', { name: 'Discard them' }).waitFor();
    await type(page, 1, ' More.');
    await page.waitForTimeout(600);
    await type(other, 1, ' Of the second.');
    await other.keyboard.press('Control+s');
    await other.getByTestId('dirty').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByTestId('notice').getByText('unsaved').waitFor();
    assert.match(await source(page), /Of the first tab\. More\./);
  }));

test('the draft of a file that is gone can be opened and saved again', () =>
  inStudio({ quiet: true }, async (page, { folder, server }) => {
    page.on('dialog', (dialog) => dialog.accept());
    await openFile(page, 'cradle.cradle');
    await type(page, 1, ' Unsaved.');
    await page.waitForTimeout(600);
    await rm(join(folder, 'cradle.cradle'));
    await page.reload();
    await page.getByTestId('notice').getByText('no longer in the folder').waitFor();
    await page.goto('about:blank');
    await page.goto(server.address);
    await page.getByTestId('gone-files').getByRole('button', { name: /^cradle\.cradle/ }).click();
    await page.getByTestId('notice').getByText('no longer in the folder').waitFor();
    assert.match(await source(page), /Unsaved\./);
    await page.keyboard.press('Control+s');
    await page.getByTestId('dirty').waitFor({ state: 'detached' });
    assert.equal(await page.getByTestId('notice').count(), 0);
    assert.match(await readFile(join(folder, 'cradle.cradle'), 'utf8'), /Unsaved\./);
  }));

test('a copy of the gallery runs, and is saved under a name', () =>
  inStudio({ quiet: true }, async (page, { folder }) => {
    await page.getByTestId('card-circuits/rectifier.cradle').click();
    await finished(page, 'defaults');
    await page.keyboard.press('Control+s');
    const name = page.getByRole('dialog').getByRole('textbox');
    await name.fill('cradle');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('exists').waitFor();
    await name.fill('mine');
    await page.keyboard.press('Enter');
    await page.getByTestId('doc-name').getByText('mine.cradle').waitFor();
    assert.match(await readFile(join(folder, 'mine.cradle'), 'utf8'), /model Rectifier/);
  }));

test('a new model is made and runs', () =>
  inStudio({}, async (page, { folder }) => {
    await page.getByTestId('new-file').click();
    await page.getByRole('dialog').getByRole('textbox').fill('first');
    await page.keyboard.press('Enter');
    await page.getByTestId('doc-name').getByText('first.cradle').waitFor();
    await finished(page, 'defaults');
    assert.match(await readFile(join(folder, 'first.cradle'), 'utf8'), /model /);
  }));

test('what is not saved survives a reload and the end of the server', () =>
  inStudio({ quiet: true }, async (page, { server }) => {
    await openFile(page, 'cradle.cradle');
    await type(page, 1, ' Unsaved.');
    page.on('dialog', (dialog) => dialog.accept());
    await page.waitForTimeout(600);
    await page.reload();
    await page.getByTestId('notice').getByText('unsaved').waitFor();
    assert.match(await source(page), /Unsaved\./);
    await server.stop();
    await type(page, 1, ' More.');
    await page.getByTestId('offline').waitFor();
    assert.match(await source(page), /More\./);
  }));

test('a wrong token is refused', () =>
  inStudio({ quiet: true }, async (page, { server }) => {
    const response = await page.goto(`${server.origin}/?token=wrong`);
    assert.equal(response.status(), 401);
    assert.equal(await page.getByTestId('files').count(), 0);
  }));
