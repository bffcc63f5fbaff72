// Everything there is to see of one run, laid out. The report shows it alone, the studio beside its
// editor.

import './run.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Animation } from '../animation/Animation';
import { Cursor, useCursor } from '../data/cursor';
import { placeText, type GoTo, type Place } from '../data/place';
import type { Run } from '../data/run';
import { counted, countText, instantText, short } from '../data/text';
import { toNumber } from '../data/unpack';
import type { Instant } from '../data/view';
import { GraphView } from '../graph/Graph';
import { Microscope } from '../microscope/Microscope';
import { Plot } from '../plot/Plot';
import { Source, type LineNote } from '../source/Source';
import { Diagnostics } from '../tables/Diagnostics';
import { EnergyBalance } from '../tables/Energy';
import { Command, Parameters, Statistics } from '../tables/Facts';
import { InstantsTable } from '../tables/InstantsTable';

export interface RunPageProps {
  run: Run;
  // Where one looks; without it the page keeps its own.
  cursor?: Cursor;
  // Overlaid in the plots.
  compare?: Run;
  // Who shows places in the source instead of this page (the studio's editor).
  goTo?: GoTo;
  // Without source, parameters and command: the studio has them in its editor.
  brief?: boolean;
  // At the right of the title.
  corner?: ComponentChildren;
}

export function RunPage({ run, cursor: given, compare, goTo, brief, corner }: RunPageProps) {
  const before = useRef<Cursor | null>(null);
  const cursor = useMemo(() => {
    before.current = given ?? new Cursor(run, before.current?.t);
    return before.current;
  }, [run, given]);
  const [large, setLarge] = useState(false); // the graph
  const graph = useRef<HTMLElement>(null);
  const wasLarge = useRef(false);
  // It moves to another place of the page: whoever enlarges it wants to see it.
  useLayoutEffect(() => {
    if (wasLarge.current === large) return;
    wasLarge.current = large;
    graph.current?.scrollIntoView({ block: 'start', behavior: 'auto' });
  }, [large]);
  const [place, setPlace] = useState<Place | null>(null);
  const microscope = useRef<HTMLElement>(null);
  const source = useRef<HTMLElement>(null);
  const go: GoTo =
    goTo ??
    ((wanted) => {
      setPlace({ ...wanted });
      reveal(source.current);
    });
  const open = () => {
    reveal(microscope.current);
    // It is drawn with the next frame.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => microscope.current?.querySelector<HTMLElement>('.steps-box')?.focus({ preventScroll: true })),
    );
  };
  const { view } = run;
  const moving = view.animation.length > 0;
  return (
    <main class="run" data-model={view.model}>
      <Head run={run} cursor={cursor} open={open} corner={corner} compare={compare} />
      {view.diagnostics.length > 0 && <FirstDiagnostic run={run} goTo={go} />}
      <Plot run={run} cursor={cursor} compare={compare} onEvent={open} />
      <div class={`columns${large ? ' large' : ''}`}>
        <section class="part wide" id="microscope" ref={microscope} aria-labelledby="microscope-name">
          <h2 id="microscope-name">Microscope</h2>
          <Microscope run={run} cursor={cursor} goTo={go} open={open} />
        </section>
        <div class="narrow">
          {moving && (
            <section class="part" id="animation" aria-labelledby="animation-name">
              <h2 id="animation-name">In motion</h2>
              <Animation run={run} cursor={cursor} />
            </section>
          )}
          {view.graph !== null && (
            <section class="part" id="graph" ref={graph} aria-labelledby="graph-name">
              <h2 id="graph-name">Graph at the cursor</h2>
              <GraphView run={run} cursor={cursor} large={large} onLarge={setLarge} />
            </section>
          )}
        </div>
      </div>
      {view.diagnostics.length > 0 && (
        <Section name="Diagnostics" count={view.diagnostics.length}>
          <Diagnostics diagnostics={view.diagnostics} goTo={go} />
        </Section>
      )}
      <Section name="Instants">
        <InstantsTable run={run} cursor={cursor} onEvent={() => reveal(microscope.current)} />
      </Section>
      <Section name="Energy">
        <EnergyBalance audit={view.audit} />
      </Section>
      {!brief && (
        <section class="part" id="source" ref={source} aria-labelledby="source-name">
          <h2 id="source-name">Source</h2>
          <NotedSource run={run} cursor={cursor} place={place} />
        </section>
      )}
      {!brief && (
        <Section name="Parameters">
          <Parameters parameters={view.parameters} goTo={go} />
        </Section>
      )}
      <Section name="Statistics">
        <Statistics statistics={{ rows: run.count, ...view.statistics }} />
      </Section>
      {!brief && (
        <Section name="The command that made this page">
          <Command command={view.command} />
          <p class="dim">Cradle {view.cradle}</p>
        </Section>
      )}
    </main>
  );
}

