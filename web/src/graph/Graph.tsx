// The bond graph in the mode at the cursor, with efforts and flows at the bonds. The picture is the
// binary's (src/show/draw); it stands in a shadow root, so that its style and the page's do not meet.

import './graph.css';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useCursor, type Cursor } from '../data/cursor';
import type { GraphBond, Run, RunGraph } from '../data/run';
import { lowerBound, upperBound } from '../data/search';
import { modeText, rowText, short } from '../data/text';
import { place } from './labels';
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
  useEffect(() => {
    if (!large) return;
    const leave = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) onLarge(false);
    };
    document.addEventListener('keydown', leave);
    return () => document.removeEventListener('keydown', leave);
  }, [large, onLarge]);
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

const kReadable = 900; // pixels across
const kLarge = 0.85; // of the size of the picture on paper
const kMostScale = 1.2; // likewise
const kSvg = 'http://www.w3.org/2000/svg';
const kLabelWidth = 6.3; // of its letters' size: room for e −1.234e−5

function Picture({ svg, graph, row, values, large }: PictureProps) {
  const host = useRef<HTMLDivElement>(null);
  const labels = useRef<Labels>(new Map());
  const wasLarge = useRef(false);

  useLayoutEffect(() => {
    const { scrollLeft, scrollTop } = host.current!;
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' });
    const styles: string[] = [];
    root.innerHTML = svg.replace(/<style>([^]*?)<\/style>/g, (_, style: string) => {
      styles.push(style);
      return '';
    });
    root.adoptedStyleSheets = [...styles, sheet].map(styleSheet);
    const picture = root.querySelector('svg');
    if (picture === null) return;
    picture.removeAttribute('width');
    picture.removeAttribute('height');
    crop(picture, large);
    const { width, height } = picture.viewBox.baseVal;
    // Enlarged, it is as large as it has to be to be read, and its box scrolls.
    if (large) {
      picture.style.width = `max(100%, ${Math.max(kReadable, kLarge * width).toFixed(0)}px)`;
      picture.style.maxHeight = `${Math.max(560, kLarge * height).toFixed(0)}px`;
    } else {
      // A small one is not blown up.
      picture.style.maxWidth = `${(kMostScale * width).toFixed(0)}px`;
    }
    // In the middle at first, and where one looked when the mode is another.
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = host.current!;
    host.current!.scrollLeft = wasLarge.current ? scrollLeft : (scrollWidth - clientWidth) / 2;
    host.current!.scrollTop = wasLarge.current ? scrollTop : (scrollHeight - clientHeight) / 2;
    wasLarge.current = large;
    // Small pictures have letters that can still be read.
    const shown = picture.getBoundingClientRect();
    const scale = Math.min(shown.width / width, shown.height / height);
    labels.current = addLabels(picture, Math.min(18, Math.max(11, 9.5 / (scale || 1))));
  }, [svg, large]);

  useLayoutEffect(() => {
    const at = Math.max(0, upperBound(graph.rows, row) - 1);
    for (const bond of graph.bonds) {
      const label = labels.current.get(bond.name);
      if (label) write(label.parts, label.lines, bond, at, row, values);
    }
  }, [svg, large, graph, row, values]);

  return (
    <div
      class={`graph-picture${large ? ' large' : ''}`}
      ref={host}
      {...(large ? { tabIndex: 0, role: 'region', 'aria-label': 'The graph, enlarged' } : {})}
    />
  );
}

// As an object: the studio's policy forbids <style> elements that its server has not allowed.
function styleSheet(text: string): CSSStyleSheet {
  const made = new CSSStyleSheet();
  made.replaceSync(text);
  return made;
}

// Without the heading, which the page has, and the room around; where it is small, without the key.
function crop(picture: SVGSVGElement, large: boolean) {
  for (const part of picture.querySelectorAll(`.heading, .mode, .paper${large ? '' : ', .legend'}`)) part.remove();
  const box = picture.getBBox();
  if (box.width > 0) {
    picture.setAttribute('viewBox', [box.x - 14, box.y - 14, box.width + 28, box.height + 28].map((n) => n.toFixed(1)).join(' '));
  }
}

type Labels = Map<string, { parts: Element[]; lines: Element[] }>; // by bond

// Two lines of text for each bond, above all else. `size` is that of the letters.
function addLabels(picture: SVGSVGElement, size: number): Labels {
  const labels: Labels = new Map();
  const taken = [...picture.querySelectorAll<SVGGraphicsElement>('g.element, g.junction, g.automaton')].map((part) =>
    boxOf(part.getBBox()),
  );
  const paper = boxOf(picture.viewBox.baseVal);
  for (const group of picture.querySelectorAll('g.bond')) {
    const line = group.querySelector<SVGPathElement>('path.line');
    if (line === null) continue;
    const length = line.getTotalLength();
    const spot = place((share) => line.getPointAtLength(share * length), kLabelWidth * size, 2.2 * size, taken, paper);
    const text = document.createElementNS(kSvg, 'text');
    text.setAttribute('class', `bond-value${group.classList.contains('inactive') ? ' inactive' : ''}`);
    text.style.fontSize = `${size.toFixed(1)}px`;
    text.style.textAnchor = spot.anchor;
    const lines = [-0.2, 0.85].map((shift) => {
      const span = document.createElementNS(kSvg, 'tspan');
      span.setAttribute('x', spot.x.toFixed(1));
      span.setAttribute('y', (spot.y + size * shift).toFixed(1));
      text.append(span);
      return span;
    });
    picture.append(text);
    labels.set(group.getAttribute('data-bond') ?? '', { parts: [group, text], lines });
  }
  return labels;
}

const boxOf = ({ x, y, width, height }: { x: number; y: number; width: number; height: number }) => ({
  left: x,
  top: y,
  right: x + width,
  bottom: y + height,
});

function write(parts: Element[], [e, f]: Element[], bond: GraphBond, at: number, row: number, values: boolean) {
  const impulse = lowerBound(bond.impulseRows, row);
  const struck = bond.impulseRows[impulse] === row;
  for (const part of parts) part.classList.toggle('struck', struck);
  const part = (letter: string, finite: number, weight: number) => {
    const number = short(finite, 4);
    if (!struck || weight === 0) return `${letter} ${number}`;
    const pulse = `${short(Math.abs(weight), 4)}ω`;
    if (number === '0') return `${letter} ${weight < 0 ? '−' : ''}${pulse}`;
    return `${letter} ${number} ${weight < 0 ? '−' : '+'} ${pulse}`;
  };
  e.textContent = values ? part('e', bond.e[at], struck ? bond.p[impulse] : 0) : '';
  f.textContent = values ? part('f', bond.f[at], struck ? bond.q[impulse] : 0) : '';
}
