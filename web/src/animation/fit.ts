// What the animation draws: shapes whose coordinates are numbers or columns of the run.

import type { Run } from '../data/run';
import type { Coordinate, Shape } from '../data/view';

export interface Extent {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

function range(run: Run, coordinate: Coordinate | undefined): { low: number; high: number } {
  if (coordinate === undefined) return { low: 0, high: 0 };
  if (typeof coordinate === 'number') return { low: coordinate, high: coordinate };
  const { low, high } = run.columns[coordinate.column].pyramid.extremes(0, run.count - 1);
  return low <= high ? { low, high } : { low: 0, high: 0 };
}

// Holds every shape at every time of the run.
export function extentOf(run: Run, shapes: Shape[]): Extent {
  const extent = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
  const hold = (x: Coordinate | undefined, y: Coordinate | undefined, aside: number, above: number) => {
    const [h, v] = [range(run, x), range(run, y)];
    extent.left = Math.min(extent.left, h.low - aside);
    extent.right = Math.max(extent.right, h.high + aside);
    extent.bottom = Math.min(extent.bottom, v.low - above);
    extent.top = Math.max(extent.top, v.high + above);
  };
  for (const shape of shapes) {
    const most = (coordinate: Coordinate | undefined) => {
      const { low, high } = range(run, coordinate);
      return Math.max(Math.abs(low), Math.abs(high));
    };
    if (shape.kind === 'circle') {
      hold(shape.x, shape.y, most(shape.radius), most(shape.radius));
    } else if (shape.kind === 'box') {
      let [aside, above] = [most(shape.width) / 2, most(shape.height) / 2];
      if (shape.angle !== undefined && shape.angle !== 0) aside = above = Math.hypot(aside, above);
      hold(shape.x, shape.y, aside, above);
    } else {
      hold(shape.x, shape.y, 0, 0);
      hold(shape.x2, shape.y2, 0, 0);
    }
  }
  if (!(extent.left <= extent.right)) return { left: -1, right: 1, bottom: -1, top: 1 };
  const pad = 0.05 * Math.max(extent.right - extent.left, extent.top - extent.bottom) || 1;
  return { left: extent.left - pad, right: extent.right + pad, bottom: extent.bottom - pad, top: extent.top + pad };
}

export interface Placed {
  kind: Shape['kind'];
  name: string;
  label: string;
  fill: string | undefined;
  x: number;
  y: number;
  x2: number;
  y2: number;
  radius: number;
  width: number;
  height: number;
  angle: number;
}

// Where the shapes are at a row, or between two; those that are hidden, or have no place, are left out.
export function placed(run: Run, shapes: Shape[], row: number, t: number): Placed[] {
  const at = (coordinate: Coordinate | undefined, usual: number) =>
    coordinate === undefined ? usual : typeof coordinate === 'number' ? coordinate : run.value(coordinate.column, row, t).number;
  return shapes.flatMap((shape) => {
    const visible = shape.visible === undefined ? 1 : visibleAt(run, shape.visible, row);
    const found: Placed = {
      kind: shape.kind,
      name: shape.name,
      label: shape.label ?? '',
      fill: shape.fill,
      x: at(shape.x, 0),
      y: at(shape.y, 0),
      x2: at(shape.x2, 0),
      y2: at(shape.y2, 0),
      radius: at(shape.radius, 0),
      width: at(shape.width, 0),
      height: at(shape.height, 0),
      angle: at(shape.angle, 0),
    };
    const whole = [found.x, found.y, found.x2, found.y2, found.radius, found.width, found.height, found.angle].every(Number.isFinite);
    return visible !== 0 && !Number.isNaN(visible) && whole ? [found] : [];
  });
}

// A condition has no values between its values.
function visibleAt(run: Run, visible: Coordinate, row: number): number {
  return typeof visible === 'number' ? visible : run.columns[visible.column].values[row];
}
