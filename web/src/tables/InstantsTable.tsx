// Every row of every event, as `cradle instants` lists them. Only the rows in sight exist as
// elements, so that many are no burden.

import './tables.css';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useCursor, type Cursor } from '../data/cursor';
import type { Run } from '../data/run';
import { upperBound } from '../data/search';
import { usePrinting } from '../run/print';
import { counted, exact, rowText, valueText, short } from '../data/text';

const kRow = 28;
const kMore = 8; // rows beyond the edge
const kMostPrinted = 2000; // rows

interface Props {
  run: Run;
  cursor: Cursor;
  onEvent?: () => void;
}

export function InstantsTable({ run, cursor, onEvent }: Props) {
  useCursor(cursor);
  const printing = usePrinting();
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const starts = useMemo(() => {
    const list = new Uint32Array(run.events.length + 1);
    run.events.forEach(({ first, last }, e) => {
      list[e + 1] = list[e] + last - first + 1;
    });
    return list;
  }, [run]);
  const count = starts[run.events.length];
  const columns = run.shown;
  const impulses = columns.filter(({ impulseRows }) => impulseRows.length > 0);

  const place = () => {
    const inside = cursor.inside();
    return inside === null ? -1 : starts[inside.index] + cursor.row - inside.first;
  };
  const chosen = place();
  useEffect(() => {
    const element = box.current;
    if (element === null || chosen < 0) return;
    const at = chosen * kRow;
    if (at < element.scrollTop || at > element.scrollTop + element.clientHeight - 3 * kRow) element.scrollTop = Math.max(0, at - 3 * kRow);
  }, [chosen]);

  if (count === 0) return <p class="dim">Nothing happened at any instant: time only flowed.</p>;
  const height = box.current?.clientHeight ?? 340;
  // On paper nobody scrolls.
  const from = printing ? 0 : Math.max(0, Math.floor(top / kRow) - kMore);
  const to = printing ? Math.min(count, kMostPrinted) : Math.min(count, Math.ceil((top + height) / kRow) + kMore);
  const shown = Array.from({ length: to - from }, (_, i) => {
    const index = from + i;
    const event = run.events[upperBound(starts, index) - 1];
    return { index, event, row: event.first + index - starts[event.index] };
  });
  const key = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const now = place(); // the last key may not be drawn yet
    const index = Math.min(count - 1, Math.max(0, (now < 0 ? from : now) + step));
    const at = run.events[upperBound(starts, index) - 1];
    cursor.toRow(at.first + index - starts[at.index]);
  };

  return (
    <>
      <p class="dim">
        {counted(run.events.length, 'instant')}, {counted(count, 'row')}. Choose a row to look at it; its instant opens in the microscope.
      </p>
      <div
        class="instants"
        ref={box}
        tabIndex={0}
        role="region"
        aria-label="Instants; up and down move from row to row"
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onKeyDown={key}
      >
        <table class="grid" aria-rowcount={count + 1}>
          <thead>
            <tr>
              <th>time</th>
              {run.automata.map(({ name }) => (
                <th key={name}>{name}</th>
              ))}
              {columns.map(({ name }) => (
                <th key={name} class="number">
                  {name}
                </th>
              ))}
              {impulses.map(({ name }) => (
                <th key={name} class="number">
                  impulse({name})
                </th>
              ))}
              <th>kind</th>
            </tr>
          </thead>
          <tbody>
            <tr style={{ height: `${from * kRow}px` }} aria-hidden="true" />
            {shown.map(({ index, event, row }) => (
              <tr
                key={index}
                aria-rowindex={index + 2}
                class={`${row === event.first ? 'begins ' : ''}${index === chosen ? 'chosen ' : ''}${run.kind(row)}`}
                data-row={row}
                onClick={() => {
                  cursor.toRow(row);
                  onEvent?.();
                }}
              >
                <th class="mono">
                  <button type="button" class="link" tabIndex={-1}>
                    {rowText(run, row)}
                  </button>
                </th>
                {run.automata.map(({ name }, a) => (
                  <td key={name} data-automaton={name}>
                    {run.stateName(a, row)}
                  </td>
                ))}
                {columns.map((column) => (
                  <td key={column.index} class="number" data-column={column.name} data-value={exact(column.values[row])}>
                    {valueText(column.at(row))}
                  </td>
                ))}
                {impulses.map((column) => {
                  const weight = column.impulse(row);
                  return (
                    <td key={column.index} class="number">
                      {weight === 0 ? '' : `↑ ${short(weight)}`}
                    </td>
                  );
                })}
                <td>
                  <span class={`kind ${run.kind(row)}`}>{run.kind(row)}</span>
                  {run.strained(row) && <span class="kind strained">strained</span>}
                </td>
              </tr>
            ))}
            {!printing && <tr style={{ height: `${(count - to) * kRow}px` }} aria-hidden="true" />}
          </tbody>
        </table>
      </div>
      {printing && to < count && (
        <p>
          … {counted(count - to, 'row')} more: <code>cradle instants {run.view.file}</code> lists all.
        </p>
      )}
    </>
  );
}
