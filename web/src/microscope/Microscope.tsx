// The inside of an instant. Nothing here takes any time: the second axis is that of ε-steps and
// microsteps.

import './microscope.css';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useCursor, type Cursor } from '../data/cursor';
import type { GoTo } from '../data/place';
import type { Run, RunEvent } from '../data/run';
import { counted, countText, eventTime } from '../data/text';
import type { Instant } from '../data/view';
import { eventLabel, movesText } from '../plot/Marks';
import { Moves } from './Guards';
import { InstantEnergy } from './InstantEnergy';
import { StepDetails } from './StepDetails';
import { StepTable } from './StepTable';
import { automatonMoves, columnMoves, movingFirst, rowsOf, windowAround } from './steps';
import { Unfolded } from './Unfolded';

const kMostSteps = 40; // in the table at once
const kMostSlots = 24; // in the picture
const kMostColumns = 12;

interface Props {
  run: Run;
  cursor: Cursor;
  goTo: GoTo;
}
// `open`: brings an instant that was picked into sight, and the keyboard to its steps.
export function Microscope({ run, cursor, goTo, open }: Props & { open: () => void }) {
  useCursor(cursor);
  const [instants, setInstants] = useState<Instant[] | null>(null);
  const [failed, setFailed] = useState('');
  useEffect(() => {
    let current = true;
    run.instants().then(
      (list) => current && setInstants(list),
      (error: Error) => current && setFailed(error.message),
    );
    return () => {
      current = false;
    };
  }, [run]);
  if (cursor.event === null) return <Invitation run={run} cursor={cursor} open={open} />;
  const { event } = cursor;
  const instant = event.told === null ? null : (instants?.[event.told] ?? null);
  return (
    <>
      {failed !== '' && <p class="bad">What is told of instants cannot be read: {failed}</p>}
      <Opened run={run} cursor={cursor} event={event} instant={instant} goTo={goTo} />
    </>
  );
}

// What can be picked.
function Invitation({ run, cursor, open }: { run: Run; cursor: Cursor; open: () => void }) {
  if (run.events.length === 0) return <p class="dim">No instant to open: nothing happened but the flow of time.</p>;
  const most = 6;
  const pick = (event: RunEvent) => {
    cursor.toEvent(event);
    open();
  };
  return (
    <div class="invitation">
      <p>Pick an event, here, in the plot (▲) or in the table of instants, to see what happens inside it, in no time at all.</p>
      <ul>
        {run.events.slice(0, most).map((event) => (
          <li key={event.index}>
            <button type="button" data-event={event.index} onClick={() => pick(event)}>
              t = {eventTime(run, event, 6)}
            </button>{' '}
            <span class="dim">{movesText(run, event) || counted(event.last - event.first + 1, 'row')}</span>
          </li>
        ))}
      </ul>
      {run.events.length > most && <p class="dim">… and {run.events.length - most} more</p>}
    </div>
  );
}

interface OpenedProps extends Props {
  event: RunEvent;
  instant: Instant | null;
}

