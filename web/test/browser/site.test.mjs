// The site in a real browser, opened from disk: every page at both sizes, search, theme, menu, copy.
// CRADLE_SITE names a built site; without it one is built.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { assertFits, binary, fileAddress, openBrowser, openPage, root, screenshot, sizes, themes } from './harness.mjs';

let site = process.env.CRADLE_SITE;
let scratch = null;
let browser = null;

before(async () => {
  if (!site) {
    scratch = mkdtempSync(join(tmpdir(), 'cradle-browser-'));
    site = join(scratch, 'site');
    execFileSync(process.execPath, [join(root, 'web/site/build.mjs'), '--cradle', binary, '--out', site]);
  }
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  if (scratch) rmSync(scratch, { recursive: true, force: true });
});

function pages(folder = site) {
  return readdirSync(folder).sort().flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return name === 'reports' ? [] : pages(path);
    return name.endsWith('.html') ? [relative(site, path)] : [];
  });
}
const address = (path) => fileAddress(join(site, path));
const shown = ['index.html', 'start.html', 'tutorial.html', 'seeds/hyperdense.html', 'seeds/constructive.html',
  'gallery/index.html', 'gallery/mosterman/cradle.html', 'language.html'];

for (const size of Object.keys(sizes)) {
  test(`every page fits and has its pictures, ${size}`, async () => {
    const { page, close } = await openPage(browser, { size });
    for (const path of pages()) {
      await page.goto(address(path));
      await assertFits(page, path);
      const lost = await page.evaluate(async () => {
        const seen = [...document.images].filter((image) => image.offsetParent !== null);
        for (const image of seen) image.loading = 'eager';
        await Promise.all(seen.map((image) => image.decode().catch(() => {})));
        return seen.filter((image) => !image.naturalWidth).map((image) => image.src);
      });
      assert.deepEqual(lost, [], path);
    }
    await close();
  });
  for (const theme of themes) {
    test(`pages to look at, ${size}, ${theme}`, async () => {
      const { page, close } = await openPage(browser, { size, theme });
      for (const path of shown) {
        await page.goto(address(path));
        const hidden = theme === 'dark' ? '.light-only' : '.dark-only';
        assert.equal(await page.locator(`${hidden}:visible`).count(), 0, path);
        await screenshot(page, `site-${path.replace(/\W/g, '-')}-${size}-${theme}`);
      }
      await close();
    });
  }
}

test('search finds sections, and the keyboard leads there', async () => {
  const { page, close } = await openPage(browser);
  await page.goto(address('seeds/hyperdense.html'));
  await page.keyboard.press('/');
  await page.keyboard.type('pinnacle');
  const found = page.locator('#found [role=option]');
  await found.first().waitFor();
  assert.ok((await found.count()) > 3);
  await page.keyboard.press('ArrowDown');
  const target = await found.first().locator('a').evaluate((link) => link.href);
  await page.keyboard.press('Enter');
  await page.waitForURL(target);
  await page.keyboard.press('/');
  await page.keyboard.type('nosuchword');
  await page.getByText('Nothing found').waitFor();
  await page.keyboard.press('Escape');
  assert.ok(await page.locator('#found').isHidden());
  await close();
});

test('the theme is remembered', async () => {
  const { page, close } = await openPage(browser, { theme: 'light' });
  await page.goto(address('index.html'));
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.click('.theme');
  const dark = await ground();
  assert.notEqual(dark, light);
  await page.goto(address('seeds/mythical.html'));
  assert.equal(await ground(), dark);
  assert.equal(await page.locator('.light-only:visible').count(), 0);
  await close();
});

test('on paper a page is light, whatever the screen is', async () => {
  const { page, close } = await openPage(browser, { theme: 'dark' });
  await page.goto(address('seeds/hyperdense.html'));
  await page.emulateMedia({ media: 'print' });
  const look = () => page.evaluate(() => [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]);
  const paper = ['rgb(29, 33, 39)', 'rgb(255, 255, 255)'];
  assert.deepEqual(await look(), paper);
  await page.evaluate(() => { document.documentElement.dataset.theme = 'dark'; });
  assert.deepEqual(await look(), paper);
  assert.equal(await page.locator('.dark-only:visible').count(), 0);
  assert.ok((await page.locator('.light-only:visible').count()) > 0);
  assert.ok(await page.locator('.top').isHidden());
  await close();
});

test('text stands out from its ground, in both themes', async () => {
  for (const theme of themes) {
    const { page, close } = await openPage(browser, { theme });
    for (const path of shown) {
      await page.goto(address(path));
      const faint = await page.evaluate(() => {
        const parts = (colour) => colour.match(/[\d.]+/g).map(Number);
        const light = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
        const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
        const ground = (element) => {
          const colour = element ? parts(getComputedStyle(element).backgroundColor) : [255, 255, 255];
          return colour.length === 4 && colour[3] === 0 ? ground(element.parentElement) : colour;
        };
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const found = new Set();
        for (let text; (text = texts.nextNode());) {
          const element = text.parentElement;
          if (!text.textContent.trim() || !element.offsetParent) continue;
          const [a, b] = [luminance(parts(getComputedStyle(element).color)), luminance(ground(element))];
          if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) found.add(`${element.className}: ${text.textContent.trim().slice(0, 30)}`);
        }
        return [...found];
      });
      assert.deepEqual(faint, [], `${path}, ${theme}`);
    }
    await close();
  }
});

test('without scripts a page can be read, and leads on', async () => {
  const context = await browser.newContext({ viewport: sizes.phone, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(address('tutorial.html'));
  for (const dead of ['.menu', '.theme', '.search']) assert.ok(await page.locator(dead).isHidden(), dead);
  const title = await page.locator('h1').boundingBox();
  const pages = await page.locator('#side').boundingBox();
  assert.ok(title.y < 150 && pages.y > title.y, 'the text comes before the list of pages');
  await page.locator('#side').getByText('The language').click();
  await page.waitForURL(address('language.html'));
  await context.close();
});

test('the menu of a phone opens, leads on, and closes', async () => {
  const { page, close } = await openPage(browser, { size: 'phone' });
  await page.goto(address('index.html'));
  const side = page.locator('#side');
  assert.ok(await side.isHidden());
  await page.click('.menu');
  assert.ok(await side.isVisible());
  await page.keyboard.press('Escape');
  assert.ok(await side.isHidden());
  await page.click('.menu');
  await side.getByText('The language').click();
  await page.waitForURL(address('language.html'));
  await close();
});

test('a command is copied without its prompt', async () => {
  const { page, close } = await openPage(browser);
  await page.goto(address('start.html'));
  const block = page.locator('.code', { hasText: '$ ./cradle instants' }).first();
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } });
  });
  await block.hover();
  await block.locator('.copy').click();
  await block.getByText('Copied').waitFor();
  assert.equal(await page.evaluate(() => window.copied), './cradle instants docs/tutorial/share.cradle');
  await close();
});
