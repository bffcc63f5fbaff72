// The instant as a table: ε-steps and microsteps down, automata and values across, and between two
// steps the guard that led from one to the other.

import { Fragment } from 'preact';
import type { Cursor } from '../data/cursor';
import type { GoTo } from '../data/place';
import type { Run, RunColumn, RunEvent } from '../data/run';
import { eventDigits, exact, hyperText, short, valueText } from '../data/text';
import { Moves } from './Guards';
import { groupsOf, type Head, type InstantRow } from './steps';

interface Props {
  run: Run;
  cursor: Cursor;
  event: RunEvent;
  rows: InstantRow[]; // those in sight
  heads: Head[];
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
      {row.told?.shared.includes(column.name) === true && (
        <span class="shared" title="decided by the parasitics of ideal junctions alone: shared equally">
          shared
        </span>
      )}
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

function StateCell({ run, automaton, row, first }: { run: Run; automaton: number; row: InstantRow; first: number }) {
  const name = run.stateName(automaton, row.row);
  const moved = row.row > first && run.state(automaton, row.row) !== run.state(automaton, row.row - 1);
  return (
    <td data-eps={row.eps} data-step={row.step} data-automaton={run.automata[automaton].name} data-state={name}>
      <span class={`state${moved ? ' moved' : ''}`}>{name}</span>
    </td>
  );
}

export function StepTable({ run, cursor, event, rows, heads, goTo }: Props) {
  const width = heads.length + 2;
  const ranges = heads.map((head) => {
    if ('automaton' in head) return { low: 0, high: 0 };
    const { values } = head.column;
    let [low, high] = [Infinity, -Infinity];
    for (let row = event.first; row <= event.last; ++row) {
      if (!Number.isFinite(values[row])) continue;
      low = Math.min(low, values[row]);
      high = Math.max(high, values[row]);
    }
    return { low, high };
  });
  const digits = eventDigits(run, event);
  return (
    <table class="steps">
      <thead>
        <tr>
          <th scope="col">time</th>
          <th scope="col" class="number">
            n
          </th>
          <th scope="col">kind</th>
          {heads.map((head) =>
            'automaton' in head ? (
              <th scope="col" key={`a${head.automaton}`}>
                {run.automata[head.automaton].name}
              </th>
            ) : (
              <th scope="col" key={head.column.index} class="number">
                {head.column.name}
              </th>
            ),
          )}
        </tr>
      </thead>
      {groupsOf(rows).map((group) => (
        <tbody key={group[0].row} data-eps={group[0].eps}>
          {group.map((row, i) => {
            const moves = row.told?.moves ?? [];
            const over = row.told?.begins_over === true;
            const height = group.reduce((n, { told }) => n + (told && (told.moves.length > 0 || told.begins_over) ? 2 : 1), 0);
            const label =
              i > 0 ? null : (
                <th scope="rowgroup" class="hyper" rowSpan={height}>
                  <span>{hyperText(event.t, row.eps, digits)}</span>
                </th>
              );
            return (
              <Fragment key={row.row}>
                {(moves.length > 0 || over) && (
                  <tr class="guard" data-row={row.row}>
                    {label}
                    <td colSpan={width}>
                      {over && (
                        <p class="pivot">
                          ↺ moving together came back to a mode that had been tried: from the mode of arrival, one automaton moves at a
                          time
                        </p>
                      )}
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
                  {moves.length === 0 && !over && label}
                  <th scope="row" class="number microstep">
                    <button type="button" class="dot" tabIndex={-1} aria-label={`step ${row.step}, ${row.kind}`}>
                      <span aria-hidden="true" class={`bullet ${row.kind}`} />
                      {row.step}
                    </button>
                  </th>
                  <td>
                    <span class={`kind ${row.kind}`}>{row.kind}</span>
                    {row.told?.strained === true && (
                      <span class="kind strained" title={row.told.strains.join('; ')}>
                        strained
                      </span>
                    )}
                  </td>
                  {heads.map((head, h) =>
                    'automaton' in head ? (
                      <StateCell key={`a${head.automaton}`} run={run} automaton={head.automaton} row={row} first={event.first} />
                    ) : (
                      <ValueCell key={head.column.index} column={head.column} row={row} {...ranges[h]} />
                    ),
                  )}
                </tr>
              </Fragment>
            );
          })}
        </tbody>
      ))}
    </table>
  );
}
