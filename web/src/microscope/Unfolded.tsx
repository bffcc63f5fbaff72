// The instant as a picture: hyperdense time to the right, ε-steps apart, microsteps side by side.
// What was only tried is hollow, what was committed is solid; impulses are arrows with weights.

import type { Cursor } from '../data/cursor';
import type { Run, RunColumn, RunEvent } from '../data/run';
import { eventDigits, eventTime, hyperText, short, valueText } from '../data/text';
import { widthOf } from '../plot/paint';
import { spread } from '../plot/spread';
import { curveColour } from '../theme/theme';
import { groupsOf, type InstantRow } from './steps';

const kPanel = 92;
const kGap = 14;
const kLane = 24;
const kMostPanels = 4;
const kMostLanes = 8;
const kBetween = 26; // two ε-steps

interface Props {
  run: Run;
  cursor: Cursor;
  event: RunEvent;
  rows: InstantRow[];
  automata: number[];
  columns: RunColumn[];
  width: number;
}

interface Panel {
  columns: { column: RunColumn; index: number; count: number }[];
  low: number;
  high: number;
  named: [number, number]; // what stands at the scale
  largest: number; // weight; arrows have a scale of their own
}

// The panels of the plot, as far as something happens in them.
function panelsOf(run: Run, columns: RunColumn[], rows: InstantRow[]): Panel[] {
  const shown = new Set(columns.map(({ index }) => index));
  const panels: Panel[] = [];
  for (const members of run.view.panels) {
    const inside = members
      .map((c, index) => ({ column: run.columns[c], index, count: members.length }))
      .filter(({ column }) => shown.has(column.index));
    if (inside.length === 0) continue;
    const panel: Panel = { columns: inside, low: Infinity, high: -Infinity, named: [0, 0], largest: 0 };
    for (const { row } of rows) {
      for (const { column } of inside) {
        const value = column.values[row];
        const weight = Math.abs(column.impulse(row));
        if (Number.isFinite(weight)) panel.largest = Math.max(panel.largest, weight);
        if (!(Math.abs(value) <= 1e300)) continue;
        panel.low = Math.min(panel.low, value);
        panel.high = Math.max(panel.high, value);
      }
    }
    if (panel.largest > 0 || panel.low > panel.high) {
      panel.low = Math.min(panel.low, 0);
      panel.high = Math.max(panel.high, 0);
    }
    if (panel.high - panel.low <= 1e-9 * Math.max(Math.abs(panel.low), Math.abs(panel.high))) widen(panel, rows);
    else panel.named = [panel.low, panel.high];
    makeRoomForArrows(panel, weightsIn(panel, rows));
    panels.push(panel);
  }
  return panels;
}

const weightsIn = (panel: Panel, rows: InstantRow[]) =>
  rows.flatMap(({ row }) => panel.columns.map(({ column }) => column.impulse(row))).filter(Number.isFinite);

// Where all values lie below zero, an arrow up would have no length, and the other way round.
function makeRoomForArrows(panel: Panel, weights: number[]) {
  const room = 0.7 * (panel.high - panel.low);
  if (weights.some((weight) => weight > 0)) panel.high = Math.max(panel.high, room);
  if (weights.some((weight) => weight < 0)) panel.low = Math.min(panel.low, -room);
}

// All values are one. Around it there is room.
function widen(panel: Panel, rows: InstantRow[]) {
  panel.named = [panel.low, panel.low];
  const weights = weightsIn(panel, rows);
  if (panel.low === 0 && panel.largest > 0) {
    panel.low = weights.some((weight) => weight < 0) ? -1 : 0;
    panel.high = weights.some((weight) => weight > 0) ? 1 : 0;
    return;
  }
  panel.low -= 0.5 * (Math.abs(panel.low) || 1);
  panel.high += 0.5 * (Math.abs(panel.high) || 1);
}

