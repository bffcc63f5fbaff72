// The plot: one panel per group of columns over one time axis, bands of automata, events as marks,
// a cursor. Painted on canvases; legend, marks, buttons and the cursor are elements of the page, for
// keyboards, screen readers and tests.

import './plot.css';
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import type { Cursor } from '../data/cursor';
import type { Run } from '../data/run';
import { counted, instantText, modeText, rowText, short } from '../data/text';
import { kPaper, usePrinting } from '../run/print';
import { useTheme } from '../theme/theme';
import { listen } from './gestures';
import { Legend } from './Legend';
import { Marks } from './Marks';
import { bandOrder, kAxis, kBand, Stage } from './stage';

export interface PlotProps {
  run: Run;
  cursor: Cursor;
  compare?: Run;
  // An event was chosen: open the microscope.
  onEvent?: () => void;
}

let painted = false;

// So that on a common screen title, plot and what follows are seen together.
function panelHeight(panels: number, bands: number, width: number): number {
  const legend = width > 700 ? 27 : 50;
  const rest = window.innerHeight - 235 - bands * kBand - kAxis;
  return Math.round(Math.min(300, Math.max(width > 700 ? 84 : 96, rest / Math.max(1, panels) - legend)));
}

const kHelp =
  'Arrow keys move the cursor, through an instant step by step. Shift and arrows: previous and next event. ' +
  'Plus and minus zoom, 0 shows everything, Page Up and Page Down pan, Enter opens the instant.';

