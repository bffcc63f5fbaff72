// Tables that hold the original's numbers beside ours, and fail where they differ:
//
//   run models/lee/lcd.cradle
//   recorded tests/golden/lee/lcd.csv
//   what                    | original            | ours                          | within
//   conduction ends         | 3*pi/4              | time circuit becomes reverse  | 1e-9
//   voltage that is held    | v at the end        | circuit.v at the end          | 1e-3
//   mode at the end         | reverse             | circuit at the end            |
//
// A line without bars is the command whose JSON the rows below it ask; `recorded` names data of the
// original. The first row with bars is the head. `original` is a word, a formula over numbers, or a
// question to the recorded data; `ours` is a question to the command:
//
//   NAME at ⟨1 + ε, 0⟩      NAME: a column, an automaton, impulse(COLUMN), kind
//   NAME at 2.5             the last row of that time (ask for one with --every)
//   NAME at the end
//   largest NAME, smallest NAME
//   time MACHINE becomes STATE, 2     when it does so for the second time; without 2 the first
//   diagnostic, ending      of a run
//   $.outcomes[0].values["left.v"]    anything in the JSON; [name=S] finds an item of a list
//
// `within` is how far the two may be apart: a number, a share of the original (1%), or nothing: 1e-9.
import { escape } from './html.mjs';

const FUNCTIONS = { sqrt: Math.sqrt, exp: Math.exp, log: Math.log, sin: Math.sin, cos: Math.cos,
  tan: Math.tan, asin: Math.asin, atan: Math.atan, abs: Math.abs };
const CONSTANTS = { pi: Math.PI, e: Math.E };

