// Paints the canvases of a plot: the panels, the bands, the time axis, all over one stretch of time.

import { kMostBands, type Run, type RunColumn } from '../data/run';
import { traceBands } from './bands';
import {
  font,
  look,
  paintBands,
  paintPanel,
  paintTruth,
  paintTimes,
  prepare,
  shortened,
  type DrawnCurve,
  type Frame,
} from './paint';
import { largestWeight, scaleFor, type Scale } from './scale';
import { Sight } from './sight';
import { makeAxis, type Axis } from './ticks';
import { trace, type Trace } from './trace';
import { truthLane, type TruthLane } from './truths';

export const kBand = 20;
export const kAxis = 24;

// Automata with a band: all, or those that move first.
export function bandOrder(run: Run, all: boolean): number[] {
  const order = run.automata.map((_, index) => index);
  if (all || order.length <= kMostBands) return order;
  const moves = (a: number) => (run.automata[a].rows.length > 1 ? 0 : 1);
  return order
    .sort((a, b) => moves(a) - moves(b) || a - b)
    .slice(0, kMostBands)
    .sort((a, b) => a - b);
}

export class Stage {
  readonly sight: Sight;
  readonly columnsByName: Map<string, RunColumn>; // of the run that is compared with
  hidden = new Set<number>(); // columns
  pointed: number | null = null; // the column that is pointed at
  fit = true; // the range of y follows what is in sight
  width = 600;
  panelHeight = 120;
  bands: number[];
  readonly truths: { name: string; lane: TruthLane }[];
  left = 50;
  gutter = 0;
  notes: string[] = []; // of the panels' axes
  timeNote = '';
  panels: (HTMLCanvasElement | null)[] = [];
  bandCanvas: HTMLCanvasElement | null = null;
  axisCanvas: HTMLCanvasElement | null = null;

  constructor(
    readonly run: Run,
    readonly compare: Run | undefined,
  ) {
    const from = Math.min(run.from, compare?.from ?? Infinity);
    const to = Math.max(run.to, compare?.to ?? -Infinity);
    this.sight = to > from ? new Sight(from, to) : new Sight(from - 0.5, from + 0.5);
    this.columnsByName = new Map(compare?.columns.map((column) => [column.name, column]));
    this.bands = bandOrder(run, false);
    this.truths = run.truths.map((column) => ({ name: column.name, lane: truthLane(run, column) }));
  }

  // Looks as another one did: at the same stretch of time, with the same curves.
  follow(before: Stage) {
    if (!before.sight.whole) this.sight.set(before.sight.from, before.sight.to);
    this.fit = before.fit;
    const names = new Set([...before.hidden].map((column) => before.run.columns[column].name));
    for (const { name, index } of this.run.columns) if (names.has(name)) this.hidden.add(index);
  }

  get lanes(): number {
    return this.truths.length + this.bands.length;
  }
  get right() {
    return this.width - Math.max(this.gutter, 14);
  }
  frame(height: number): Frame {
    return { left: this.left, right: this.right, height, from: this.sight.from, to: this.sight.to };
  }
  timeAt(x: number): number {
    return this.sight.from + ((x - this.left) / (this.right - this.left)) * this.sight.span;
  }
  xAt(t: number): number {
    return this.left + ((t - this.sight.from) / this.sight.span) * (this.right - this.left);
  }

  private curves(panel: number[]): DrawnCurve[] {
    const { from, to } = this.sight;
    const pixels = (this.right - this.left) * Math.min(2, window.devicePixelRatio || 1);
    const curves: DrawnCurve[] = [];
    panel.forEach((c, index) => {
      if (this.hidden.has(c)) return;
      const column = this.run.columns[c];
      const dimmed = this.pointed !== null && this.pointed !== c && panel.includes(this.pointed);
      const then = this.columnsByName.get(column.name);
      if (then !== undefined && this.compare !== undefined) {
        const old = trace(this.compare, then, from, to, pixels);
        curves.push({ index, name: column.name, trace: old, end: NaN, old: true, dimmed });
      }
      const now = trace(this.run, column, from, to, pixels);
      curves.push({ index, name: column.name, trace: now, end: this.endOf(column, now), old: false, dimmed });
    });
    return curves;
  }

  private endOf(column: RunColumn, { dots, marks }: Trace): number {
    const t = Math.min(this.sight.to, this.run.to);
    const { number } = this.run.value(column.index, this.run.rowAt(t), t);
    return Number.isNaN(number) ? ((dots.at(-1) ?? marks.at(-1))?.y ?? NaN) : number;
  }

  // Over the whole run, mythical values left out; those in sight have their place all the same.
  private widen(curves: DrawnCurve[], panel: number[]) {
    if (this.fit || this.sight.whole) return;
    for (const c of panel) {
      if (this.hidden.has(c)) continue;
      const whole = this.run.columns[c].pyramid.extremes(0, this.run.count - 1);
      for (const { trace } of curves) {
        trace.low = Math.min(trace.low, whole.low);
        trace.high = Math.max(trace.high, whole.high);
      }
    }
  }

