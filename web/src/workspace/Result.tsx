// What a run gave, with its name, and the run it is compared with.

import { useMemo, useState } from 'preact/hooks';
import { counted, short } from '../data/text';
import { RunPage } from '../run/RunPage';
import { Comparison } from './Comparison';
import { partsHint } from './parts';
import { useWorkspace } from './use';
import type { Workspace } from './workspace';

export function Progress({ workspace }: { workspace: Workspace }) {
  const { progress, quiet } = useWorkspace(workspace);
  if (!progress) return null;
  const ended = progress.state === 'finished' || progress.state === 'cancelled';
  if (ended || quiet || progress.state === 'waiting') {
    return (
      <span class="progress" role="status" data-testid="progress">
        <progress aria-label="Progress" />
        <span class="progress-text">{ended ? 'loading…' : quiet ? 'writing the result…' : 'waiting for other runs…'}</span>
      </span>
    );
  }
  const { t, until, rows } = progress;
  const share = until !== null && until > 0 ? Math.min(1, t / until) : null;
  return (
    <span class="progress" role="status" data-testid="progress">
      {share === null ? <progress aria-label="Progress" /> : <progress aria-label="Progress" value={share} max={1} />}
      <span class="progress-text">
        t = {short(t, 4)}
        {until !== null && ` of ${short(until, 4)}`}
        {rows !== undefined && `, ${counted(rows, 'row')}`}
      </span>
    </span>
  );
}

export function Result({ workspace }: { workspace: Workspace }) {
  const { shown, compared: pinned, cursor, runError, progress, doc } = useWorkspace(workspace);
  const [numbers, setNumbers] = useState(true);
  const other = pinned === shown ? null : pinned;
  // Drawn again when the run is another one, not with every key.
  const page = useMemo(
    () =>
      shown &&
      cursor && (
        <RunPage run={shown.run} cursor={cursor} {...(other ? { compare: other.run } : {})} goTo={(place) => void workspace.goTo(place)} brief />
      ),
    [shown, cursor, other],
  );
  const comparison = useMemo(() => shown && other && <Comparison a={other} b={shown} />, [shown, other]);
  return (
    <section class="result" aria-label="Result" data-testid="result" aria-busy={progress !== null}>
      {shown && (
        <div class="bar result-bar">
          {pinned && (
            <span class="run-name">
              <b>A</b> <span data-testid="run-a">{pinned.name}</span>
              <button type="button" class="small" aria-label="Unpin run A" onClick={() => workspace.unpin()}>
                ✕
              </button>
            </span>
          )}
          <span class="run-name">
            {pinned && <b>B</b>} <span data-testid="run-b">{nameOf(shown, pinned)}</span>
            {shown.cancelled && <span class="tag">cancelled at t = {short(shown.run.to, 4)}</span>}
            {workspace.stale && !progress && <span class="tag">out of date</span>}
          </span>
          <span class="space" />
          {pinned && (
            <button type="button" aria-pressed={numbers} onClick={() => setNumbers(!numbers)}>
              Differences
            </button>
          )}
          <button type="button" disabled={pinned === shown} title="Keep this run as A and compare the next ones with it" onClick={() => workspace.pin()} data-testid="pin">
            {pinned ? 'Pin B' : 'Pin to compare'}
          </button>
        </div>
      )}
      {runError && (
        <p class="run-error" role="alert" data-testid="run-error">
          {runError}
          {workspace.endless && (
            <>
              {' '}
              <button type="button" class="link" onClick={() => workspace.writeEnd()} data-testid="write-end">
                Write <code>until 10</code> into it
              </button>
            </>
          )}
        </p>
      )}
      {workspace.runProblems.length > 0 && (
        <p class="run-error" role="alert" data-testid="run-error">
          {workspace.runProblems[0]!.message}{' '}
          <button type="button" class="link" onClick={() => workspace.jump(workspace.runProblems[0]!)}>
            Show
          </button>
        </p>
      )}
      <div class="result-scroll">
        {numbers && comparison}
        {page ?? (
          <div class="nothing">
            {workspace.partsOnly && <p class="dim">{partsHint}</p>}
            {doc && !progress && !runError && !workspace.partsOnly && (
              <>
                <p>Nothing has run yet.</p>
                <button type="button" class="primary" onClick={() => workspace.run()}>
                  Run
                </button>
                <p class="dim">Ctrl+Enter</p>
              </>
            )}
            {progress && <p class="dim">Running…</p>}
          </div>
        )}
      </div>
    </section>
  );
}

// By its settings; where the text is another one, that is said.
function nameOf(shown: Workspace['shown'] & object, pinned: Workspace['compared']): string {
  if (!pinned || pinned.wish.text === shown.wish.text) return shown.name;
  if (pinned.wish.path !== shown.wish.path) return `${shown.run.view.model}: ${shown.name}`;
  return `${shown.name}, edited text`;
}
