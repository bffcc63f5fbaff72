// What is to be said about the model and the run, with places in the source.

import './tables.css';
import { placeText, type GoTo } from '../data/place';
import type { Diagnostic } from '../data/view';

export function Diagnostics({ diagnostics, goTo }: { diagnostics: Diagnostic[]; goTo: GoTo }) {
  if (diagnostics.length === 0) return <p class="dim">Nothing to report.</p>;
  return (
    <ul class="diagnostics">
      {diagnostics.map((diagnostic, i) => {
        const { severity, kind, message, file, line, column, end_line, end_column, notes, labels, text } = diagnostic;
        return (
          <li key={i} class={severity} data-kind={kind}>
            <p>
              <strong class="severity">{severity === 'error' ? '✕ error' : '! warning'}</strong> <code>{kind}</code>{' '}
              {message}{' '}
              {file !== undefined && line !== undefined && (
                <button type="button" class="link" onClick={() => goTo({ file, line, column, end_line, end_column })}>
                  {placeText({ file, line })}
                </button>
              )}
            </p>
            {labels.slice(1).map((label, k) =>
              label.file === undefined || label.line === undefined ? null : (
                <p key={k} class="dim">
                  {label.text || 'see also'}{' '}
                  <button type="button" class="link" onClick={() => goTo({ file: label.file!, line: label.line!, column: label.column })}>
                    {placeText({ file: label.file, line: label.line })}
                  </button>
                </p>
              ),
            )}
            {notes.map((note, k) => (
              <p key={k}>
                <span class="dim">{note.key}:</span> {note.text}
              </p>
            ))}
            {text !== '' && (
              <details>
                <summary>as the terminal shows it</summary>
                <pre>{text}</pre>
              </details>
            )}
          </li>
        );
      })}
    </ul>
  );
}
