// The curves of a panel with their values at the cursor. An entry shows or hides its curve.

import type { Run } from '../data/run';
import { exact, valueText, weightText } from '../data/text';
import { curveColour } from '../theme/theme';
import { widthOf } from './paint';
import type { Stage } from './stage';

interface Props {
  run: Run;
  stage: Stage;
  panel: number[];
  note: string;
  row: number;
  t: number;
  changed: () => void;
}

export function Legend({ run, stage, panel, note, row, t, changed }: Props) {
  const toggle = (column: number) => {
    if (!stage.hidden.delete(column)) stage.hidden.add(column);
    changed();
  };
  const point = (column: number | null) => {
    stage.pointed = column;
    changed();
  };
  const { compare } = stage;
  return (
    <div class="legend" style={{ paddingLeft: `${stage.left}px` }}>
      {panel.map((c, index) => {
        const column = run.columns[c];
        const value = run.value(c, row, t);
        const then = stage.columnsByName.get(column.name);
        return (
          <button
            type="button"
            key={c}
            class="entry"
            aria-pressed={!stage.hidden.has(c)}
            title={`${stage.hidden.has(c) ? 'Show' : 'Hide'} ${column.name}`}
            data-column={column.name}
            data-value={exact(value.number)}
            onClick={() => toggle(c)}
            onMouseEnter={() => point(c)}
            onMouseLeave={() => point(null)}
            onFocus={() => point(c)}
            onBlur={() => point(null)}
          >
            <span
              class="swatch"
              style={{ background: `var(--${curveColour(index)})`, height: `${widthOf(index, panel.length) + 0.5}px` }}
            />
            <span class="entry-name">{column.title}</span>
            <span class="entry-value">
              {value.between ? '≈ ' : '= '}
              {value.impulse === 0 ? valueText(value) : `${value.number === 0 ? '' : `${valueText(value)} + `}${weightText(value.impulse)}`}
              {compare !== undefined && then !== undefined && (
                <span class="dim"> (was {valueText(compare.value(then.index, compare.rowAt(t), t))})</span>
              )}
            </span>
          </button>
        );
      })}
      {note !== '' && <span class="note">{note}</span>}
    </div>
  );
}
