// What there is to draw of one column between two times, as src/show/plot/curve.hpp has it for pictures
// on paper, but for as many pixels as there are:
//
//   between events   a line; of a pixel column with many rows all that can be seen is how far it
//                    reaches from where the one before ends (as in M4: Jugel, Jerzak, Hackenbroich,
//                    Markl 2014). The pyramid knows, so that the work grows with the pixels and not
//                    with the rows; and a rectangle is painted faster than a line that goes up and
//                    down
//   an event         left ≠ right: a jump. Rows that are neither: marks, hollow if they were only
//                    tried. Impulses: arrows. Present for one instant only: a dot
//   absent           a gap
//
// Where many events are closer than anybody could tell apart, they are drawn like rows: extremes and
// what is present for an instant stay, what was only tried does not.

import type { Run, RunColumn, RunEvent } from '../data/run';
import { kLargest } from '../data/pyramid';
import { lowerBound, upperBound } from '../data/search';

export interface Jump {
  t: number;
  from: number; // equal to `to`: only values that were tried differ, and nothing came of them
  to: number;
  low: number; // over all values of the instant
  high: number;
}
export interface Mark {
  t: number;
  y: number;
  row: number;
  kind: string;
  tried: boolean;
}
export interface Arrow {
  t: number;
  weight: number;
  row: number;
  tried: boolean;
  count: number; // how many were merged into this one
}
export interface Trace {
  line: number[]; // t, y, t, y, …; a gap is NaN, NaN
  columns: number[]; // from, to, low, high: a pixel column with many rows
  jumps: Jump[];
  marks: Mark[];
  dots: Mark[];
  arrows: Arrow[];
  merged: boolean; // much of it has too many events to tell apart
  low: number; // of what can be seen and was committed; low > high: nothing
  high: number;
  triedLow: number; // with what was only tried
  triedHigh: number;
}

const kPixelsPerEvent = 4;
const kFew = 12; // may be closer than that
const kRowsPerPixel = 4;
const kPixelsPerPoint = 1.5; // of a curve between rows

class Tracer {
  private out: Trace = {
    line: [],
    columns: [],
    jumps: [],
    marks: [],
    dots: [],
    arrows: [],
    merged: false,
    low: Infinity,
    high: -Infinity,
    triedLow: Infinity,
    triedHigh: -Infinity,
  };
  private begun = 0; // where the present piece begins in out.line
  private begunRow = 0;
  private tail: { t: number; y: number; row: number } | null = null; // of the columns before
  private tolerance: number;
  private values: Float64Array;
  private t: Float64Array;

  constructor(
    private run: Run,
    private column: RunColumn,
    private from: number,
    private to: number,
    private pixels: number,
  ) {
    this.values = column.values;
    this.t = run.t;
    const { low, high } = column.pyramid.extremes(0, run.count - 1);
    this.tolerance = low > high ? 0 : 1e-9 * (high - low) + 1e-13 * Math.max(Math.abs(low), Math.abs(high));
  }

  trace(): Trace {
    if (this.run.count === 0) return this.out;
    const { run, t } = this;
    // A row beyond each end, so that the line goes to the edge: the last of an event on the left, the
    // left limit of one on the right.
    const first = Math.max(0, lowerBound(t, this.from) - 1);
    const last = Math.min(run.count - 1, upperBound(t, this.to));
    const entered = t[first] < this.from ? run.eventAtRow(first) : null;
    const ahead = t[last] > this.to ? run.eventAtRow(last) : null;
    const begin = lowerBound(run.eventTimes, this.from);
    const end = upperBound(run.eventTimes, this.to);
    const near = (kPixelsPerEvent * (this.to - this.from)) / this.pixels;
    let row = first;
    if (entered !== null) {
      this.push(first);
      row += 1;
    }
    let merged = 0;
    for (let e = begin; e < end; ) {
      let next = e + 1;
      while (next < end && run.eventTimes[next] - run.eventTimes[next - 1] < near) next += 1;
      if (next - e > kFew) {
        this.flow(row, run.events[next - 1].last);
        merged += run.eventTimes[next - 1] - run.eventTimes[e];
      } else {
        for (const event of run.events.slice(e, next)) {
          if (row < event.first) this.flow(row, event.first - 1);
          this.instant(event);
          row = event.last + 1;
        }
      }
      row = run.events[next - 1].last + 1;
      e = next;
    }
    const flowing = ahead === null ? last : last - 1;
    if (row <= flowing) this.flow(row, flowing);
    if (ahead !== null) this.point(ahead.t, this.leftOf(ahead), last);
    this.out.merged = merged > 0.2 * (this.to - this.from);
    this.close();
    this.clip();
    this.arrows();
    this.findRange();
    return this.out;
  }

