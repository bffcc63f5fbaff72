// A panel of curves, a row of bands and the time axis on canvases.

import { kLargest } from '../data/pyramid';
import { short } from '../data/text';
import { colour, curveColour } from '../theme/theme';
import type { Bands } from './bands';
import type { Scale } from './scale';
import { spread } from './spread';
import type { Axis } from './ticks';
import type { Arrow, Trace } from './trace';
import type { TruthLane } from './truths';

export const kFont = 12;
const kHead = 8; // of an arrow

export interface Look {
  ink: string;
  dim: string;
  faint: string;
  line: string;
  ground: string;
  curves: string[];
}

export function look(): Look {
  return {
    ink: colour('ink'),
    dim: colour('dim'),
    faint: colour('faint'),
    line: colour('line'),
    ground: colour('ground'),
    curves: [0, 1, 2, 3, 4, 5, 6].map((index) => colour(curveColour(index))),
  };
}

export const font = (size = kFont, weight = '') => `${weight} ${size}px system-ui, Helvetica, Arial, sans-serif`.trim();

// The place of the plot on its canvas, in CSS pixels, and the times at its ends.
export interface Frame {
  left: number;
  right: number;
  height: number;
  from: number;
  to: number;
}

export const xOf = (frame: Frame, t: number) =>
  frame.left + ((t - frame.from) / (frame.to - frame.from)) * (frame.right - frame.left);

