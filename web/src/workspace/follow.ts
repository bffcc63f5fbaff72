// A new run of the same model is looked at where the old one was: at the same time, or in the same
// event if one was entered.

import { Cursor } from '../data/cursor';
import type { Run } from '../data/run';

export function followCursor(old: Cursor | null, run: Run): Cursor {
  if (!old) return new Cursor(run);
  const cursor = new Cursor(run, old.t);
  const event = old.event && run.events[Math.min(old.event.index, run.events.length - 1)];
  if (!event) return cursor;
  const inside = old.inside();
  if (inside) cursor.toRow(Math.min(event.first + (old.row - inside.first), event.last));
  cursor.event = event;
  return cursor;
}
