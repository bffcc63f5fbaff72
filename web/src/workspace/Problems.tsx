// What is wrong, as a list that leads to each place.

import type { Diagnostic } from '../data/view';
import { sameFile } from '../editor/diagnostics';
import { plainName } from '../editor/names';
import { partsHint } from './parts';
import { useWorkspace } from './use';
import type { Workspace } from './workspace';

function placeOf(diagnostic: Diagnostic, path: string): string {
  if (diagnostic.line === undefined) return '';
  const file = sameFile(diagnostic.file, path) ? '' : `${plainName(diagnostic.file!)}:`;
  return `${file}${diagnostic.line}:${diagnostic.column ?? 1}`;
}

export function Problems({ workspace }: { workspace: Workspace }) {
  const { problems, doc, check, partsOnly } = useWorkspace(workspace);
  if (!doc) return null;
  if (problems.length === 0 && partsOnly) return <p class="dim pad" data-testid="parts-hint">{partsHint}</p>;
  if (problems.length === 0 && workspace.endless) return <p class="dim pad">No problems. To run, it has to say when it ends: <code>until 10</code></p>;
  if (problems.length === 0) {
    return <p class="dim pad">{check ? (check.model === null ? 'No problems. There is no model in this file to run.' : 'No problems.') : 'Checking…'}</p>;
  }
  return (
    <ul class="problems" data-testid="problems">
      {problems.map((diagnostic, i) => (
        <li key={i}>
          <button type="button" class={`problem ${diagnostic.severity}`} onClick={() => workspace.jump(diagnostic)}>
            <span class="problem-sign" aria-label={diagnostic.severity}>
              {diagnostic.severity === 'error' ? '✕' : '!'}
            </span>
            <span class="problem-place">{placeOf(diagnostic, doc.path)}</span>
            <span class="problem-message">{plainName(diagnostic.message)}</span>
            <span class="problem-kind">{diagnostic.kind}</span>
          </button>
          {diagnostic.notes.length > 0 && (
            <div class="problem-notes">
              {diagnostic.notes.map((note, j) => (
                <div key={j}>
                  <b>{note.key}</b> {note.text}
                </div>
              ))}
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
