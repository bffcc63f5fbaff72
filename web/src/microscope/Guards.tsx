// Why an automaton moved: the guard that fired, with its numbers.

import { placeText, type GoTo } from '../data/place';
import { short, weightText } from '../data/text';
import type { Condition, Move, NamedValue } from '../data/view';

const kinds = {
  physical: 'physical: after ε, on committed values',
  inference: 'inference: in no time, on the values tried',
  modal: 'transition of a modal model',
};

export function namedText({ name, value, impulse }: NamedValue): string {
  const finite = value === null ? 'absent' : short(value);
  if (impulse === undefined || impulse === 0) return `${name} = ${finite}`;
  const weight = weightText(Number(impulse));
  return `${name} = ${finite === '0' ? weight : `${finite} + ${weight}`}`;
}

// x1 >= x3: 1 >= 1; unless the numbers are the text.
function Conditions({ conditions }: { conditions: Condition[] }) {
  return (
    <>
      {conditions.map(({ text, numbers, holds, decided, because }, i) => (
        <span class="condition" key={i}>
          {i > 0 && <span class="dim">{holds ? ' and ' : '; '}</span>}
          <code>{text}</code>
          {!holds && <span class="dim"> does not hold</span>}
          {numbers !== '' && numbers !== text && (
            <>
              : <strong class="numbers">{numbers}</strong>
            </>
          )}
          {decided !== '' && <span class="decided">; {decided}</span>}
          {because.length > 0 && (
            <span class="dim">
              {' '}
              (<Conditions conditions={because} />)
            </span>
          )}
        </span>
      ))}
    </>
  );
}

export function MoveLine({ move, goTo }: { move: Move; goTo: GoTo }) {
  const { place } = move;
  return (
    <p class={`move ${move.kind}`} data-automaton={move.automaton} data-from={move.from} data-to={move.to}>
      <span class="move-sign" title={kinds[move.kind]} aria-label={kinds[move.kind]} role="img">
        {move.kind === 'physical' ? 'ε' : move.kind === 'inference' ? '⇒' : '▸'}
      </span>{' '}
      <strong>
        {move.automaton}: {move.from} → {move.to}
      </strong>{' '}
      {move.conditions.length > 0 ? (
        <>
          because <Conditions conditions={move.conditions} />
        </>
      ) : (
        move.guard !== '' && (
          <>
            because <code>{move.guard}</code>
          </>
        )
      )}
      {move.history && <span class="dim"> (history)</span>}
      {move.sets.length > 0 && <span> sets {move.sets.map(namedText).join(', ')}</span>}{' '}
      {place && (
        <button type="button" class="link place" onClick={() => goTo(place)}>
          {placeText(place)}
        </button>
      )}
    </p>
  );
}

const kMost = 8;

export function Moves({ moves, goTo }: { moves: Move[]; goTo: GoTo }) {
  return (
    <>
      {moves.slice(0, kMost).map((move, i) => (
        <MoveLine key={i} move={move} goTo={goTo} />
      ))}
      {moves.length > kMost && (
        <details>
          <summary>… {moves.length - kMost} more</summary>
          {moves.slice(kMost).map((move, i) => (
            <MoveLine key={i} move={move} goTo={goTo} />
          ))}
        </details>
      )}
    </>
  );
}
