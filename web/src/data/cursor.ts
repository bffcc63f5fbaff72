// Where one looks: a row, or a time between two rows. All parts of a page share one cursor, so that
// values, graph and animation show the same moment, also inside an instant.

import { useEffect, useReducer } from 'preact/hooks';
import type { Run, RunEvent } from './run';

export class Cursor {
  row = 0;
  t = 0;
  // The instant that was entered last: what the microscope shows.
  event: RunEvent | null = null;
  private listeners = new Set<() => void>();

  constructor(
    readonly run: Run,
    t = run.from,
  ) {
    this.t = Math.min(Math.max(t, run.from), run.to);
    this.row = this.t === run.from ? 0 : run.rowAt(this.t);
  }

  toRow(row: number) {
    this.row = Math.min(Math.max(row, 0), Math.max(0, this.run.count - 1));
    this.t = this.run.t[this.row] ?? 0;
    this.event = this.run.eventAtRow(this.row) ?? this.event;
    this.tell();
  }
  toTime(t: number) {
    this.t = Math.min(Math.max(t, this.run.from), this.run.to);
    this.row = this.run.rowAt(this.t);
    if (this.run.t[this.row] === this.t) this.event = this.run.eventAtRow(this.row) ?? this.event;
    this.tell();
  }
  // To its left limit, where there is one.
  toEvent(event: RunEvent | null) {
    if (event !== null) this.toRow(event.first);
  }
  closeEvent() {
    this.event = null;
    this.tell();
  }

  // The present instant, if the cursor is on one of its rows.
  inside(): RunEvent | null {
    return this.t === this.run.t[this.row] ? this.run.eventAtRow(this.row) : null;
  }
  nextEvent() {
    this.toEvent(this.run.nextEvent(this.row));
  }
  previousEvent() {
    const inside = this.inside();
    // From within an instant to its beginning, and from there to the one before; from behind, into it.
    if (inside !== null && this.row > inside.first) this.toEvent(inside);
    else this.toEvent(this.run.previousEvent(inside?.first ?? this.row + 1));
  }

  // One step of a key: through an instant row by row, through time by `dt`, but past no event.
  forward(dt: number) {
    const inside = this.inside();
    if (inside !== null && this.row < inside.last) return this.toRow(this.row + 1);
    const next = this.run.nextEvent(this.row);
    if (next !== null && next.t <= this.t + dt) this.toRow(next.first);
    else this.toTime(this.t + dt);
  }
  back(dt: number) {
    const inside = this.inside();
    if (inside !== null && this.row > inside.first) return this.toRow(this.row - 1);
    const before = this.run.previousEvent(inside?.first ?? this.row + 1);
    if (before !== null && before.t >= this.t - dt) this.toRow(before.last);
    else this.toTime(this.t - dt);
  }

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  private tell() {
    for (const listener of this.listeners) listener();
  }
}

// Draws a component again when the cursor has moved, at most once per frame.
export function useCursor(cursor: Cursor): Cursor {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    let frame = 0;
    const stop = cursor.listen(() => {
      if (frame !== 0) return;
      frame = requestAnimationFrame(() => {
        frame = 0;
        redraw(0);
      });
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [cursor]);
  return cursor;
}