/** The value of a formula, or null if the text is none. */
export function evaluate(text) {
  const tokens = text.replaceAll('−', '-').replaceAll('π', 'pi').replaceAll('·', '*')
    .match(/\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[a-z]+|[-+*/^()]|\S/g) ?? [];
  let at = 0;
  const fail = () => {
    throw new SyntaxError(text);
  };
  const sum = () => {
    let value = product();
    while (tokens[at] === '+' || tokens[at] === '-')
      value = tokens[at++] === '+' ? value + product() : value - product();
    return value;
  };
  const product = () => {
    let value = unary();
    while (tokens[at] === '*' || tokens[at] === '/')
      value = tokens[at++] === '*' ? value * unary() : value / unary();
    return value;
  };
  const unary = () => (tokens[at] === '-' ? (at++, -unary()) : power());
  const power = () => {
    const base = primary();
    return tokens[at] === '^' ? (at++, base ** unary()) : base;
  };
  const primary = () => {
    const token = tokens[at++];
    if (token === '(') {
      const value = sum();
      return tokens[at++] === ')' ? value : fail();
    }
    if (/^\d/.test(token ?? '')) return Number(token);
    if (Object.hasOwn(FUNCTIONS, token ?? '') && tokens[at] === '(') return FUNCTIONS[token](primary());
    return Object.hasOwn(CONSTANTS, token ?? '') ? CONSTANTS[token] : fail();
  };
  try {
    const value = sum();
    return at === tokens.length && Number.isFinite(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** ⟨1 + 2ε, 0⟩ as {t, eps, step}. */
export function parse_instant(text) {
  const match = /^[⟨<](.+),\s*(\d+)[⟩>]$/.exec(text.trim());
  if (!match) throw new Error(`this is no instant: ${text}`);
  const parts = /^(.+?)(?:\s*([+−-])\s*(\d*)(?:ε|eps))?$/.exec(match[1].trim());
  const t = evaluate(parts[1]);
  if (t === null) throw new Error(`this is no time: ${parts[1]}`);
  const count = parts[2] ? Number(parts[3] || 1) : 0;
  return { t, eps: parts[2] && parts[2] !== '+' ? -count : count, step: Number(match[2]) };
}

/** Recorded data, `t,microstep,signal,value`, as rows. */
export function read_recorded(text) {
  const rows = [];
  for (const line of text.trim().split('\n').slice(1)) {
    const [t, step, signal, value] = line.trim().split(',');
    const last = rows.at(-1);
    const same = last && last.t === Number(t) && last.step === Number(step);
    const row = same ? last : { t: Number(t), eps: 0, step: Number(step), values: {} };
    if (!same) rows.push(row);
    row.values[signal] = value === 'true' ? 1 : value === 'false' ? 0 : Number(value);
  }
  return { rows };
}

function rows_of(document) {
  if (Array.isArray(document)) return document;
  if (document.rows) return document.rows;
  if (document.steps) return document.steps.map((step) => ({ t: document.t, ...step }));
  throw new Error('the command prints no rows');
}

function read(row, name, names) {
  if (name === 'kind') return row.kind;
  const weight = /^impulse\((.+)\)$/.exec(name);
  if (weight) {
    if (!names.has(weight[1])) throw new Error(`there is no column ${weight[1]}`);
    return row.impulses?.[weight[1]] ?? 0;
  }
  if (row.modes && name in row.modes) return row.modes[name];
  if (!names.has(name)) throw new Error(`there is no column ${name}; there is ${[...names].join(', ')}`);
  const value = row.values[name];
  return value === null || value === undefined ? 'absent' : value;
}

function nearest(rows, t, slack) {
  let best = null;
  for (const row of rows) if (best === null || Math.abs(row.t - t) < Math.abs(best - t)) best = row.t;
  if (best === null || Math.abs(best - t) > slack * Math.max(1, Math.abs(t)))
    throw new Error(`there is no row at t = ${t}` + (best === null ? '' : `; the nearest is ${best}`));
  return rows.filter((row) => row.t === best);
}

function follow(document, path) {
  let value = document;
  let rest = path.slice(1);
  while (rest) {
    const match = /^\.([\w$]+)|^\[(\d+)\]|^\["([^"]*)"\]|^\[(\w+)=([^\]]*)\]/.exec(rest);
    if (!match) throw new Error(`this is no path: ${path}`);
    rest = rest.slice(match[0].length);
    if (match[4]) value = value?.find?.((item) => String(item[match[4]]) === match[5]);
    else value = value?.[match[1] ?? match[3] ?? Number(match[2])];
    if (value === undefined) throw new Error(`nothing stands at ${path}`);
  }
  return Array.isArray(value) ? value.length : value;
}

/** The answer of a command's JSON, or of recorded data, to a question. */
export function ask(document, question) {
  const text = question.trim();
  if (text.startsWith('$')) return follow(document, text);
  if (text === 'diagnostic') return document.diagnostics?.map((d) => d.kind).join(', ') || 'none';
  if (text === 'ending') return document.outcome.ending;
  const rows = rows_of(document);
  const names = new Set(rows.flatMap((row) => Object.keys(row.values)));
  const becomes = /^time (\S+) becomes (\w+)(?:,\s*(\d+))?$/.exec(text);
  if (becomes) {
    let left = Number(becomes[3] ?? 1);
    let before = null;
    for (const row of rows) {
      const state = row.modes?.[becomes[1]];
      if (state === undefined) throw new Error(`there is no automaton ${becomes[1]}`);
      if (state === becomes[2] && before !== null && before !== state && --left === 0) return row.t;
      before = state;
    }
    throw new Error(`${becomes[1]} does not become ${becomes[2]} so often`);
  }
  const extreme = /^(largest|smallest) (\S+)$/.exec(text);
  if (extreme) {
    const values = rows.map((row) => read(row, extreme[2], names)).filter((v) => typeof v === 'number');
    if (!values.length) throw new Error(`${extreme[2]} has no values`);
    return values.reduce((a, b) => (extreme[1] === 'largest' ? Math.max(a, b) : Math.min(a, b)));
  }
  const at = /^(.+?) at (.+)$/.exec(text);
  if (!at) throw new Error(`this is no question: ${text}`);
  const [, name, where] = at;
  if (where === 'the end') return read(rows.at(-1), name, names);
  if (/^[⟨<]/.test(where)) {
    const { t, eps, step } = parse_instant(where);
    const row = nearest(rows, t, 1e-6).find((r) => r.eps === eps && r.step === step);
    if (!row) throw new Error(`there is no row at ${where}`);
    return read(row, name, names);
  }
  const t = evaluate(where);
  if (t === null) throw new Error(`this is no time: ${where}`);
  return read(nearest(rows, t, 1e-9).at(-1), name, names);
}

/** A block as {head, sections: [{command, recorded, rows: [{line, what, original, ours, within}]}]}. */
export function parse_compare(text) {
  const sections = [];
  let head = null;
  text.split('\n').forEach((raw, line) => {
    if (!raw.trim()) return;
    const say = (message) => {
      throw Object.assign(new Error(message), { line });
    };
    if (!raw.includes('|')) {
      const data = /^recorded (\S+)$/.exec(raw.trim());
      if (!data) sections.push({ command: raw.trim(), recorded: null, rows: [], line });
      else if (!sections.length) say('a command stands before its recorded data');
      else sections.at(-1).recorded = data[1];
      return;
    }
    const cells = raw.split('|').map((cell) => cell.trim());
    if (cells.length < 3 || cells.length > 4) say('a row is: what | original | ours | within');
    const [what, original, ours, within = ''] = cells;
    if (!head) head = { what, original, ours, within };
    else if (!sections.length) say('a command stands before the rows');
    else sections.at(-1).rows.push({ line, what, original, ours, within });
  });
  if (!head || !sections.some((s) => s.rows.length)) {
    throw Object.assign(new Error('there is nothing to compare'), { line: 0 });
  }
  return { head, sections };
}

function tolerance(text, original) {
  if (!text) return 1e-9 * Math.max(1, Math.abs(original));
  const share = /^(.+)%$/.exec(text);
  const value = evaluate(share ? share[1] : text);
  if (value === null || value < 0) throw new Error(`this is no tolerance: ${text}`);
  return share ? (value / 100) * Math.abs(original) : value;
}

/** What the original says: {value, shown}. */
function original_of(row, recorded) {
  const value = evaluate(row.original);
  if (value !== null) return { value, shown: row.original };
  if (recorded && / at |^largest |^smallest /.test(row.original)) return { value: ask(recorded, row.original) };
  return { value: row.original };
}

/** One row judged: {original, ours, agree}; throws what is wrong with the question. */
export function judge(row, document, recorded = null) {
  const original = original_of(row, recorded);
  const ours = ask(document, row.ours);
  const numbers = typeof original.value === 'number' && typeof ours === 'number';
  const agree = numbers
    ? Math.abs(original.value - ours) <= tolerance(row.within, original.value)
    : String(original.value) === String(ours);
  return { original, ours, agree };
}

export function format_number(value) {
  return typeof value === 'number' ? String(Number(value.toPrecision(8))) : String(value);
}

/** The table; `judged` has what `judge` said of each row, in order. */
export function render_compare(head, judged) {
  const title = (text) => `<th scope="col">${escape(text)}</th>`;
  // Words agree or do not: a table of words alone has no tolerances.
  const within = ({ row, ours }) => row.within || (typeof ours === 'number' ? '1e-9' : '');
  const tolerances = judged.some(within);
  const rows = judged.map((entry) => {
    const { row, original, ours, agree } = entry;
    const number = format_number(original.value);
    const shown = original.shown && original.shown !== number && !/^[-−]?[\d.]+$/.test(original.shown)
      ? `${escape(original.shown)} = ${escape(number)}`
      : escape(original.shown ?? number);
    return `<tr><th scope="row">${escape(row.what)}</th><td>${shown}</td>` +
      `<td title="${escape(row.ours)}">${escape(format_number(ours))}</td>` +
      (tolerances ? `<td>${escape(within(entry))}</td>` : '') +
      `<td class="${agree ? 'agrees' : 'differs'}">${agree ? '✓' : '✗'}</td></tr>`;
  });
  return `<div class="scroll" tabindex="0"><table class="compare"><thead><tr>${title(head.what)}` +
    `${title(head.original)}${title(head.ours)}${tolerances ? title(head.within || 'within') : ''}` +
    `<th scope="col"><span class="hidden">agree</span></th></tr></thead>` +
    `<tbody>${rows.join('')}</tbody></table></div>`;
}