  private prepared(): { drawn: DrawnCurve[][]; scales: Scale[] } {
    const { panels } = this.run.view;
    const drawn = panels.map((panel) => this.curves(panel));
    drawn.forEach((curves, p) => this.widen(curves, panels[p]));
    const traces = drawn.map((curves) => curves.map(({ trace }) => trace));
    // Impulses of one unit are measured against each other.
    const units = panels.map((panel) => this.run.columns[panel[0]]?.unit ?? '');
    const among = units.map((unit) => Math.max(0, ...traces.map((list, p) => (units[p] === unit ? largestWeight(list) : 0))));
    const scales = traces.map((list, p) => scaleFor(list, this.panelHeight, among[p]));
    return { drawn, scales };
  }

  paint() {
    const colours = look();
    const measure = (this.panels.find((canvas) => canvas) ?? this.axisCanvas)?.getContext('2d');
    if (!measure) return;
    const panels = this.run.view.panels;
    const before = [this.left, this.right];
    let { drawn, scales } = this.prepared();
    this.layMargins(measure, scales);
    // Columns of pixels have to meet those of the screen.
    if (before[0] !== this.left || before[1] !== this.right) ({ drawn, scales } = this.prepared());
    this.notes = scales.map(({ axis, weights, beyond }, p) =>
      [weights === null ? '' : weightNote(this.run.columns[panels[p][0]].unit, weights.axis.note), axis.note === '' ? '' : `axis ${axis.note}`, beyond ? '△ tried values lie beyond the edge' : ''].filter((note) => note !== '').join(', '),
    );
    const times = this.times(measure);
    this.timeNote = times.note;
    panels.forEach((panel, p) => {
      const canvas = this.panels[p];
      if (!canvas) return;
      const c = prepare(canvas, this.width, this.panelHeight);
      paintPanel(c, this.frame(this.panelHeight), scales[p], times, drawn[p], panel.length, colours, this.gutter);
    });
    if (this.bandCanvas) this.paintBands(this.bandCanvas, colours);
    if (this.axisCanvas) {
      paintTimes(prepare(this.axisCanvas, this.width, kAxis), this.frame(kAxis), times, colours);
    }
  }

  // As wide as what stands in them.
  private layMargins(c: CanvasRenderingContext2D, scales: Scale[]) {
    const wide = this.width > 700;
    c.font = font();
    const labels = scales.flatMap(({ axis }) => axis.labels).map((label) => c.measureText(label).width);
    const lanes = [...this.truths.map(({ name }) => name), ...this.bands.map((a) => this.run.automata[a].name)];
    const names = lanes.map((name) => Math.min(wide ? 120 : 66, c.measureText(name).width));
    const left = Math.ceil(Math.max(24, ...labels, ...names)) + 10;
    // Without trembling while one pans.
    if (left > this.left || left < this.left - 14) this.left = left;
    c.font = font(11);
    const ends = this.run.shown.map(({ name }) => c.measureText(name).width);
    this.gutter = wide && ends.length > 0 ? Math.ceil(Math.min(120, Math.max(...ends) + 14)) : 0;
  }

  private times(c: CanvasRenderingContext2D): Axis {
    c.font = font();
    const { from, to } = this.sight;
    let axis = makeAxis(from, to, 12);
    for (let most = 12; most > 1; --most) {
      axis = makeAxis(from, to, most);
      const widest = Math.max(...axis.labels.map((label) => c.measureText(label).width), 0);
      const apart = axis.ticks.length > 1 ? this.xAt(axis.ticks[1]) - this.xAt(axis.ticks[0]) : Infinity;
      if (apart > widest + 18) break;
    }
    return axis;
  }

  private paintBands(canvas: HTMLCanvasElement, colours: ReturnType<typeof look>) {
    const c = prepare(canvas, this.width, kBand * this.lanes);
    const { from, to } = this.sight;
    const lane = (i: number, name: string, paint: () => void) => {
      c.save();
      c.translate(0, i * kBand);
      c.font = font(11.5);
      c.textAlign = 'right';
      c.textBaseline = 'middle';
      c.fillStyle = colours.ink;
      c.fillText(shortened(c, name, this.left - 8), this.left - 5, kBand / 2);
      paint();
      c.restore();
    };
    this.truths.forEach((truth, i) => lane(i, truth.name, () => paintTruth(c, this.frame(kBand), truth.lane, colours)));
    this.bands.forEach((a, i) => {
      const { name, states } = this.run.automata[a];
      lane(this.truths.length + i, name, () => {
        const bands = traceBands(this.run, a, from, to, this.right - this.left);
        paintBands(c, this.frame(kBand), bands, states, (state) => this.run.stateNames.indexOf(state), colours);
      });
    });
  }
}

const weightNote = (unit: string, note: string) =>
  `↑ impulse${unit === '' ? '' : ` [${unit}*s]`}, axis on the right${note === '' ? '' : ` ${note}`}`;
