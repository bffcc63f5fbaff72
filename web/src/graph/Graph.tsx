// The bond graph in the mode at the cursor, with efforts and flows at the bonds. The picture is the
// binary's (src/draw); it stands in a shadow root, so that its style and the page's do not meet.

import './graph.css';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useCursor, type Cursor } from '../data/cursor';
import type { GraphBond, Run, RunGraph } from '../data/run';
import { lowerBound, upperBound } from '../data/search';
import { modeText, rowText, short } from '../data/text';
import { sheet } from './sheet';

interface Props {
  run: Run;
  cursor: Cursor;
  // Across the whole page, or beside something else.
  large: boolean;
  onLarge: (large: boolean) => void;
}

export function GraphView({ run, cursor, large, onLarge }: Props) {
  useCursor(cursor);
  const [graph, setGraph] = useState<RunGraph | null>(null);
  const [failed, setFailed] = useState('');
  const [values, setValues] = useState(true);
  useEffect(() => {
    let current = true;
    setGraph(null);
    run.graph().then(
      (found) => current && setGraph(found),
      (error: Error) => current && setFailed(error.message),
    );
    return () => {
      current = false;
    };
  }, [run]);
  const modes = useMemo(() => new Map(graph?.modes.map((mode, index) => [mode.states.join(), index])), [graph]);

  if (failed !== '') return <p class="bad">The graph cannot be read: {failed}</p>;
  if (run.view.graph === null) return <p class="dim">The model has no bond graph and no modal model.</p>;
  if (graph === null) return <p class="dim">…</p>;
  const mode = modes.get(run.states(cursor.row).join());
  const between = cursor.t !== run.t[cursor.row];
  return (
    <div class="graph" data-mode={mode} data-row={cursor.row}>
      <p class="graph-head">
        <strong>{between ? `t ≈ ${short(cursor.t)}` : rowText(run, cursor.row)}</strong>
        <span class="dim">{modeText(run, cursor.row, 5)}</span>
        {graph.bonds.length > 0 && (
          <label class="toggle">
            <input type="checkbox" checked={values} onChange={() => setValues(!values)} /> efforts and flows
          </label>
        )}
        <button type="button" class="enlarge" aria-pressed={large} onClick={() => onLarge(!large)}>
          {large ? 'Smaller' : 'Enlarge'}
        </button>
      </p>
      {mode === undefined ? (
        <p class="not-drawn">
          This mode is not drawn: of the modes that were visited, {graph.modes.length} are in the page
          {graph.more_modes > 0 && ` and ${graph.more_modes} are not`}.
        </p>
      ) : (
        <Picture svg={graph.modes[mode].svg} graph={graph} row={cursor.row} values={values} large={large} />
      )}
    </div>
  );
}

interface PictureProps {
  svg: string;
  graph: RunGraph;
  row: number;
  values: boolean;
  large: boolean;
}

const kSvg = 'http://www.w3.org/2000/svg';

function Picture({ svg, graph, row, values, large }: PictureProps) {
  const host = useRef<HTMLDivElement>(null);
  const labels = useRef(new Map<string, { group: Element; lines: Element[] }>());

  useLayoutEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' });
    root.innerHTML = `${svg}<style>${sheet}</style>`;
    const picture = root.querySelector('svg');
    picture?.removeAttribute('width');
    picture?.removeAttribute('height');
    if (picture) crop(picture, large);
    labels.current = new Map();
    for (const group of root.querySelectorAll('g.bond')) {
      const lines = addLabel(group);
      if (lines !== null) labels.current.set(group.getAttribute('data-bond') ?? '', { group, lines });
    }
  }, [svg, large]);

  useLayoutEffect(() => {
    const at = Math.max(0, upperBound(graph.rows, row) - 1);
    for (const bond of graph.bonds) {
      const label = labels.current.get(bond.name);
      if (label) write(label.group, label.lines, bond, at, row, values);
    }
  }, [svg, large, graph, row, values]);

  return <div class="graph-picture" ref={host} />;
}

// Without the heading, which the page has, and the room around; where it is small, without the key.
function crop(picture: SVGSVGElement, large: boolean) {
  for (const part of picture.querySelectorAll(`.heading, .mode, .paper${large ? '' : ', .legend'}`)) part.remove();
  const box = picture.getBBox();
  if (box.width > 0) {
    picture.setAttribute('viewBox', [box.x - 14, box.y - 14, box.width + 28, box.height + 28].map((n) => n.toFixed(1)).join(' '));
  }
}

// Two lines of text beside the middle of a bond, on the side away from the half-arrow.
function addLabel(group: Element): Element[] | null {
  const line = group.querySelector<SVGPathElement>('path.line');
  if (line === null) return null;
  const length = line.getTotalLength();
  const middle = line.getPointAtLength(length / 2);
  const ahead = line.getPointAtLength(Math.min(length, length / 2 + 1));
  const [dx, dy] = [ahead.x - middle.x, ahead.y - middle.y];
  const size = Math.hypot(dx, dy) || 1;
  const [nx, ny] = [-dy / size, dx / size];
  const text = document.createElementNS(kSvg, 'text');
  text.setAttribute('class', 'bond-value');
  text.setAttribute('text-anchor', 'middle');
  const x = middle.x + nx * (14 + 16 * Math.abs(nx));
  const y = middle.y + ny * 16;
  const lines = [0, 1].map((i) => {
    const span = document.createElementNS(kSvg, 'tspan');
    span.setAttribute('x', x.toFixed(1));
    span.setAttribute('y', (y - 2 + 12 * i).toFixed(1));
    text.append(span);
    return span;
  });
  group.append(text);
  return lines;
}

function write(group: Element, [e, f]: Element[], bond: GraphBond, at: number, row: number, values: boolean) {
  const impulse = lowerBound(bond.impulseRows, row);
  const struck = bond.impulseRows[impulse] === row;
  group.classList.toggle('struck', struck);
  const part = (letter: string, finite: number, weight: number) => {
    const number = short(finite, 4);
    if (!struck || weight === 0) return `${letter} ${number}`;
    return `${letter} ${number === '0' ? '' : `${number} + `}${short(weight, 4)}ω`;
  };
  e.textContent = values ? part('e', bond.e[at], struck ? bond.p[impulse] : 0) : '';
  f.textContent = values ? part('f', bond.f[at], struck ? bond.q[impulse] : 0) : '';
}