// Ready to draw in CSS pixels, empty.
export function prepare(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d')!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

export interface DrawnCurve {
  index: number; // in its panel: colour and width
  name: string;
  trace: Trace;
  end: number; // its value at the right edge; NaN: none
  old: boolean; // of the run that this one is compared with
  dimmed: boolean; // another one is pointed at
}

export const widthOf = (index: number, count: number) =>
  count < 2 ? 2.2 : 1.6 + ((count - 1 - index) / (count - 1)) * Math.min(2.4, count - 1);

class Labels {
  private boxes: [number, number, number, number][] = [];
  // Whether there is room; takes it.
  take(left: number, top: number, right: number, bottom: number): boolean {
    if (this.boxes.some(([l, t, r, b]) => left < r && l < right && top < b && t < bottom)) return false;
    this.boxes.push([left, top, right, bottom]);
    return true;
  }
}

class PanelPainter {
  constructor(
    private c: CanvasRenderingContext2D,
    private frame: Frame,
    private scale: Scale,
    private look: Look,
    private count: number, // of curves
  ) {}

  y(value: number): number {
    const { low, high } = this.scale;
    const y = this.frame.height - ((value - low) / (high - low)) * this.frame.height;
    return Math.min(Math.max(y, -1e4), 1e4);
  }
  x(t: number): number {
    return Math.min(Math.max(xOf(this.frame, t), -1e5), 1e5);
  }

  grid(times: Axis) {
    const { c, frame, look } = this;
    c.lineWidth = 1;
    c.strokeStyle = look.faint;
    c.beginPath();
    for (const t of times.ticks) {
      const x = Math.round(this.x(t)) + 0.5;
      c.moveTo(x, 0);
      c.lineTo(x, frame.height);
    }
    for (const value of this.scale.axis.ticks) {
      const y = Math.round(this.y(value)) + 0.5;
      c.moveTo(frame.left, y);
      c.lineTo(frame.right, y);
    }
    c.stroke();
    c.strokeStyle = look.line;
    c.strokeRect(frame.left + 0.5, 0.5, frame.right - frame.left - 1, frame.height - 1);
    c.font = font();
    c.textAlign = 'right';
    c.textBaseline = 'middle';
    c.fillStyle = look.ink;
    this.scale.axis.ticks.forEach((value, i) => {
      const y = this.y(value);
      c.fillText(this.scale.axis.labels[i], frame.left - 5, Math.min(Math.max(y, 6), frame.height - 5));
    });
  }

  private stroke(curve: DrawnCurve) {
    const { c, look } = this;
    c.strokeStyle = c.fillStyle = look.curves[curve.index % look.curves.length];
    c.lineWidth = curve.old ? 1.2 : widthOf(curve.index, this.count);
    c.globalAlpha = curve.dimmed ? 0.2 : curve.old || (curve.trace.merged && curve.index > 0) ? 0.7 : 1;
    c.setLineDash(curve.old ? [7, 4] : []);
  }

  line(curve: DrawnCurve) {
    const { c } = this;
    const { line } = curve.trace;
    this.stroke(curve);
    c.lineJoin = 'round';
    c.lineCap = 'round';
    c.beginPath();
    let open = false;
    for (let i = 0; i < line.length; i += 2) {
      if (Number.isNaN(line[i])) {
        open = false;
        continue;
      }
      const [x, y] = [this.x(line[i]), this.y(line[i + 1])];
      if (open) c.lineTo(x, y);
      else c.moveTo(x, y);
      open = true;
    }
    c.stroke();
    c.lineCap = 'butt';
    this.columns(curve.trace.columns, c.lineWidth, curve.old);
  }

  private columns(columns: number[], width: number, dashed: boolean) {
    const { c } = this;
    const ratio = window.devicePixelRatio || 1;
    const snapped = (t: number) => Math.round(this.x(t) * ratio) / ratio; // without seams
    for (let i = 0; i < columns.length; i += 4) {
      const [left, right] = [snapped(columns[i]), snapped(columns[i + 1])];
      if (dashed && left % 11 >= 7) continue;
      const [bottom, top] = [this.y(columns[i + 2]), this.y(columns[i + 3])];
      c.fillRect(left, top - width / 2, Math.max(right - left, 1 / ratio), bottom - top + width);
    }
  }

  jumps(curve: DrawnCurve) {
    const { c } = this;
    const { jumps } = curve.trace;
    const crowded = this.crowded(jumps);
    this.stroke(curve);
    // Upright dashes: as rectangles, which are painted much faster than dashed lines. Where there
    // are too many to see the dashes, pale lines.
    const solid = c.globalAlpha;
    if (crowded) c.globalAlpha = 0.55 * solid;
    for (const { t, low, high } of jumps) {
      const x = this.x(t) - 0.6;
      const bottom = Math.min(this.y(low), this.frame.height);
      const [step, dash] = crowded ? [Infinity, Infinity] : [7, 4];
      for (let y = Math.max(this.y(high), 0); y < bottom; y += step) c.fillRect(x, y, 1.2, Math.min(dash, bottom - y));
    }
    c.globalAlpha = solid;
    if (curve.old) return;
    for (const { t, from, to } of jumps) {
      if (from === to) continue;
      this.dot(t, from, 2.4, crowded);
      this.dot(t, to, 2.4, crowded);
    }
  }

  // Many marks so close that their shape cannot be seen are squares. A few may be of one instant.
  private crowded(marks: { t: number }[]): boolean {
    return marks.length > 50 && (this.x(marks[marks.length - 1].t) - this.x(marks[0].t)) / (marks.length - 1) < 9;
  }

  private dot(t: number, value: number, radius: number, square: boolean) {
    if (square) {
      this.c.fillRect(this.x(t) - radius, this.y(value) - radius, 2 * radius, 2 * radius);
      return;
    }
    this.c.beginPath();
    this.c.arc(this.x(t), this.y(value), radius, 0, 7);
    this.c.fill();
  }

  marks(curve: DrawnCurve) {
    const { c, look } = this;
    this.stroke(curve);
    c.setLineDash([]);
    // Wider rings for those below, so that equal values of several curves can be seen.
    const ring = 4 + 1.3 * (this.count - 1 - curve.index);
    const { marks, dots } = curve.trace;
    const crowded = this.crowded(marks);
    for (const { t, y, kind, tried } of marks) {
      if (y < this.scale.low || y > this.scale.high) {
        this.beyond(t, y > this.scale.high);
      } else if (tried && crowded) {
        c.lineWidth = 1;
        c.strokeRect(this.x(t) - 2.5, this.y(y) - 2.5, 5, 5);
      } else if (tried) {
        c.lineWidth = 1.8;
        c.beginPath();
        c.arc(this.x(t), this.y(y), ring, 0, 7);
        const ink = c.fillStyle;
        c.fillStyle = look.ground;
        if (curve.index === 0) c.fill();
        c.stroke();
        c.fillStyle = ink;
      } else {
        this.dot(t, y, kind === 'pinnacle' ? 4 : 3.2, crowded);
      }
    }
    const close = this.crowded(dots);
    for (const { t, y } of dots) this.dot(t, y, 3.2, close);
  }

  // A hollow triangle at the edge: it lies out there.
  private beyond(t: number, above: boolean) {
    const { c } = this;
    const [x, edge, way] = [this.x(t), above ? 1 : this.frame.height - 1, above ? 1 : -1];
    c.lineWidth = 1.4;
    c.beginPath();
    c.moveTo(x, edge);
    c.lineTo(x - 4, edge + way * 7);
    c.lineTo(x + 4, edge + way * 7);
    c.closePath();
    c.stroke();
  }

  arrows(curves: DrawnCurve[], labels: Labels) {
    const all = curves
      .filter((curve) => !curve.old)
      .flatMap((curve) => curve.trace.arrows.map((arrow) => ({ arrow, curve })));
    all.sort((a, b) => a.arrow.row - b.arrow.row);
    const { weights } = this.scale;
    if (weights === null) return;
    const y = (weight: number) => this.frame.height * (1 - (weight - weights.low) / (weights.high - weights.low));
    const placed = all.map(({ arrow, curve }) => ({ arrow, curve, x: this.x(arrow.t), base: y(0), tip: y(arrow.weight), head: kHead }));
    // At their time. Of those of one time the longest stands behind, so that every head is seen; of
    // heads in one place the first is the largest.
    placed.sort((a, b) => a.arrow.t - b.arrow.t || Math.abs(b.arrow.weight) - Math.abs(a.arrow.weight));
    for (let i = placed.length - 1; i > 0; --i) {
      const [behind, before] = [placed[i - 1], placed[i]];
      if (behind.arrow.t === before.arrow.t && Math.abs(behind.tip - before.tip) < kHead / 2) behind.head = Math.min(before.head + 5, 3 * kHead);
    }
    for (const { arrow, curve, x, base, tip, head } of placed) this.arrow(arrow, curve, x, base, tip, head);
    placed.sort((a, b) => Math.abs(b.arrow.weight) - Math.abs(a.arrow.weight));
    const { c } = this;
    c.font = font(11);
    c.textAlign = 'center';
    c.textBaseline = 'top';
    c.globalAlpha = 1;
    c.fillStyle = this.look.ink;
    for (const { x, base, tip } of placed) labels.take(x - 3, Math.min(base, tip), x + 3, Math.max(base, tip));
    for (const { arrow, x, base, tip } of placed) {
      const text = short(arrow.weight, 3);
      const half = c.measureText(text).width / 2 + 2;
      const over = tip < base ? tip - 15 : tip + 4;
      const beside = tip < base ? tip : tip - 13;
      for (const [at, top] of [[x, over], [x + half + 7, beside], [x - half - 7, beside]]) {
        if (top < 0 || top + 13 > this.frame.height || at + half > this.frame.right) continue;
        if (!labels.take(at - half, top, at + half, top + 13)) continue;
        c.fillText(text, at, top + 1);
        break;
      }
    }
  }

  // Of impulses: ticks at the right edge, with their numbers inside.
  weightAxis() {
    const { c, frame, look } = this;
    const { weights } = this.scale;
    if (weights === null) return;
    c.font = font(11);
    c.textAlign = 'right';
    c.textBaseline = 'middle';
    c.globalAlpha = 1;
    c.lineWidth = 3;
    c.setLineDash([]);
    weights.axis.ticks.forEach((weight, i) => {
      const y = frame.height * (1 - (weight - weights.low) / (weights.high - weights.low));
      c.fillStyle = look.ink;
      c.fillRect(frame.right - 6, Math.round(y), 6, 1);
      c.strokeStyle = look.ground;
      const at = Math.min(Math.max(y, 6), frame.height - 6);
      c.strokeText(weights.axis.labels[i], frame.right - 9, at);
      c.fillText(weights.axis.labels[i], frame.right - 9, at);
    });
  }

  private arrow({ tried }: Arrow, curve: DrawnCurve, x: number, base: number, tip: number, size: number) {
    const { c, look } = this;
    this.stroke(curve);
    c.lineWidth = 1.8;
    c.setLineDash(tried ? [3, 2.5] : []);
    const head = Math.sign(base - tip) * Math.min(size, Math.abs(base - tip)); // never longer than the arrow
    c.beginPath();
    c.moveTo(x, base);
    c.lineTo(x, tip + head);
    c.stroke();
    c.setLineDash([]);
    c.beginPath();
    c.moveTo(x, tip);
    c.lineTo(x - 0.56 * Math.abs(head), tip + head);
    c.lineTo(x + 0.56 * Math.abs(head), tip + head);
    c.closePath();
    if (tried) {
      c.fillStyle = look.ground;
      c.fill();
      c.lineWidth = 1.5;
      c.stroke();
    } else {
      c.fill();
    }
  }

  // Names where the curves end, so that colour is not all that tells them apart.
  names(curves: DrawnCurve[], gutter: number) {
    const { c, frame } = this;
    const ends = curves
      .filter((curve) => !curve.old && !curve.dimmed)
      .filter(({ end }) => Math.abs(end) <= kLargest)
      .map((curve) => ({ curve, y: this.y(curve.end) }));
    const height = 13;
    const { places, more } = spread(ends.map(({ y }) => y), height / 2, frame.height - height / 2, height);
    c.font = font(11);
    c.textAlign = 'left';
    c.textBaseline = 'middle';
    c.globalAlpha = 1;
    ends.forEach(({ curve }, i) => {
      const y = places[i];
      if (y === null) return;
      c.fillStyle = this.look.curves[curve.index % this.look.curves.length];
      c.fillRect(frame.right + 3, y - 4, 3, 8);
      c.fillStyle = this.look.ink;
      c.fillText(shortened(c, curve.name, gutter - 10), frame.right + 9, y);
    });
    if (more === null) return;
    c.fillStyle = this.look.dim;
    c.fillText(shortened(c, `… ${more.count} more`, gutter - 10), frame.right + 9, more.place);
  }
}

export function shortened(c: CanvasRenderingContext2D, text: string, width: number): string {
  if (c.measureText(text).width <= width) return text;
  let kept = text;
  while (kept.length > 1 && c.measureText(`${kept}…`).width > width) kept = kept.slice(0, -1);
  return `${kept}…`;
}

export function paintPanel(
  c: CanvasRenderingContext2D,
  frame: Frame,
  scale: Scale,
  times: Axis,
  curves: DrawnCurve[],
  count: number,
  look: Look,
  gutter: number,
) {
  const painter = new PanelPainter(c, frame, scale, look, count);
  painter.grid(times);
  c.save();
  c.beginPath();
  c.rect(frame.left, 0, frame.right - frame.left, frame.height);
  c.clip();
  const labels = new Labels();
  for (const curve of curves) painter.line(curve);
  for (const curve of curves) painter.jumps(curve);
  for (const curve of curves) if (!curve.old) painter.marks(curve);
  painter.arrows(curves, labels);
  painter.weightAxis();
  c.restore();
  if (gutter > 0) painter.names(curves, gutter);
  c.globalAlpha = 1;
}

// Near the middle of a band, where no visit is written over.
function beside(visits: number[], left: number, right: number, half: number): number {
  const free = (x: number) => x - half > left && x + half < right && visits.every((at) => Math.abs(at - x) > half);
  const middle = (left + right) / 2;
  for (let shift = 0; shift < (right - left) / 2; shift += half) {
    if (free(middle - shift)) return middle - shift;
    if (free(middle + shift)) return middle + shift;
  }
  return middle;
}

// A box while it is true, a line below while it is false; for an instant an upright line with a solid
// or a hollow head.
export function paintTruth(c: CanvasRenderingContext2D, frame: Frame, { bands, marks }: TruthLane, look: Look) {
  const { height } = frame;
  const bottom = height - 4;
  c.fillStyle = c.strokeStyle = look.curves[0];
  for (const { from, to, holds } of bands) {
    const left = Math.max(xOf(frame, from), frame.left);
    const right = Math.min(xOf(frame, to), frame.right);
    if (right < left) continue;
    c.globalAlpha = 0.32;
    if (holds) c.fillRect(left, 3, Math.max(right - left, 0.5), bottom - 3);
    c.globalAlpha = 1;
    if (holds) {
      c.fillRect(left, 3, Math.max(right - left, 0.5), 1.2);
      c.fillRect(left, 3, 1.2, bottom - 3);
      c.fillRect(right - 1.2, 3, 1.2, bottom - 3);
    }
    c.fillRect(left, bottom, right - left, 1.2);
  }
  c.lineWidth = 1.4;
  for (const { t, holds } of marks) {
    const x = xOf(frame, t);
    if (x < frame.left - 0.5 || x > frame.right + 0.5) continue;
    c.fillStyle = look.curves[0];
    c.fillRect(x - 0.7, 8, 1.4, bottom - 8);
    c.beginPath();
    c.arc(x, 6, 3, 0, 7);
    c.fillStyle = holds ? look.curves[0] : look.ground;
    c.fill();
    c.stroke();
  }
}

// Colour by the state's name, the same in all bands; names stand where they fit.
export function paintBands(
  c: CanvasRenderingContext2D,
  frame: Frame,
  { bands, visits }: Bands,
  states: string[],
  colourOf: (state: string) => number,
  look: Look,
) {
  const { height } = frame;
  const visitsAt = visits.slice(0, 200).map(({ t }) => xOf(frame, t));
  c.font = font(11);
  c.textBaseline = 'middle';
  c.textAlign = 'center';
  for (const { from, to, state } of bands) {
    const left = Math.max(xOf(frame, from), frame.left);
    const right = Math.min(xOf(frame, to), frame.right);
    if (right < left) continue;
    c.globalAlpha = state < 0 ? 0.5 : 0.32;
    c.fillStyle = state < 0 ? look.dim : look.curves[colourOf(states[state]) % look.curves.length];
    c.fillRect(left, 1, Math.max(right - left, 1), height - 3);
    c.globalAlpha = 1;
    if (right - left > 3) {
      c.fillStyle = look.line;
      c.fillRect(left, 1, 1, height - 3);
    }
    if (right - left < 14) continue;
    const text = state < 0 ? 'changing' : states[state];
    if (c.measureText(text).width + 8 > right - left) continue;
    c.fillStyle = look.ink;
    c.fillText(text, beside(visitsAt, left, right, c.measureText(text).width / 2 + 5), height / 2);
  }
  for (const { t, state } of visits) {
    c.fillStyle = look.curves[colourOf(states[state]) % look.curves.length];
    c.fillRect(xOf(frame, t) - 1.5, 0, 3, height - 1);
  }
}

export function paintTimes(c: CanvasRenderingContext2D, frame: Frame, times: Axis, look: Look) {
  c.font = font();
  c.textBaseline = 'top';
  c.fillStyle = look.ink;
  c.strokeStyle = look.line;
  const edge = c.canvas.width / c.getTransform().a;
  times.ticks.forEach((t, i) => {
    const x = xOf(frame, t);
    c.beginPath();
    c.moveTo(x, 0);
    c.lineTo(x, 5);
    c.stroke();
    const half = c.measureText(times.labels[i]).width / 2;
    c.textAlign = 'center';
    if (x - half < 0 || x > frame.right + 1) return;
    // The last one ends where the canvas does.
    c.fillText(times.labels[i], Math.min(x, edge - half), 7);
  });
}