export function Unfolded({ run, cursor, event, rows, automata, columns, width }: Props) {
  const groups = groupsOf(rows);
  const changing = panelsOf(run, columns, rows);
  const panels = changing.slice(0, kMostPanels);
  const lanes = automata.slice(0, kMostLanes);
  const missing = columns.filter(({ truth }) => truth).slice(kMostLanes).length + changing.slice(kMostPanels).reduce((n, panel) => n + panel.columns.length, 0) + automata.length - lanes.length;
  const truths = columns.filter(({ truth }) => truth).slice(0, kMostLanes);
  const names = [...lanes.map((a) => run.automata[a].name), ...truths.map(({ name }) => name), ...panels.flatMap(scaleTexts), 'step n'];
  const left = Math.min(110, 14 + 7 * Math.max(...names.map((name) => name.length)));
  const right = 78;
  const room = width - left - right - kBetween * (groups.length - 1);
  const slot = Math.max(34, Math.min(170, room / rows.length));
  const all = left + right + kBetween * (groups.length - 1) + slot * rows.length;
  const xs = new Map<number, number>();
  groups.reduce((x, group) => {
    group.forEach(({ row }, i) => xs.set(row, x + slot * (i + 0.5)));
    return x + slot * group.length + kBetween;
  }, left);
  const lanesTop = 6 + panels.length * (kPanel + kGap);
  const axis = lanesTop + (lanes.length + truths.length) * kLane + 8;
  const height = axis + 44;
  const hollow = (kind: string) => kind === 'mythical';

  return (
    <div class="unfolded scroll-x" tabIndex={0} role="region" aria-label="The instant as a picture">
      <svg width={all} height={height} viewBox={`0 0 ${all} ${height}`} role="img" aria-label={`Values by step at t = ${eventTime(run, event)}; the table below has the numbers`}>
        {rows.map(({ row, kind }) => (
          <rect
            key={row}
            class={`slot${row === cursor.row ? ' chosen' : ''}${hollow(kind) ? ' hollow' : ''}`}
            x={xs.get(row)! - slot / 2 + 1}
            y={2}
            width={slot - 2}
            height={axis - 2}
            onClick={() => cursor.toRow(row)}
          />
        ))}
        {panels.map((panel, p) => (
          <Values key={p} panel={panel} top={6 + p * (kPanel + kGap)} rows={rows} xs={xs} left={left} right={all - right} slot={slot} />
        ))}
        {lanes.map((a, i) => {
          const y = lanesTop + i * kLane;
          return (
            <g key={a} class="lane">
              <text x={left - 8} y={y + 15} text-anchor="end">
                {cut(run.automata[a].name, 13)}
              </text>
              {rows.map(({ row, kind }) => {
                const name = run.stateName(a, row);
                return (
                  <g key={row} class={`state-box ${hollow(kind) ? 'hollow' : 'solid'}`}>
                    <rect
                      x={xs.get(row)! - slot / 2 + 4}
                      y={y + 2}
                      width={slot - 8}
                      height={kLane - 5}
                      rx={4}
                      style={{ '--state': `var(--${curveColour(run.stateNames.indexOf(name))})` }}
                    />
                    <title>{name}</title>
                    <text x={xs.get(row)} y={y + 15} text-anchor="middle">
                      {cut(name, Math.max(2, Math.floor((slot - 8) / 6.6)))}
                    </text>
                  </g>
                );
              })}
            </g>
          );
        })}
        {truths.map((column, i) => {
          const y = lanesTop + (lanes.length + i) * kLane;
          return (
            <g key={`truth-${column.index}`} class="lane truth" data-column={column.name}>
              <text x={left - 8} y={y + 15} text-anchor="end">
                {cut(column.name, 13)}
              </text>
              {rows.map(({ row, kind }) => {
                const value = column.at(row);
                const text = valueText(value);
                const width = slot - 8;
                return (
                  <g key={row} class={`state-box ${hollow(kind) || value.number === 0 ? 'hollow' : 'solid'}`}>
                    {!value.absent && !value.unknown && (
                      <rect x={xs.get(row)! - width / 2} y={y + 2} width={width} height={kLane - 5} style={{ '--state': `var(--${curveColour(0)})` }} />
                    )}
                    <title>{text}</title>
                    <text x={xs.get(row)} y={y + 15} text-anchor="middle">
                      {cut(text, Math.max(2, Math.floor(width / 6.6)))}
                    </text>
                  </g>
                );
              })}
            </g>
          );
        })}
        {groups.map((group) => {
          const [from, to] = [xs.get(group[0].row)! - slot / 2, xs.get(group.at(-1)!.row)! + slot / 2];
          const label = hyperText(event.t, group[0].eps, eventDigits(run, event));
          return (
            <g key={group[0].row} class="epsilon">
              <path d={`M${from + 3},${axis + 20} v5 H${to - 3} v-5`} />
              <text x={(from + to) / 2} y={axis + 39} text-anchor="middle">
                {label.length * 6.4 < to - from + 8 ? label : epsText(group[0].eps)}
              </text>
            </g>
          );
        })}
        {rows.map(({ row, step, kind, told }) => (
          <g key={row} class={`tick ${kind}${told?.strained ? ' strained' : ''}`}>
            <circle cx={xs.get(row)! - (slot > 50 ? 8 : 0)} cy={axis + 8} r={4.5} />
            {slot > 50 && (
              <text x={xs.get(row)! + 2} y={axis + 12}>
                {step}
              </text>
            )}
          </g>
        ))}
        <text class="axis-word" x={left - 8} y={axis + 12} text-anchor="end">
          step n
        </text>
        <text class="axis-word" x={left - 8} y={axis + 39} text-anchor="end">
          t
        </text>
      </svg>
      {missing > 0 && <p class="dim">… {missing} more in the table</p>}
    </div>
  );
}