function Opened({ run, cursor, event, instant, goTo }: OpenedProps) {
  const [all, setAll] = useState(false);
  const [width, setWidth] = useState(800);
  const box = useRef<HTMLDivElement>(null);
  const table = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => rowsOf(run, event, instant), [run, event, instant]);
  const moving = useMemo(() => run.shown.filter((column) => columnMoves(column, event)), [run, event]);
  const movers = useMemo(() => run.automata.map((_, a) => a).filter((a) => automatonMoves(run, a, event)), [run, event]);
  // In a model with switched junctions, other instants may still be of signals only.
  const tried = rows.some(({ row }) => run.tried(row));
  const many = run.shown.length > kMostColumns || run.automata.length > kMostColumns;
  const columns = all || run.shown.length <= kMostColumns ? run.shown : moving;
  const automata = all || run.automata.length <= kMostColumns ? run.automata.map((_, a) => a) : movers;
  const inside = cursor.row >= event.first && cursor.row <= event.last;
  const chosen = inside ? cursor.row - event.first : 0;
  const sight = windowAround(rows.length, chosen, kMostSteps);
  const slots = windowAround(rows.length, chosen, kMostSlots);

  useLayoutEffect(() => {
    const measure = () => setWidth(box.current?.clientWidth ?? 800);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const line = table.current?.querySelector<HTMLElement>('tr.step.chosen');
    const frame = table.current;
    if (!line || !frame) return;
    const top = line.offsetTop - 60;
    if (top < frame.scrollTop) frame.scrollTop = top;
    const bottom = line.offsetTop + line.offsetHeight + 40;
    if (bottom > frame.scrollTop + frame.clientHeight) frame.scrollTop = bottom - frame.clientHeight;
  }, [chosen, event, instant]);

  const go = (index: number) => cursor.toRow(event.first + Math.min(Math.max(index, 0), rows.length - 1));
  // From where the cursor is now: a key may come before the last one is drawn.
  const walk = (by: number) => go((cursor.inside() === event ? cursor.row - event.first : 0) + by);
  const key = (e: KeyboardEvent) => {
    const forward = e.key === 'ArrowDown' || e.key === 'ArrowRight';
    const back = e.key === 'ArrowUp' || e.key === 'ArrowLeft';
    if (e.shiftKey && forward) cursor.nextEvent();
    else if (e.shiftKey && back) cursor.toEvent(run.previousEvent(event.first));
    else if (forward) walk(1);
    else if (back) walk(-1);
    else if (e.key === 'Home') go(0);
    else if (e.key === 'End') go(rows.length - 1);
    else if (e.key === 'PageDown') walk(10);
    else if (e.key === 'PageUp') walk(-10);
    else return;
    e.preventDefault();
  };

  const { kinds } = run.view.rows;
  const counts = kinds
    .filter((kind) => kind === 'mythical' || kind === 'pinnacle')
    .map((kind) => [kind, rows.filter((row) => row.kind === kind).length] as const)
    .filter(([, count]) => count > 0);
  const has = (kind: string) => counts.some(([name]) => name === kind);

  return (
    <div class="microscope" ref={box} data-event={event.index} data-t={String(event.t)}>
      <p class="instant-head">
        <strong>t = {eventTime(run, event)}</strong>
        <span>
          {counted(rows.length, 'step')}
          {counts.map(([kind, count]) => `, ${countText(count)} ${kind}`)}
        </span>
        <span class="group">
          <button type="button" disabled={event.index === 0} onClick={() => cursor.toEvent(run.events[event.index - 1])} aria-label="Previous instant">
            ◀
          </button>
          <span class="dim">
            {event.index + 1} of {countText(run.events.length)}
          </span>
          <button
            type="button"
            disabled={event.index + 1 >= run.events.length}
            onClick={() => cursor.toEvent(run.events[event.index + 1])}
            aria-label="Next instant"
          >
            ▶
          </button>
        </span>
        {many && (
          <label class="toggle">
            <input type="checkbox" checked={all} onChange={() => setAll(!all)} /> also what does not change
          </label>
        )}
      </p>
      <p class="causes">
        {instant !== null && instant.causes.length > 0
          ? `Time stops here because ${instant.causes.join(', and because ')}.`
          : eventLabel(run, event)}
        {event.told === null && <span class="dim"> This instant is not told in words; its rows are all here.</span>}
      </p>
      <p class="key dim">
        {has('mythical') && (
          <>
            <span class="bullet mythical" /> mythical: {tried ? 'tried, never taken' : 'passed through in no time'}{' '}
          </>
        )}
        {rows.some(({ told }) => told?.strained) && (
          <>
            <span class="bullet mythical strained" /> strained: something would be carried without limit{' '}
          </>
        )}
        {has('pinnacle') && (
          <>
            <span class="bullet pinnacle" /> pinnacle: lasts for one ε{' '}
          </>
        )}
        <span class="bullet real" /> real: time goes on <span class="key-arrow">⬆</span> impulse
      </p>
      {rows.length > kMostSlots && (
        <p class="dim">
          The picture shows steps {slots.from + 1} to {slots.to} of {countText(rows.length)}.
        </p>
      )}
      <Unfolded
        run={run}
        cursor={cursor}
        event={event}
        rows={rows.slice(slots.from, slots.to)}
        automata={movers.length > 0 && run.automata.length > 4 ? movers : automata}
        columns={moving}
        width={width}
      />
      {rows.length > kMostSteps && (
        <p class="group pager">
          <button type="button" onClick={() => go(0)} disabled={chosen === 0}>
            first
          </button>
          <button type="button" onClick={() => go(chosen - kMostSteps / 2)} disabled={chosen === 0}>
            earlier
          </button>
          <span>
            steps {sight.from + 1} to {sight.to} of {countText(rows.length)}
          </span>
          <button type="button" onClick={() => go(chosen + kMostSteps / 2)} disabled={chosen === rows.length - 1}>
            later
          </button>
          <button type="button" onClick={() => go(rows.length - 1)} disabled={chosen === rows.length - 1}>
            last
          </button>
        </p>
      )}
      <div
        class="steps-box"
        ref={table}
        tabIndex={0}
        role="region"
        aria-label={`Steps of the instant at ${eventTime(run, event)}; arrow keys walk through them`}
        onKeyDown={key}
      >
        <StepTable
          run={run}
          cursor={cursor}
          event={event}
          rows={rows.slice(sight.from, sight.to)}
          heads={movingFirst(automata, movers, columns, moving)}
          goTo={goTo}
        />
      </div>
      {instant !== null && instant.unfinished.length > 0 && (
        <div class="unfinished">
          <p class="bad">Into a mode that has no values, and the run ended:</p>
          <Moves moves={instant.unfinished} goTo={goTo} />
        </div>
      )}
      <div class="aside">
        {instant !== null && (
          <section aria-label="Energy of the instant">
            <h3>Energy that went where</h3>
            <InstantEnergy instant={instant} />
          </section>
        )}
        {inside && <StepDetails run={run} row={rows[chosen]} />}
      </div>
    </div>
  );
}
