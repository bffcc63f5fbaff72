// How the cursor moves while the animation plays: evenly through time, and through an instant step
// by step, slowly enough to be seen.

import type { Cursor } from '../data/cursor';

const kWhole = 8; // seconds for the whole run at speed 1, instants aside
const kInside = 24; // seconds for all instants together, at most
const kStep = 0.7; // seconds for one step of an instant, at most

export class Player {
  private left = 0; // seconds that were not used yet
  private stepTime: number;
  private rate: number;

  constructor(private cursor: Cursor) {
    const { run } = cursor;
    const steps = run.events.reduce((n, { first, last }) => n + last - first + 1, 0);
    this.stepTime = Math.min(kStep, kInside / Math.max(1, steps));
    this.rate = (run.to - run.from) / kWhole || 1;
  }

  // Moves on by real seconds; false: the end was reached.
  advance(seconds: number, speed: number, slow: boolean): boolean {
    const { cursor } = this;
    const { run } = cursor;
    this.left += seconds * speed;
    let { row, t } = cursor;
    const most = 20000; // rows for one picture
    for (let i = 0; i < most && this.left > 0; ++i) {
      const event = t === run.t[row] ? run.eventAtRow(row) : null;
      if (event !== null && row < event.last) {
        if (slow && this.left < this.stepTime) break;
        if (slow) this.left -= this.stepTime;
        row += 1;
        continue;
      }
      const next = run.nextEvent(row);
      const until = next?.t ?? run.to;
      const needed = (until - t) / this.rate;
      if (needed > this.left) {
        t += this.left * this.rate;
        row = run.rowAt(t);
        this.left = 0;
      } else {
        this.left -= needed;
        if (next === null) {
          this.left = 0;
          cursor.toRow(run.count - 1);
          return false;
        }
        row = next.first;
        t = next.t;
      }
    }
    if (t === run.t[row]) cursor.toRow(row);
    else cursor.toTime(t);
    return true;
  }
}