// Where there is no room for the time.
const epsText = (eps: number) => `${eps < 0 ? '−' : '+'} ${Math.abs(eps) === 1 ? '' : Math.abs(eps)}ε`;
// With as many digits as tell the two apart.
function scaleTexts({ named: [low, high] }: Panel): string[] {
  let digits = 3;
  while (low !== high && digits < 10 && short(low, digits) === short(high, digits)) digits += 1;
  return [short(low, digits), short(high, digits)];
}
const cut = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

interface ValuesProps {
  panel: Panel;
  top: number;
  rows: InstantRow[];
  xs: Map<number, number>;
  left: number;
  right: number;
  slot: number;
}

function Values({ panel, top, rows, xs, left, right, slot }: ValuesProps) {
  const inner = kPanel - 26;
  const y = (value: number) => top + 16 + inner - ((value - panel.low) / (panel.high - panel.low)) * inner;
  const texts = scaleTexts(panel);
  // Names stand where the curves end.
  const ends = panel.columns.flatMap(({ column, index }) => {
    const last = [...rows].reverse().find(({ row }) => Math.abs(column.values[row]) <= 1e300);
    return last === undefined ? [] : [{ column, index, y: y(column.values[last.row]) + 4 }];
  });
  const { places, more } = spread(ends.map((end) => end.y), top + 9, top + kPanel, 12);
  const weights: { x: number; y: number; half: number }[] = []; // labels of arrows
  const hasRoom = (x: number, y: number, half: number) => {
    if (weights.some((other) => Math.abs(other.x - x) < other.half + half && Math.abs(other.y - y) < 11)) return false;
    weights.push({ x, y, half });
    return true;
  };
  return (
    <g>
      <path class="frame" d={`M${left},${top} V${top + kPanel} H${right}`} />
      {panel.named.filter((value, i) => i === 0 || value !== panel.named[0]).map((value, i) => (
        <text key={i} class="scale" x={left - 6} y={y(value) + 4} text-anchor="end">
          {texts[i]}
        </text>
      ))}
      {panel.columns.map(({ column, index, count }) => (
        <Curve key={column.index} column={column} index={index} count={count} rows={rows} xs={xs} y={y} />
      ))}
      {rows.map(({ row, kind }) => {
        const carried = panel.columns.filter(({ column }) => column.impulse(row) !== 0);
        return carried.map(({ column, index }, k) => {
          const weight = column.impulse(row);
          const apart = Math.min(34, (slot - 12) / carried.length);
          const aside = slot > 90 ? 22 : slot > 45 ? 12 : 0; // of the values
          const x = xs.get(row)! + aside + apart * (k - (carried.length - 1) / 2);
          const base = y(0);
          const tip = base - (weight / panel.largest) * 0.8 * (weight > 0 ? base - top - 13 : top + kPanel - base);
          const head = Math.sign(base - tip) * Math.min(7, Math.abs(base - tip));
          const text = short(weight, 3);
          const at = Math.min(Math.max(tip < base ? tip - 3 : tip + 11, top + 9), top + kPanel);
          return (
            <g key={column.index} class={`arrow ${kind === 'mythical' ? 'hollow' : 'solid'}`} style={{ '--curve': `var(--${curveColour(index)})` }}>
              <title>{`impulse of ${column.name}: ${short(weight)}`}</title>
              <path class="shaft" d={`M${x},${base} V${tip + head}`} />
              <path class="head" d={`M${x},${tip} l${0.64 * Math.abs(head)},${head} h${-1.28 * Math.abs(head)} Z`} />
              {hasRoom(x, at, 3.1 * text.length + 1) && (
                <text x={x} y={at} text-anchor="middle">
                  {text}
                </text>
              )}
            </g>
          );
        });
      })}
      {ends.map(({ column, index }, i) => {
        const at = places[i];
        if (at === null) return null;
        return (
          <g key={column.index} class="end-name">
            <rect x={right + 2} y={at - 8} width={3} height={8} style={{ fill: `var(--${curveColour(index)})` }} />
            <text x={right + 8} y={at}>
              <title>{column.name}</title>
              {cut(column.name, 11)}
            </text>
          </g>
        );
      })}
      {more !== null && (
        <g class="end-name">
          <text x={right + 8} y={more.place}>
            … {more.count} more
          </text>
        </g>
      )}
    </g>
  );
}

