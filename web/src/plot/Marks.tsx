// Events as marks on the time axis: buttons, one of them in the order of the Tab key, the others by
// arrows. Those too close to each other are one mark with their number, which zooms in.

import type { Cursor } from '../data/cursor';
import type { Run, RunEvent } from '../data/run';
import { lowerBound, upperBound } from '../data/search';
import { counted, eventTime } from '../data/text';
import type { Stage } from './stage';

interface Cluster {
  first: RunEvent;
  last: RunEvent;
  count: number;
  x: number;
}

const kApart = 34;

export function clusters(run: Run, stage: Stage): Cluster[] {
  const { sight } = stage;
  const out: Cluster[] = [];
  const end = upperBound(run.eventTimes, sight.to);
  for (let e = lowerBound(run.eventTimes, sight.from); e < end; ) {
    const edge = stage.timeAt(stage.xAt(run.events[e].t) + kApart);
    const next = Math.max(e + 1, Math.min(end, lowerBound(run.eventTimes, edge, e, end)));
    const [first, last] = [run.events[e], run.events[next - 1]];
    const middle = (stage.xAt(first.t) + stage.xAt(last.t)) / 2;
    const before = out.at(-1);
    const room = before !== undefined && (before.count > 1 || next - e > 1) ? before.x + kApart - 4 : -Infinity;
    out.push({ first, last, count: next - e, x: Math.max(middle, room) });
    e = next;
  }
  return out;
}

// What moved: "F13 off → on → off".
export function movesText(run: Run, event: RunEvent, most = 3): string {
  const moves: string[] = [];
  run.automata.forEach(({ name, states, rows, state }, a) => {
    let before = run.state(a, event.first);
    const path = [states[before]];
    for (let i = upperBound(rows, event.first); i < rows.length && rows[i] <= event.last; ++i) {
      if (state[i] !== before) path.push(states[state[i]]);
      before = state[i];
    }
    if (path.length > 5) path.splice(2, path.length - 3, '…');
    if (path.length > 1) moves.push(`${name} ${path.join(' → ')}`);
  });
  const more = moves.length - most;
  return moves.slice(0, most).join(', ') + (more > 0 ? `, … ${more} more` : '');
}

export function eventLabel(run: Run, event: RunEvent): string {
  const moves = movesText(run, event);
  return `event at t = ${eventTime(run, event)}${moves === '' ? '' : `: ${moves}`}`;
}

interface Props {
  run: Run;
  stage: Stage;
  cursor: Cursor;
  changed: () => void; // the stretch of time in sight
  onEvent?: () => void;
}

export function Marks({ run, stage, cursor, changed, onEvent }: Props) {
  const marks = clusters(run, stage);
  const chosen = marks.findIndex(
    ({ first, last }) => cursor.event !== null && first.index <= cursor.event.index && cursor.event.index <= last.index,
  );
  const reachable = Math.max(0, chosen);

  const choose = ({ first, last, count }: Cluster) => {
    const { sight } = stage;
    const wide = last.t - first.t;
    if (count > 1 && wide > 0 && sight.span > 1e-11 * Math.max(1, Math.abs(first.t))) {
      sight.set(first.t - 0.15 * wide, last.t + 0.15 * wide);
      changed();
    } else {
      cursor.toEvent(first);
      onEvent?.();
    }
  };
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    const button = event.target as HTMLElement;
    const other = event.key === 'ArrowLeft' ? button.previousElementSibling : button.nextElementSibling;
    if (other instanceof HTMLElement) other.focus();
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="marks" role="toolbar" aria-label={counted(run.events.length, 'event')} onKeyDown={key}>
      {marks.map((mark, i) => {
        const label =
          mark.count > 1
            ? `${counted(mark.count, 'event')} from t = ${eventTime(run, mark.first)} to ${eventTime(run, mark.last)}: zoom in`
            : eventLabel(run, mark.first);
        return (
          <button
            type="button"
            key={i}
            class={`mark${i === chosen ? ' chosen' : ''}${mark.count > 1 ? ' several' : ''}`}
            style={{ transform: `translateX(${mark.x.toFixed(1)}px) translateX(-50%)` }}
            tabIndex={i === reachable ? 0 : -1}
            title={label}
            aria-label={label}
            aria-pressed={i === chosen}
            data-event={mark.first.index}
            data-count={mark.count}
            data-t={String(mark.first.t)}
            onClick={() => choose(mark)}
          >
            {mark.count > 1 ? (mark.count > 999 ? '1k+' : mark.count) : '▲'}
          </button>
        );
      })}
    </div>
  );
}
