// A panel of curves, a row of bands and the time axis on canvases.

import { kLargest } from '../data/pyramid';
import { short } from '../data/text';
import { colour, curveColour } from '../theme/theme';
import type { Bands } from './bands';
import type { Scale } from './scale';
import { spread } from './spread';
import type { Axis } from './ticks';
import type { Arrow, Trace } from './trace';

export const kFont = 12;

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
    const placed: { arrow: Arrow; curve: DrawnCurve; x: number; base: number; tip: number }[] = [];
    const room = 0.4 * this.frame.height;
    for (let i = 0; i < all.length; ) {
      let end = i;
      while (end < all.length && all[end].arrow.t === all[i].arrow.t) end += 1;
      const spacing = Math.max(3, Math.min(30, 150 / (end - i)));
      const x0 = this.x(all[i].arrow.t);
      const direction = x0 + spacing * (end - i) > this.frame.right ? -1 : 1;
      for (let k = i; k < end; ++k) {
        const { arrow, curve } = all[k];
        const base = this.y(0);
        const tip = this.scale.weightsOnAxis
          ? this.y(arrow.weight)
          : base - (arrow.weight / this.scale.largest) * room;
        placed.push({ arrow, curve, x: x0 + direction * spacing * (k - i), base, tip });
      }
      if (end - i > 1) this.foot(x0, x0 + direction * spacing * (end - i - 1));
      i = end;
    }
    for (const { arrow, curve, x, base, tip } of placed) this.arrow(arrow, curve, x, base, tip);
    placed.sort((a, b) => Math.abs(b.arrow.weight) - Math.abs(a.arrow.weight));
    const { c } = this;
    c.font = font(11);
    c.textAlign = 'center';
    c.globalAlpha = 1;
    c.fillStyle = this.look.ink;
    for (const { arrow, x, base, tip } of placed) {
      const text = short(arrow.weight, 3);
      const half = c.measureText(text).width / 2 + 2;
      const top = tip < base ? tip - 15 : tip + 4;
      if (top < 0 || top + 13 > this.frame.height) continue;
      if (!labels.take(x - half, top, x + half, top + 13)) continue;
      c.textBaseline = 'top';
      c.fillText(text, x, top + 1);
    }
  }

  // Arrows that stand side by side are all of one time: that where their foot begins.
  private foot(x: number, last: number) {
    const { c } = this;
    const base = this.y(0);
    c.lineWidth = 1;
    c.strokeStyle = this.look.ink;
    c.beginPath();
    c.moveTo(x, base);
    c.lineTo(x, base + 5);
    c.lineTo(last, base + 5);
    c.lineTo(last, base);
    c.stroke();
  }

  private arrow({ tried }: Arrow, curve: DrawnCurve, x: number, base: number, tip: number) {
    const { c, look } = this;
    this.stroke(curve);
    c.lineWidth = 1.8;
    c.setLineDash(tried ? [3, 2.5] : []);
    const head = Math.sign(base - tip) * Math.min(8, Math.abs(base - tip));
    c.beginPath();
    c.moveTo(x, base);
    c.lineTo(x, tip + head);
    c.stroke();
    c.setLineDash([]);
    c.beginPath();
    c.moveTo(x, tip);
    c.lineTo(x - 4.5, tip + head);
    c.lineTo(x + 4.5, tip + head);
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
