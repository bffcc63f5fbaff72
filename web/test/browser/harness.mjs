// A real browser for the tests: Debian's Chromium, driven by playwright-core, without a network.
// CRADLE names the binary. Screenshots go to CRADLE_SCREENSHOTS, if that is set, for people to look at.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const run = promisify(execFile);

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
export const binary = resolve(process.env.CRADLE ?? join(root, 'build/cradle'));

export const sizes = {
  desk: { width: 1280, height: 720 },
  phone: { width: 390, height: 844 },
};
export const themes = ['light', 'dark'];

// What the command prints. `status`: what it must end with.
export async function cradle(args, { status = 0, cwd = root, timeout = 120_000 } = {}) {
  try {
    const { stdout } = await run(binary, args, { cwd, timeout, maxBuffer: 1 << 28 });
    assert.equal(0, status, `cradle ${args.join(' ')} ended with status 0`);
    return stdout;
  } catch (error) {
    if (error.code !== status) throw error;
    return error.stdout;
  }
}

export async function withFolder(body) {
  const folder = await mkdtemp(join(tmpdir(), 'cradle-browser-'));
  try {
    return await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function openBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync',
      '--disable-background-networking', '--disable-component-update'],
  });
}

// A page that fails the test if a script throws, the console complains, or anything is fetched from
// outside. `allowed`: the one origin that it may talk to.
export async function openPage(browser, { size = 'desk', theme = 'light', allowed = null, quiet = false } = {}) {
  const context = await browser.newContext({
    viewport: sizes[size],
    colorScheme: theme,
    hasTouch: size === 'phone',
    reducedMotion: 'reduce',
    acceptDownloads: true,
  });
  const page = await context.newPage();
  const troubles = [];
  page.on('pageerror', (error) => troubles.push(`script: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !quiet) troubles.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (/^(file|data|blob|about):/.test(url)) return;
    if (allowed !== null && new URL(url).origin === allowed) return;
    troubles.push(`fetched ${url}`);
  });
  return {
    page,
    troubles,
    async close() {
      await context.close();
      assert.deepEqual(troubles, []);
    },
  };
}

export const fileAddress = (path) => pathToFileURL(path).href;

export async function screenshot(page, name) {
  const folder = process.env.CRADLE_SCREENSHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

// Starts a server command and waits for the address that it prints.
export async function serve(args, { cwd = root } = {}) {
  const child = spawn(binary, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const address = await new Promise((found, failed) => {
    const timer = setTimeout(() => failed(new Error(`no address within 20 s; it said: ${said}`)), 20_000);
    const look = (data) => {
      said += data;
      const match = said.match(/http:\/\/127\.0\.0\.1:\d+\/\S*/);
      if (match) {
        clearTimeout(timer);
        found(match[0]);
      }
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.on('exit', (code) => failed(new Error(`ended with ${code}; it said: ${said}`)));
  });
  const ended = new Promise((done) => child.on('exit', (code, signal) => done({ code, signal })));
  return {
    address,
    origin: new URL(address).origin,
    async stop() {
      child.kill('SIGINT');
      return ended;
    },
  };
}

// Nothing that can be read is wider than the screen, and no two texts of one row lie on each other.
export async function assertFits(page, what) {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(overflow <= 1, `${what} is ${overflow} pixels wider than the screen`);
  const overlaps = await page.evaluate(findOverlaps);
  assert.deepEqual(overlaps, [], `${what}: texts lie on each other`);
}

// In the page: pairs of texts whose boxes overlap by more than a hair, of those that are visible.
function findOverlaps() {
  const texts = [];
  const clipped = (element, box) => {
    // What a scrolling or clipping parent hides is not seen.
    for (let parent = element; parent && parent !== document.body; parent = parent.parentElement ?? parent.getRootNode().host) {
      const style = getComputedStyle(parent);
      if (style.visibility === 'hidden' || style.opacity === '0' || style.display === 'none') return null;
      if (parent !== element && /(auto|scroll|hidden|clip)/.test(style.overflowX + style.overflowY)) {
        const frame = parent.getBoundingClientRect();
        box = {
          left: Math.max(box.left, frame.left), right: Math.min(box.right, frame.right),
          top: Math.max(box.top, frame.top), bottom: Math.min(box.bottom, frame.bottom),
        };
        if (box.right <= box.left || box.bottom <= box.top) return null;
      }
    }
    return box;
  };
  const sticky = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const position = getComputedStyle(e).position;
      if (position === 'sticky' || position === 'fixed') return true;
    }
    return false;
  };
  const visit = (node) => {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let at = walker.nextNode(); at; at = walker.nextNode()) {
      if (at.nodeType === Node.ELEMENT_NODE) {
        if (at.shadowRoot) visit(at.shadowRoot);
        continue;
      }
      if (!at.textContent.trim()) continue;
      const parent = at.parentElement;
      if (!parent || /^(SCRIPT|STYLE|TITLE|OPTION|NOSCRIPT)$/i.test(parent.tagName)) continue;
      if (!parent.checkVisibility() || sticky(parent) || parent.closest('.cm-editor, [data-may-overlap]')) continue;
      const range = document.createRange();
      range.selectNodeContents(at);
      for (const rect of range.getClientRects()) {
        const box = clipped(parent, rect);
        if (box && box.right - box.left > 1 && box.bottom - box.top > 1 && box.bottom > 0 && box.top < innerHeight) {
          texts.push({ text: at.textContent.trim().slice(0, 40), box, node: at });
        }
      }
    }
  };
  visit(document.body);
  const found = [];
  for (let i = 0; i < texts.length; i += 1) {
    for (let j = i + 1; j < texts.length; j += 1) {
      if (texts[i].node === texts[j].node) continue;
      const a = texts[i].box, b = texts[j].box;
      const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (width > 2 && height > 4) found.push(`${texts[i].text} | ${texts[j].text}`);
    }
  }
  return found.slice(0, 10);
}
