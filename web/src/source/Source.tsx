// The model's text with colours, numbered lines, and lines that something has to say about.

import './source.css';
import type { Ref } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Place } from '../data/place';
import type { RunView } from '../data/view';
import { usePrinting } from '../run/print';
import { tokenizeText } from './tokens';

export interface LineNote {
  file: string;
  line: number;
  kind: 'error' | 'warning' | 'guard' | 'parameter';
  text: string;
}

interface Props {
  sources: RunView['sources'];
  notes: LineNote[];
  // Where to look; a new object scrolls there again.
  place: Place | null;
}

const signs = { error: '✕', warning: '!', guard: '⚡', parameter: '' };

export function Source({ sources, notes, place }: Props) {
  const [chosen, setChosen] = useState(() => sources.find(({ own }) => own)?.name ?? sources[0]?.name ?? '');
  const list = useRef<HTMLOListElement>(null);
  const printing = usePrinting();
  const source = sources.find(({ name }) => name === chosen) ?? sources[0];
  const lines = useMemo(() => tokenizeText(source?.text ?? ''), [source]);

  useEffect(() => {
    if (place !== null && sources.some(({ name }) => name === place.file)) setChosen(place.file);
  }, [place]);
  useEffect(() => {
    if (place === null || source?.name !== place.file || list.current === null) return;
    const line = list.current.querySelector<HTMLElement>(`[data-line="${place.line}"]`);
    if (line === null) return;
    const box = list.current;
    box.scrollTop = line.offsetTop - box.clientHeight / 2;
    line.focus({ preventScroll: true });
  }, [place, source]);

  if (source === undefined) return <p class="dim">The source did not travel with this run.</p>;
  return (
    <div class="source">
      {sources.length > 1 && (
        <label>
          File{' '}
          <select value={source.name} onChange={(event) => setChosen(event.currentTarget.value)}>
            {sources.map(({ name, own }) => (
              <option key={name} value={name}>
                {name}
                {own ? '' : ' (library)'}
              </option>
            ))}
          </select>
        </label>
      )}
      <Listing source={source} notes={notes} place={place} list={list} lines={lines} />
      {printing &&
        sources
          .filter((other) => other !== source)
          .map((other) => (
            <div key={other.name}>
              <p>
                <code>{other.name}</code>
              </p>
              <Listing source={other} notes={notes} place={null} lines={tokenizeText(other.text)} />
            </div>
          ))}
    </div>
  );
}

interface ListingProps {
  source: RunView['sources'][number];
  notes: LineNote[];
  place: Place | null;
  lines: ReturnType<typeof tokenizeText>;
  list?: Ref<HTMLOListElement>;
}

function Listing({ source, notes, place, lines, list }: ListingProps) {
  return (
    <ol class="code" ref={list} tabIndex={0} aria-label={`Source of ${source.name}`}>
      {lines.map((tokens, i) => {
        const here = notes.filter(({ file, line }) => file === source.name && line === i + 1);
        const worst = here[0]?.kind;
        const there = place !== null && place.file === source.name && place.line === i + 1;
        return (
          <li
            key={i}
            data-line={i + 1}
            tabIndex={-1}
            class={`${worst ?? ''}${there ? ' there' : ''}`}
            title={here.map(({ text }) => text).join('\n') || undefined}
          >
            <span class="line-number">{i + 1}</span>
            <span class="line-sign" aria-hidden="true">
              {worst === undefined ? '' : signs[worst]}
            </span>
            <code>
              {tokens.map(({ kind, text }, k) => (kind === 'space' || kind === 'name' ? text : <span key={k} class={`tok-${kind}`}>{text}</span>))}
              {'\n'}
            </code>
          </li>
        );
      })}
    </ol>
  );
}