  private same(a: number, b: number): boolean {
    return Math.abs(a - b) <= this.tolerance;
  }
  private get empty() {
    return this.out.line.length === this.begun;
  }

  private point(t: number, y: number, row: number) {
    if (!(Math.abs(y) <= kLargest)) return this.close();
    if (this.empty) {
      this.begunRow = row;
      if (this.tail !== null) this.out.line.push(this.tail.t, this.tail.y);
      this.tail = null;
    }
    this.follow(t);
    this.out.line.push(t, y);
  }
  // Between two points further apart than pixels the curve itself, as far as it can be seen.
  private follow(t: number) {
    const { curve } = this.column;
    const { line } = this.out;
    if (curve === null || line.length === this.begun) return;
    const step = (kPixelsPerPoint * (this.to - this.from)) / this.pixels;
    const before = line[line.length - 2];
    const begin = Math.max(before, this.from);
    const end = Math.min(t, this.to);
    if (!(end - begin > step)) return;
    const count = Math.ceil((end - begin) / step);
    for (let i = 0; i <= count; ++i) {
      const at = i === count ? end : begin + (i / count) * (end - begin);
      const y = at > before && at < t ? curve.at(at) : NaN;
      if (Math.abs(y) <= kLargest) line.push(at, y);
    }
  }
  private push(row: number) {
    this.point(this.t[row], this.values[row], row);
  }

  // A line that is one point only is a dot, unless it is the end of a jump, which is drawn with it.
  private close(jumped = false) {
    const { line, dots } = this.out;
    this.tail = null;
    if (line.length - this.begun === 2) {
      const [t, y] = line.splice(this.begun, 2);
      const row = this.begunRow;
      if (!jumped && t >= this.from && t <= this.to) dots.push({ t, y, row, kind: this.run.kind(row), tried: false });
    }
    if (line.length > this.begun) line.push(NaN, NaN);
    this.begun = line.length;
  }

  private flow(first: number, last: number) {
    const width = (this.to - this.from) / this.pixels;
    const seen = Math.min(this.t[last], this.to) - Math.max(this.t[first], this.from);
    if (last - first + 1 <= kRowsPerPixel * (seen / width) + 8) {
      for (let row = first; row <= last; ++row) if (!this.run.tried(row)) this.push(row);
      return;
    }
    let reached = NaN;
    for (let row = first; row <= last; ) {
      let pixel = Math.floor((this.t[row] - this.from) / width);
      if (this.from + (pixel + 1) * width <= this.t[row]) pixel += 1; // rounding
      const edge = this.from + (pixel + 1) * width;
      const next = lowerBound(this.t, edge, row + 1, last + 1);
      // Over pixels without a row goes a line.
      if (pixel !== reached + 1 && !this.run.tried(row)) this.push(row);
      reached = pixel;
      this.bucket(row, next - 1, this.from + pixel * width, edge);
      row = next;
    }
  }
  // Columns that follow each other hang together: each goes from where the one before ends.
  private bucket(first: number, last: number, left: number, right: number) {
    const { low, high } = this.column.pyramid.extremes(first, last);
    const before = this.endOfPiece();
    this.tail = null;
    if (low > high) return;
    const joined = Math.abs(before) <= kLargest && Math.abs(this.values[first]) <= kLargest;
    this.out.columns.push(
      left,
      right,
      joined ? Math.min(low, before) : low,
      joined ? Math.max(high, before) : high,
    );
    const y = this.values[last];
    if (Math.abs(y) <= kLargest) this.tail = { t: this.t[last], y, row: last };
  }

  // The value at which the present piece ends, which goes on as columns.
  private endOfPiece(): number {
    if (this.tail !== null) return this.tail.y;
    if (this.empty) return NaN;
    const y = this.out.line[this.out.line.length - 1];
    this.close(true);
    return y;
  }

  // Without a left limit on record: what has not moved since the last event has leapt.
  private leaps(event: RunEvent): boolean {
    const { first } = event;
    if (first < 2 || this.run.kind(first) === 'before' || this.run.eventAtRow(first - 1) !== null) return false;
    const { values } = this;
    return values[first - 1] === values[first - 2] && !this.same(values[first - 1], values[first]);
  }

  private leftOf(event: RunEvent): number {
    const { first, last } = event;
    if (this.leaps(event)) return this.values[first - 1];
    return first === 0 && last > 0 ? NaN : this.values[first]; // nothing stood before the beginning
  }

  private instant(event: RunEvent) {
    const { first, last, t } = event;
    const left = this.leftOf(event);
    const right = this.values[last];
    this.point(t, left, first);
    if (first === last && (Number.isNaN(left) || this.same(left, right))) return;
    this.mark(event, left, right);
    const both = !Number.isNaN(left) && !Number.isNaN(right);
    if (both) this.jump(event, left, right);
    if (both && this.same(left, right)) return;
    this.close(both);
    this.point(t, right, last);
  }