// One line above the plot; the whole is below it.
function FirstDiagnostic({ run, goTo }: { run: Run; goTo: GoTo }) {
  const { diagnostics } = run.view;
  const { severity, kind, message, file, line } = diagnostics[0];
  return (
    <p class={`first-diagnostic ${severity}`} role="status">
      <strong>{severity === 'error' ? '✕ error' : '! warning'}</strong> <code>{kind}</code> {message}{' '}
      {file !== undefined && line !== undefined && (
        <button type="button" class="link" onClick={() => goTo({ file, line })}>
          {placeText({ file, line })}
        </button>
      )}{' '}
      <a href="#diagnostics">{diagnostics.length > 1 ? `all ${diagnostics.length}` : 'more'}</a>
    </p>
  );
}

// Scrolls only to what cannot be seen.
function reveal(element: HTMLElement | null) {
  if (element === null) return;
  const { top } = element.getBoundingClientRect();
  if (top >= 0 && top < window.innerHeight * 0.45) return;
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  element.scrollIntoView({ block: 'start', behavior: calm ? 'auto' : 'smooth' });
}

interface SectionProps {
  name: string;
  count?: number;
  children: ComponentChildren;
}
function Section({ name, count, children }: SectionProps) {
  return (
    <details class="part" id={name.toLowerCase().replaceAll(' ', '-')} open>
      <summary>
        <h2>
          {name}
          {count !== undefined && <span class="dim"> ({count})</span>}
        </h2>
      </summary>
      {children}
    </details>
  );
}

interface HeadProps {
  run: Run;
  cursor: Cursor;
  open: () => void;
  corner: ComponentChildren;
  compare?: Run;
}

function Head({ run, cursor, open, corner, compare }: HeadProps) {
  const { view } = run;
  const { outcome } = view;
  const errors = view.diagnostics.filter(({ severity }) => severity === 'error').length;
  const end = instantText(toNumber(outcome.t), outcome.eps, outcome.step);
  // How a run finds its first mode is rarely what somebody wants to see first.
  const first = run.events.find(({ t }) => t > run.from) ?? run.events[0];
  const look = () => {
    cursor.toEvent(cursor.event ?? first);
    open();
  };
  return (
    <header class="run-head">
      <div class="run-title">
        <h1>{view.model}</h1>
        <p class={`outcome${outcome.finished ? '' : ' bad'}`} data-ending={outcome.ending}>
          <strong>
            {outcome.finished ? '✓' : '✕'} {outcome.ending} at {end}
          </strong>
          <span class="dim">
            {' '}
            {counted(view.statistics.events ?? 0, 'event')}, {counted(run.count, 'row')}
            {errors > 0 && `, ${counted(errors, 'error')}`}
            {view.settings.length > 0 && `; ${view.settings.map(({ name, value }) => `${name} = ${value}`).join(', ')}`}
            {compare && '; dashed: the run it is compared with'}
          </span>
        </p>
        {view.rows.cut !== undefined && <p class="bad">Not all rows are here: {view.rows.cut}</p>}
      </div>
      {first !== undefined && (
        <button type="button" class="primary open-instant" onClick={look}>
          Look inside {run.events.length === 1 ? `the instant t = ${short(first.t)}` : `an instant (${countText(run.events.length)})`} ▸
        </button>
      )}
      {corner}
    </header>
  );
}

// Lines that something is to be said about: diagnostics, the guards of the instant that is open,
// parameters.
function NotedSource({ run, cursor, place }: { run: Run; cursor: Cursor; place: Place | null }) {
  useCursor(cursor);
  const [instants, setInstants] = useState<Instant[]>([]);
  useEffect(() => {
    run.instants().then(setInstants, () => setInstants([]));
  }, [run]);
  const { view } = run;
  const told = cursor.event?.told ?? null;
  const notes = useMemo(() => {
    const list: LineNote[] = [];
    for (const { severity, message, file, line } of view.diagnostics) {
      if (file !== undefined && line !== undefined) list.push({ file, line, kind: severity, text: message });
    }
    for (const move of told === null ? [] : (instants[told]?.steps ?? []).flatMap(({ moves }) => moves)) {
      if (move.place) list.push({ ...move.place, kind: 'guard', text: `${move.automaton}: ${move.from} → ${move.to}` });
    }
    for (const { name, value, place: at } of view.parameters) {
      if (at) list.push({ file: at.file, line: at.line, kind: 'parameter', text: `${name} = ${short(value)}` });
    }
    return list;
  }, [run, told, instants]);
  return <Source sources={view.sources} notes={notes} place={place} />;
}