interface CurveProps {
  column: RunColumn;
  index: number;
  count: number;
  rows: InstantRow[];
  xs: Map<number, number>;
  y: (value: number) => number;
}

// Committed values are joined by a line; what was tried hangs on it, dashed and hollow.
function Curve({ column, index, count, rows, xs, y }: CurveProps) {
  const points = rows
    .map(({ row, kind }, i) => {
      const x = xs.get(row)!;
      return { x, edge: i === 0 ? x : (xs.get(rows[i - 1].row)! + x) / 2, y: y(column.values[row]), kind, row };
    })
    .filter(({ row }) => Math.abs(column.values[row]) <= 1e300);
  // No time passes between two steps: values step and do not slope.
  const path = (list: typeof points) =>
    list
      .map(({ x, edge, y }, i) => (i === 0 ? `M${x.toFixed(1)},${y.toFixed(1)}` : `H${edge.toFixed(1)}V${y.toFixed(1)}H${x.toFixed(1)}`))
      .join('');
  const firm = points.filter(({ kind }) => kind !== 'mythical');
  return (
    <g class="values" style={{ '--curve': `var(--${curveColour(index)})` }}>
      <path class="tried" d={path(points)} />
      <path class="firm" d={path(firm)} stroke-width={widthOf(index, count) * 0.8} />
      {points.map(({ x, y, kind, row }) => (
        <circle key={row} class={kind === 'mythical' ? 'hollow' : 'solid'} cx={x} cy={y} r={kind === 'mythical' ? 4 + 1.3 * (count - 1 - index) : kind === 'pinnacle' ? 4.5 : 3}>
          <title>{`${column.name} = ${short(column.values[row])}, ${kind}`}</title>
        </circle>
      ))}
    </g>
  );
}