  private jump({ first, last, t }: RunEvent, from: number, to: number) {
    const jump = { t, from, to, low: Math.min(from, to), high: Math.max(from, to) };
    for (let row = first; row <= last; ++row) {
      const y = this.values[row];
      if (!(Math.abs(y) <= kLargest)) continue;
      jump.low = Math.min(jump.low, y);
      jump.high = Math.max(jump.high, y);
    }
    if (!this.same(jump.low, jump.high)) this.out.jumps.push(jump);
  }

  // Rows whose values are neither how the instant begins nor how it ends, and all pinnacles.
  private mark({ first, last, t }: RunEvent, left: number, right: number) {
    for (let row = first; row <= last; ++row) {
      const y = this.values[row];
      if (!(Math.abs(y) <= kLargest) || this.same(y, left)) continue;
      const kind = this.run.kind(row);
      if (this.same(y, right) && kind !== 'pinnacle') continue;
      const before = this.out.marks.at(-1);
      if (before !== undefined && before.t === t && before.kind === kind && this.same(before.y, y)) continue;
      const tried = this.run.tried(row);
      // Where only logic moved, it happened: there for one microstep, as other events are.
      const list = kind === 'mythical' && !tried ? this.out.dots : this.out.marks;
      list.push({ t, y, row, kind, tried });
    }
  }

  // At the edges of the sight: far zoomed in, what lies beyond is too far away for any canvas.
  private clip() {
    const { line } = this.out;
    for (let i = 2; i < line.length; i += 2) {
      if (!(line[i - 2] < this.from || line[i] > this.to)) continue;
      const [t0, y0, t1, y1] = line.slice(i - 2, i + 2);
      const at = (t: number) => y0 + ((t - t0) / (t1 - t0)) * (y1 - y0);
      if (t0 < this.from && this.from <= t1) [line[i - 2], line[i - 1]] = [this.from, at(this.from)];
      if (t0 <= this.to && this.to < t1) [line[i], line[i + 1]] = [this.to, at(this.to)];
    }
  }

  // Of many in one pixel the largest in each direction.
  private arrows() {
    const { impulseRows, impulseWeights } = this.column;
    const begin = lowerBound(impulseRows, lowerBound(this.t, this.from));
    const end = lowerBound(impulseRows, upperBound(this.t, this.to));
    const crowded = (end - begin) * kPixelsPerEvent > this.pixels;
    const largest = new Map<number, Arrow>();
    for (let i = begin; i < end; ++i) {
      const row = impulseRows[i];
      const weight = impulseWeights[i];
      if (!Number.isFinite(weight) || weight === 0) continue;
      if (!crowded) {
        this.out.arrows.push({ t: this.t[row], weight, row, tried: this.run.tried(row), count: 1 });
        continue;
      }
      const pixel = Math.floor(((this.t[row] - this.from) / (this.to - this.from)) * this.pixels);
      const key = 2 * pixel + (weight > 0 ? 1 : 0);
      const there = largest.get(key);
      if (there === undefined) {
        largest.set(key, { t: this.t[row], weight, row, tried: this.run.tried(row), count: 1 });
      } else {
        there.count += 1;
        if (Math.abs(weight) > Math.abs(there.weight)) Object.assign(there, { t: this.t[row], weight, row, tried: this.run.tried(row) });
      }
    }
    this.out.arrows.push(...largest.values());
  }

  private findRange() {
    const { out, t } = this;
    const hold = (y: number) => {
      if (!(Math.abs(y) <= kLargest)) return;
      out.low = Math.min(out.low, y);
      out.high = Math.max(out.high, y);
    };
    const inside = this.column.pyramid.extremes(lowerBound(t, this.from), upperBound(t, this.to) - 1);
    hold(inside.low);
    hold(inside.high);
    for (const { from, to } of out.jumps) {
      hold(from);
      hold(to);
    }
    for (const { y, tried } of out.marks) if (!tried) hold(y);
    const { line } = out;
    const held = this.column.curve === null ? (t: number) => t === this.from || t === this.to : (t: number) => t >= this.from && t <= this.to;
    for (let i = 0; i < line.length; i += 2) if (held(line[i])) hold(line[i + 1]);
    out.triedLow = out.low;
    out.triedHigh = out.high;
    for (const { y } of out.marks) {
      out.triedLow = Math.min(out.triedLow, y);
      out.triedHigh = Math.max(out.triedHigh, y);
    }
  }
}

export function trace(run: Run, column: RunColumn, from: number, to: number, pixels: number): Trace {
  return new Tracer(run, column, from, to, Math.max(1, Math.floor(pixels))).trace();
}
