// Runs cradle for the pages: a command as it is typed, in a folder of its own, for a limited time.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mkdtempSync } from 'node:fs';

/** Splits a command as a shell would, as far as quotes go. */
export function split_command(line) {
  const words = [];
  let word = null;
  let quote = null;
  for (const c of line.trim()) {
    if (quote) {
      if (c === quote) quote = null;
      else word += c;
    } else if (c === '"' || c === "'") {
      quote = c;
      word ??= '';
    } else if (/\s/.test(c)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? '') + c;
    }
  }
  if (quote) throw new Error(`a quote is not closed: ${line}`);
  if (word !== null) words.push(word);
  return words;
}

/** At most `width` jobs at a time; the others wait. */
export function make_queue(width) {
  let running = 0;
  const waiting = [];
  const next = () => {
    if (running >= width || !waiting.length) return;
    running++;
    const { job, resolve, reject } = waiting.shift();
    job().then(resolve, reject).finally(() => {
      running--;
      next();
    });
  };
  return (job) =>
    new Promise((resolve, reject) => {
      waiting.push({ job, resolve, reject });
      next();
    });
}

// Whoever builds the pages, commands print the same.
const PLAIN = { LC_ALL: 'C.UTF-8', COLUMNS: '80', NO_COLOR: '1' };

// What commands of the pages may name, relative to the root of the repository.
const VISIBLE = ['models', 'docs', 'examples', 'lib', 'tests'];

/**
 * A cradle to run commands with. `cradle.run(words, {folder, together})` gives {status, out, err};
 * with `together`, out has both streams in the order in which they were written.
 */
export function make_cradle({ binary, root, width = 2, limit = 60_000 }) {
  const queue = make_queue(width);
  const scratch = mkdtempSync(join(tmpdir(), 'cradle-site-'));
  let folders = 0;

  // A folder in which the models can be named as from the root, and files can be written.
  const make_folder = () => {
    const folder = join(scratch, String(folders++));
    mkdirSync(folder);
    for (const name of VISIBLE) symlinkSync(join(root, name), join(folder, name));
    return folder;
  };
  const shared = make_folder();

  const start = (words, folder, together) =>
    new Promise((resolve, reject) => {
      const log = join(folder, '.output');
      const file = together ? openSync(log, 'w') : null;
      const stdio = together ? ['ignore', file, file] : ['ignore', 'pipe', 'pipe'];
      const child = spawn(binary, words, { cwd: folder, stdio, env: { ...process.env, ...PLAIN } });
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        child.kill('SIGKILL');
      }, limit);
      const out = [];
      const err = [];
      child.stdout?.on('data', (chunk) => out.push(chunk));
      child.stderr?.on('data', (chunk) => err.push(chunk));
      child.on('error', (error) => {
        clearTimeout(timer);
        if (file !== null) closeSync(file);
        reject(new Error(`${binary} cannot be started: ${error.message}`));
      });
      child.on('close', (status, signal) => {
        clearTimeout(timer);
        if (file !== null) closeSync(file);
        const command = `cradle ${words.join(' ')}`;
        if (late) reject(new Error(`${command}: not finished after ${limit / 1000} s`));
        else if (signal) reject(new Error(`${command}: ended by ${signal}`));
        else
          resolve({
            status,
            out: together ? readFileSync(log, 'utf8') : Buffer.concat(out).toString('utf8'),
            err: Buffer.concat(err).toString('utf8'),
          });
      });
    });

  const helps = new Map();
  const help = (command) => {
    if (!helps.has(command)) {
      const words = command ? [command, '--help'] : ['--help'];
      helps.set(command, queue(() => start(words, shared, false)).then((r) => r.out));
    }
    return helps.get(command);
  };

  return {
    make_folder,
    run: (words, { folder = shared, together = false } = {}) => {
      // Two commands that log into one folder would mix.
      const where = together && folder === shared ? make_folder() : folder;
      return queue(() => start(words, where, together));
    },
    /** Its commands, and the options of one, as `--help` lists them; of -o and --output the short one. */
    commands: async () => [...(await help('')).split(/^Subcommands:$/m).at(-1).matchAll(/^  ([a-z]+)\b/gm)].map((m) => m[1]),
    options: async (name) => [...(await help(name)).matchAll(/^  (-\w|--[a-z-]+)/gm)].map((m) => m[1]).filter((o) => o !== '-h'),
    /** Does the binary have this command? */
    has_command: async (name) => new RegExp(`^  ${name}\\b`, 'm').test(await help('')),
    /** Does this command have this option? */
    has_option: async (name, option) =>
      new RegExp(`(^|[ ,])${option}\\b`, 'm').test(await help(name)),
    close: () => rmSync(scratch, { recursive: true, force: true }),
  };
}
