// The model in motion, where it says what to draw (animate { … }). The cursor is its time: whoever
// moves the one moves the other.

import './animation.css';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useCursor, type Cursor } from '../data/cursor';
import { hold, show } from '../data/keep';
import type { Run } from '../data/run';
import { modeText, rowText, short } from '../data/text';
import { prepare, shortened } from '../plot/paint';
import { colour, useTheme } from '../theme/theme';
import { extentOf, placed, type Extent, type Placed } from './fit';
import { Player } from './player';

interface Props {
  run: Run;
  cursor: Cursor;
}

const calm = matchMedia('(prefers-reduced-motion: reduce)');
const kSpeeds = [0.1, 0.25, 0.5, 1, 2, 4];

export function Animation({ run, cursor }: Props) {
  useCursor(cursor);
  const theme = useTheme();
  const canvas = useRef<HTMLCanvasElement>(null);
  const whole = useRef<HTMLDivElement>(null);
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const [slow, setSlow] = useState(true);
  const [width, setWidth] = useState(400);
  const shapes = run.view.animation;
  const extent = useMemo(() => extentOf(run, shapes), [run]);
  const wide = (extent.right - extent.left) / (extent.top - extent.bottom);
  const height = Math.round(Math.min(260, Math.max(120, width / wide)));

  useLayoutEffect(() => {
    const element = canvas.current!.parentElement!;
    const measure = () => setWidth(Math.max(160, element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const tried = cursor.t === run.t[cursor.row] && run.tried(cursor.row);
  useLayoutEffect(() => {
    const c = prepare(canvas.current!, width, height);
    const view = fitted(extent, width, height);
    if (tried) {
      let firm = cursor.row;
      while (firm > 0 && run.tried(firm)) firm -= 1;
      draw(c, view, placed(run, shapes, firm, run.t[firm]), 'faint');
    }
    draw(c, view, placed(run, shapes, cursor.row, cursor.t), tried ? 'hollow' : 'solid');
  });

  // What is told of an instant, above it on a phone, comes and goes.
  useLayoutEffect(() => {
    if (!playing) return;
    show(whole.current!);
    const held = hold(whole.current!);
    let frame = requestAnimationFrame(function look() {
      held.look();
      frame = requestAnimationFrame(look);
    });
    return () => {
      cancelAnimationFrame(frame);
      held.letGo();
    };
  }, [playing]);

  useEffect(() => {
    if (!playing) return;
    const player = new Player(cursor);
    // Calmly: four pictures a second.
    const least = calm.matches ? 250 : 0;
    let before = performance.now();
    let frame = 0;
    const tick = (now: number) => {
      const passed = now - before;
      if (passed >= least) {
        before = now;
        if (!player.advance(Math.min(passed, 400) / 1000, speed, slow)) return setPlaying(false);
      }
      frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(frame);
  }, [playing, speed, slow, cursor]);

  const play = () => {
    if (!playing && cursor.row >= run.count - 1) cursor.toRow(0);
    setPlaying(!playing);
  };
  const inside = cursor.inside();
  const share = run.to > run.from ? (cursor.t - run.from) / (run.to - run.from) : 0;
  return (
    <div class="animation" ref={whole} data-theme-seen={theme}>
      <div class="stage">
        <p class={`caption${tried ? ' mythical' : ''}`}>
          <strong>{inside === null ? `t = ${short(cursor.t, 4)}` : rowText(run, cursor.row)}</strong>
          {inside !== null && <span class={`kind ${run.kind(cursor.row)}`}>{run.kind(cursor.row)}</span>}
          {inside !== null && <span class="dim"> {modeText(run, cursor.row, 3)}</span>}
        </p>
        <canvas ref={canvas} role="img" aria-label={`${run.view.model} at ${rowText(run, cursor.row)}`} />
      </div>
      <p class="player">
        <button type="button" class="primary" onClick={play}>
          {playing ? '❚❚ Pause' : '▶ Play'}
        </button>
        <label class="speed">
          <span class="dim">speed</span>{' '}
          <select value={String(speed)} onChange={(event) => setSpeed(Number(event.currentTarget.value))}>
            {kSpeeds.map((value) => (
              <option key={value} value={String(value)}>
                {value} ×
              </option>
            ))}
          </select>
        </label>
        <label class="toggle">
          <input type="checkbox" checked={slow} onChange={() => setSlow(!slow)} /> slow through events
        </label>
        <input
          class="scrub"
          type="range"
          min={0}
          max={1}
          step={0.001}
          value={share}
          aria-label="Time"
          aria-valuetext={rowText(run, cursor.row)}
          onInput={(event) => cursor.toTime(run.from + Number(event.currentTarget.value) * (run.to - run.from))}
        />
      </p>
    </div>
  );
}

interface View {
  width: number;
  x(x: number): number;
  y(y: number): number;
  scale: number;
}

function fitted(extent: Extent, width: number, height: number): View {
  const scale = Math.min(width / (extent.right - extent.left), height / (extent.top - extent.bottom));
  const [middleX, middleY] = [(extent.left + extent.right) / 2, (extent.bottom + extent.top) / 2];
  return {
    width,
    x: (x) => width / 2 + (x - middleX) * scale,
    y: (y) => height / 2 - (y - middleY) * scale,
    scale,
  };
}

const kNames: Record<string, string> = {
  orange: '#e69f00',
  sky: '#56b4e9',
  green: '#009e73',
  yellow: '#f0e442',
  blue: '#0072b2',
  vermilion: '#d55e00',
  purple: '#cc79a7',
};
function fillOf(name: string | undefined): string {
  if (name === undefined || name === 'grey') return colour('line');
  return name === 'black' ? colour('ink') : (kNames[name] ?? colour('line'));
}

type Manner = 'solid' | 'hollow' | 'faint';

function outline(c: CanvasRenderingContext2D, view: View, shape: Placed) {
  c.beginPath();
  if (shape.kind === 'circle') {
    c.arc(view.x(shape.x), view.y(shape.y), Math.max(1, Math.abs(shape.radius) * view.scale), 0, 7);
  } else if (shape.kind === 'box') {
    c.save();
    c.translate(view.x(shape.x), view.y(shape.y));
    c.rotate(-shape.angle);
    const [w, h] = [Math.max(1, Math.abs(shape.width) * view.scale), Math.max(1, Math.abs(shape.height) * view.scale)];
    c.rect(-w / 2, -h / 2, w, h);
    c.restore();
  } else {
    c.moveTo(view.x(shape.x), view.y(shape.y));
    c.lineTo(view.x(shape.x2), view.y(shape.y2));
  }
}

// Solid shapes have an outline too, so that neighbours of one colour are told apart.
function draw(c: CanvasRenderingContext2D, view: View, shapes: Placed[], manner: Manner) {
  const ink = colour('ink');
  const labels: Label[] = [];
  c.lineJoin = 'round';
  for (const shape of shapes) {
    c.globalAlpha = manner === 'faint' ? 0.25 : 1;
    c.setLineDash(manner === 'hollow' ? [5, 4] : []);
    c.fillStyle = fillOf(shape.fill);
    outline(c, view, shape);
    if (shape.kind === 'line') {
      c.strokeStyle = shape.fill === undefined ? ink : fillOf(shape.fill);
      c.lineWidth = 2;
    } else {
      if (manner !== 'hollow') c.fill();
      c.strokeStyle = manner === 'hollow' ? fillOf(shape.fill) : ink;
      c.lineWidth = manner === 'hollow' ? 2.5 : 1.2;
    }
    c.stroke();
    if (shape.label !== '' && manner !== 'faint') write(c, view, shape, manner, labels);
  }
  c.globalAlpha = 1;
  c.setLineDash([]);
}

interface Label {
  x: number;
  y: number;
  half: number;
}

// Inside, if there is room; else above, and above other labels.
function write(c: CanvasRenderingContext2D, view: View, shape: Placed, manner: Manner, others: Label[]) {
  c.font = '12px system-ui, Helvetica, Arial, sans-serif';
  c.textAlign = 'center';
  c.textBaseline = 'middle';
  c.setLineDash([]);
  const label = shortened(c, shape.label.replace(/\s+/g, ' '), view.width - 8);
  const long = c.measureText(label).width + 4;
  const [w, h] = shape.kind === 'circle' ? [2 * shape.radius, 2 * shape.radius] : [shape.width, shape.height];
  const line = shape.kind === 'line';
  const fits = !line && w * view.scale > long && h * view.scale > 14;
  const middle = line ? view.x((shape.x + shape.x2) / 2) : view.x(shape.x);
  const x = Math.min(Math.max(middle, long / 2 + 2), view.width - long / 2 - 2); // not beyond the edge
  const wanted = line ? view.y((shape.y + shape.y2) / 2) - 9 : fits ? view.y(shape.y) : view.y(shape.y) - (h * view.scale) / 2 - 9;
  const taken = (y: number) => others.some((other) => Math.abs(other.y - y) < 13 && Math.abs(other.x - x) < other.half + long / 2);
  let y = Math.max(wanted, 9);
  while (taken(y)) y -= 14;
  if (y < 9) return;
  others.push({ x, y, half: long / 2 });
  c.lineWidth = 3;
  c.strokeStyle = colour('ground');
  c.fillStyle = colour('ink');
  if (fits && manner === 'solid' && shape.fill !== 'black') {
    c.strokeStyle = 'rgba(255, 255, 255, 0.75)';
    c.fillStyle = '#000000';
  } else if (fits && manner === 'solid') {
    c.fillStyle = colour('ground');
    c.strokeStyle = colour('ink');
  }
  c.strokeText(label, x, y);
  c.fillText(label, x, y);
}