export function Plot({ run, cursor, compare, onEvent }: PlotProps) {
  const before = useRef<Stage | null>(null);
  const stage = useMemo(() => {
    const made = new Stage(run, compare);
    // A run of the same model again: one goes on looking where one looked.
    if (before.current?.run.view.model === run.view.model) made.follow(before.current);
    before.current = made;
    return made;
  }, [run, compare]);
  const body = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const [point, setPoint] = useState<number | null>(null);
  const [box, setBox] = useState<[number, number] | null>(null);
  const [allBands, setAllBands] = useState(false);
  const frame = useRef(0);
  const theme = useTheme();
  const printing = usePrinting();
  const panels = run.view.panels;
  stage.bands = useMemo(() => bandOrder(run, allBands), [run, allBands]);

  const paint = () => {
    stage.paint();
    redraw(0);
    if (painted) return;
    painted = true;
    performance.mark('cradle-first-picture');
  };
  const changed = () => {
    if (frame.current !== 0) return;
    frame.current = requestAnimationFrame(() => {
      frame.current = 0;
      paint();
    });
  };

  useLayoutEffect(() => {
    const element = body.current!;
    const measure = () => {
      stage.width = printing ? kPaper : Math.max(240, element.clientWidth);
      stage.panelHeight = panelHeight(panels.length, stage.lanes, stage.width);
      paint();
    };
    measure();
    let width = element.clientWidth;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === width || printing) return;
      width = element.clientWidth;
      measure();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [stage, theme, allBands, printing]);

  useEffect(() => {
    const stop = cursor.listen(() => {
      stage.sight.reveal(cursor.t);
      changed();
    });
    return () => {
      stop();
      cancelAnimationFrame(frame.current);
      frame.current = 0;
    };
  }, [cursor, stage]);

  const pick = (x: number) => {
    const t = stage.timeAt(x);
    const near = stage.timeAt(x + 6) - t;
    const before = run.previousEvent(run.rowAt(t) + 1);
    const after = run.nextEvent(run.rowAt(t));
    const event = [before, after]
      .filter((e) => e !== null && Math.abs(e.t - t) <= near)
      .sort((a, b) => Math.abs(a!.t - t) - Math.abs(b!.t - t))[0];
    if (event) {
      cursor.toEvent(event);
      onEvent?.();
    } else {
      cursor.toTime(t);
    }
  };

  useEffect(
    () =>
      listen(body.current!, stage, {
        changed,
        point: (x) => setPoint(x !== null && x >= stage.left && x <= stage.right ? stage.timeAt(x) : null),
        pick,
        box: (from, to) => setBox(from === null ? null : [from, to]),
      }),
    [stage, cursor],
  );

  const zoom = (factor: number) => {
    const { sight } = stage;
    const visible = cursor.t >= sight.from && cursor.t <= sight.to;
    sight.zoom(factor, visible ? cursor.t : (sight.from + sight.to) / 2);
    changed();
  };
  const reset = () => {
    stage.sight.reset();
    changed();
  };

  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { sight } = stage;
    const step = sight.span / 100;
    const keys: Record<string, () => void> = {
      ArrowRight: () => (event.shiftKey ? cursor.nextEvent() : cursor.forward(step)),
      ArrowLeft: () => (event.shiftKey ? cursor.previousEvent() : cursor.back(step)),
      Home: () => cursor.toTime(run.from),
      End: () => cursor.toTime(run.to),
      PageUp: () => sight.pan(-sight.span / 2),
      PageDown: () => sight.pan(sight.span / 2),
      '+': () => zoom(0.5),
      '=': () => zoom(0.5),
      '-': () => zoom(2),
      '0': reset,
    };
    if (event.key === 'Enter' && event.target === body.current && cursor.event !== null) onEvent?.();
    const action = keys[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
    changed();
  };

  const [row, t] = point === null ? [cursor.row, cursor.t] : [run.rowAt(point), point];
  const between = cursor.t !== run.t[cursor.row];
  const x = stage.xAt(cursor.t);
  const inSight = x >= stage.left - 0.5 && x <= stage.right + 0.5;
  const moreBands = run.automata.length - stage.bands.length;

  return (
    <section
      class="plot"
      aria-label="Plot"
      data-from={String(stage.sight.from)}
      data-to={String(stage.sight.to)}
      data-cursor-row={cursor.row}
      data-cursor-t={String(cursor.t)}
    >
      <div class="plot-tools" role="toolbar" aria-label="Plot">
        <span class="group">
          <button type="button" onClick={() => zoom(0.5)} aria-label="Zoom in" title="Zoom in (+)">
            +
          </button>
          <button type="button" onClick={() => zoom(2)} aria-label="Zoom out" title="Zoom out (−)" disabled={stage.sight.whole}>
            −
          </button>
          <button type="button" onClick={reset} title="Show everything (0)" disabled={stage.sight.whole}>
            All
          </button>
        </span>
        <span class="group">
          <button type="button" onClick={() => cursor.previousEvent()} title="Previous event (Shift+←)" disabled={run.events.length === 0}>
            ◀ event
          </button>
          <button type="button" onClick={() => cursor.nextEvent()} title="Next event (Shift+→)" disabled={run.events.length === 0}>
            event ▶
          </button>
        </span>
        <label class="toggle">
          <input
            type="checkbox"
            checked={stage.fit}
            onChange={() => {
              stage.fit = !stage.fit;
              changed();
            }}
          />
          fit values
        </label>
        <output class="readout" aria-live="polite">
          <strong>{between ? `t ≈ ${short(cursor.t)}` : rowText(run, cursor.row)}</strong>
          {!between && run.kind(cursor.row) !== 'evolving' && <span class={`kind ${run.kind(cursor.row)}`}>{run.kind(cursor.row)}</span>}
          {run.automata.length > 0 && <span class="dim mode"> {modeText(run, cursor.row, 4)}</span>}
        </output>
      </div>
      <div
        class="plot-body"
        ref={body}
        tabIndex={0}
        role="group"
        aria-roledescription="plot"
        aria-label={`${run.view.model} over time, from ${short(run.from)} to ${short(run.to)}, ${counted(run.events.length, 'event')}. ${kHelp}`}
        onKeyDown={key}
      >
        {panels.map((panel, p) => (
          <div class="panel" key={p}>
            <Legend run={run} stage={stage} panel={panel} note={stage.notes[p] ?? ''} row={row} t={t} changed={changed} />
            <canvas
              aria-hidden="true"
              ref={(canvas) => {
                stage.panels[p] = canvas;
              }}
            />
          </div>
        ))}
        {panels.length === 0 && stage.truths.length === 0 && <p class="dim">Nothing to plot: the run shows no columns.</p>}
        {stage.lanes > 0 && (
          <canvas
            class="bands"
            aria-hidden="true"
            ref={(canvas) => {
              stage.bandCanvas = canvas;
            }}
          />
        )}
        {(moreBands > 0 || allBands) && (
          <button type="button" class="link more" style={{ marginLeft: `${stage.left}px` }} onClick={() => setAllBands(!allBands)}>
            {allBands ? 'fewer automata' : `… ${counted(moreBands, 'more automaton', 'more automata')}`}
          </button>
        )}
        <div class={`axis${stage.timeNote === '' ? '' : ' noted'}`}>
          <Marks run={run} stage={stage} cursor={cursor} changed={changed} onEvent={onEvent} />
          <canvas
            aria-hidden="true"
            ref={(canvas) => {
              stage.axisCanvas = canvas;
            }}
          />
          <span class="axis-name">t{run.timeUnit === '' ? '' : ` [${run.timeUnit}]`}{stage.timeNote === '' ? '' : ` ${stage.timeNote}`}</span>
        </div>
        {inSight && <div class="cursor-line" style={{ transform: `translateX(${x}px)` }} />}
        {point !== null && (
          <div class="point-line" style={{ transform: `translateX(${stage.xAt(point)}px)` }}>
            <span>{run.t[row] === point ? instantText(point, run.eps[row], run.step[row]) : short(point)}</span>
          </div>
        )}
        {box !== null && (
          <div class="zoom-box" style={{ left: `${Math.min(...box)}px`, width: `${Math.abs(box[1] - box[0])}px` }} />
        )}
      </div>
    </section>
  );
}
