// Parameters, statistics, and the command that made the page.

import './tables.css';
import { useState } from 'preact/hooks';
import { placeText, type GoTo } from '../data/place';
import { countText, exact, short } from '../data/text';
import type { Parameter } from '../data/view';

export function Parameters({ parameters, goTo }: { parameters: Parameter[]; goTo: GoTo }) {
  if (parameters.length === 0) return <p class="dim">The model has no parameters.</p>;
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label="Parameters">
      <table class="grid">
        <thead>
          <tr>
            <th>parameter</th>
            <th class="number">value</th>
            <th class="number">in the text</th>
            <th>where</th>
          </tr>
        </thead>
        <tbody>
          {parameters.map(({ name, value, default: usual, place }) => {
            const set = exact(value) !== exact(usual);
            return (
              <tr key={name} data-parameter={name}>
                <th>{name}</th>
                <td class="number" data-value={exact(value)}>
                  {set ? <strong>{short(value)} (set)</strong> : short(value)}
                </td>
                <td class="number dim">{short(usual)}</td>
                <td>
                  {place && (
                    <button type="button" class="link" onClick={() => goTo(place)}>
                      {placeText(place)}
                    </button>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

export function Statistics({ statistics }: { statistics: Record<string, number> }) {
  return (
    <dl class="statistics">
      {Object.entries(statistics).map(([name, value]) => (
        <div key={name}>
          <dt>{name.replaceAll('_', ' ').replace('epsilon', 'ε')}</dt>
          <dd class="number">{countText(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

// Pages from disk may have no clipboard; then the text is selected, ready to be copied.
export function Command({ command }: { command: string }) {
  const [said, say] = useState('');
  const copy = async (code: HTMLElement | null) => {
    try {
      await navigator.clipboard.writeText(command);
      say('copied');
    } catch {
      if (code !== null) getSelection()?.selectAllChildren(code);
      say('selected: press Ctrl+C');
    }
    setTimeout(() => say(''), 2500);
  };
  return (
    <p class="command">
      <code>{command}</code>
      <button type="button" onClick={(event) => copy(event.currentTarget.previousElementSibling as HTMLElement)}>
        Copy
      </button>
      <span role="status" class="dim">
        {said}
      </span>
    </p>
  );
}
