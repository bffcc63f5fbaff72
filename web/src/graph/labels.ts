// Where the efforts and flows of bonds are written: beside the bond, where the least is in the way.

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}
export interface Spot {
  x: number;
  y: number; // the middle
  anchor: 'start' | 'middle' | 'end';
}
interface Point {
  x: number;
  y: number;
}

function overlap(a: Box, b: Box): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}

function boxOf({ x, y, anchor }: Spot, width: number, height: number): Box {
  const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2;
  return { left, right: left + width, top: y - height / 2, bottom: y + height / 2 };
}

// `at(share)` is a point of the bond. On both sides, near it and at the middle first; what is chosen is
// added to `taken`, for those that follow.
export function place(at: (share: number) => Point, width: number, height: number, taken: Box[], paper: Box): Spot {
  let best: { spot: Spot; box: Box; cost: number } | null = null;
  for (const away of [0, 9, 20]) {
    for (const share of [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8]) {
      const here = at(share);
      const ahead = at(share + 0.01);
      const step = Math.hypot(ahead.x - here.x, ahead.y - here.y) || 1;
      for (const side of [1, -1]) {
        const nx = (-side * (ahead.y - here.y)) / step;
        const ny = (side * (ahead.x - here.x)) / step;
        const flat = Math.abs(nx) < 0.4; // the bond: the label stands above or below it
        const spot: Spot = {
          x: here.x + nx * (7 + away),
          y: here.y + (flat ? Math.sign(ny) * (height / 2 + 4 + away) : ny * (6 + away)),
          anchor: flat ? 'middle' : nx > 0 ? 'start' : 'end',
        };
        const box = boxOf(spot, width, height);
        const outside = width * height - overlap(box, paper);
        const cost = taken.reduce((sum, other) => sum + overlap(box, other), 3 * outside + Math.abs(share - 0.5) + away);
        if (best === null || cost < best.cost) best = { spot, box, cost };
      }
    }
  }
  taken.push(best!.box);
  return best!.spot;
}
