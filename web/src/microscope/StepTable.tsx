// The instant as a table: ε-steps and microsteps down, automata and values across, and between two
// steps the guard that led from one to the other.

import { Fragment } from 'preact';
import type { Cursor } from '../data/cursor';
import type { GoTo } from '../data/place';
import type { Run, RunColumn, RunEvent } from '../data/run';
import { exact, hyperText, short, valueText } from '../data/text';
import { Moves } from './Guards';
import { groupsOf, type InstantRow } from './steps';

interface Props {
  run: Run;
  cursor: Cursor;
  event: RunEvent;
  rows: InstantRow[]; // those in sight
  automata: number[];
  columns: RunColumn[];
  goTo: GoTo;
}

function ValueCell({ column, row, low, high }: { column: RunColumn; row: InstantRow; low: number; high: number }) {
  const value = column.at(row.row);
  const place = high > low && Number.isFinite(value.number) ? ((value.number - low) / (high - low)) * 100 : null;
  return (
    <td
      class="number value"
      data-eps={row.eps}
      data-step={row.step}
      data-kind={row.kind}
      data-column={column.name}
      data-value={value.absent ? 'absent' : value.unknown ? 'unknown' : exact(value.number)}
      data-impulse={value.impulse === 0 ? undefined : exact(value.impulse)}
    >
      {valueText(value)}
      {value.impulse !== 0 && (
        <span class="impulse" title={`an impulse of weight ${short(value.impulse)}`}>
          {value.impulse > 0 ? '⬆' : '⬇'} {short(value.impulse)}
        </span>
      )}
      {place !== null && (
        <span class="track" aria-hidden="true">
          <span class="bead" style={{ left: `${place}%` }} />
        </span>
      )}
    </td>
  );
}

export function StepTable({ run, cursor, event, rows, automata, columns, goTo }: Props) {
  const width = automata.length + columns.length + 2;
  const ranges = columns.map(({ values }) => {
    let [low, high] = [Infinity, -Infinity];
    for (let row = event.first; row <= event.last; ++row) {
      if (!Number.isFinite(values[row])) continue;
      low = Math.min(low, values[row]);
      high = Math.max(high, values[row]);
    }
    return { low, high };
  });
  return (
    <table class="steps">
      <thead>
        <tr>
          <th scope="col">time</th>
          <th scope="col" class="number">
            n
          </th>
          <th scope="col">kind</th>
          {automata.map((a) => (
            <th scope="col" key={a}>
              {run.automata[a].name}
            </th>
          ))}
          {columns.map(({ name, index }) => (
            <th scope="col" key={index} class="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      {groupsOf(rows).map((group) => (
        <tbody key={group[0].row} data-eps={group[0].eps}>
          {group.map((row, i) => {
            const moves = row.told?.moves ?? [];
            const height = group.reduce((n, { told }) => n + (told && told.moves.length > 0 ? 2 : 1), 0);
            const label =
              i > 0 ? null : (
                <th scope="rowgroup" class="hyper" rowSpan={height}>
                  <span>{hyperText(event.t, row.eps)}</span>
                </th>
              );
            return (
              <Fragment key={row.row}>
                {moves.length > 0 && (
                  <tr class="guard" data-row={row.row}>
                    {label}
                    <td colSpan={width}>
                      <Moves moves={moves} goTo={goTo} />
                    </td>
                  </tr>
                )}
                <tr
                  class={`step ${row.kind}${cursor.row === row.row ? ' chosen' : ''}`}
                  data-row={row.row}
                  data-eps={row.eps}
                  data-step={row.step}
                  data-kind={row.kind}
                  aria-current={cursor.row === row.row ? 'step' : undefined}
                  onClick={() => cursor.toRow(row.row)}
                >
                  {moves.length === 0 && label}
                  <th scope="row" class="number microstep">
                    <button type="button" class="dot" tabIndex={-1} aria-label={`step ${row.step}, ${row.kind}`}>
                      <span aria-hidden="true" class={`bullet ${row.kind}`} />
                      {row.step}
                    </button>
                  </th>
                  <td>
                    <span class={`kind ${row.kind}`}>{row.kind}</span>
                  </td>
                  {automata.map((a) => (
                    <td
                      key={a}
                      data-eps={row.eps}
                      data-step={row.step}
                      data-automaton={run.automata[a].name}
                      data-state={run.stateName(a, row.row)}
                    >
                      <span class={`state${row.row > event.first && run.state(a, row.row) !== run.state(a, row.row - 1) ? ' moved' : ''}`}>
                        {run.stateName(a, row.row)}
                      </span>
                    </td>
                  ))}
                  {columns.map((column, c) => (
                    <ValueCell key={column.index} column={column} row={row} {...ranges[c]} />
                  ))}
                </tr>
              </Fragment>
            );
          })}
        </tbody>
      ))}
    </table>
  );
}
