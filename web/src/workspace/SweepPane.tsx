// Many runs with one or two parameters varied, as a picture.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RunState, SweepResult } from '../data/api';
import { counted } from '../data/text';
import { toNumber } from '../data/unpack';
import { plainName } from '../editor/names';
import { theme } from '../theme/theme';
import { around, sweepCommand, Sweeper, variation, variationProblem, type Varied } from './sweep';
import { useWorkspace } from './use';
import type { Workspace } from './workspace';

export function SweepPane({ workspace }: { workspace: Workspace }) {
  const { doc, parameters, shown } = useWorkspace(workspace);
  const [varied, setVaried] = useState<Varied[]>([]);
  const [measure, setMeasure] = useState('');
  const [progress, setProgress] = useState<RunState | null>(null);
  const [result, setResult] = useState<SweepResult | null>(null);
  const [failure, setFailure] = useState('');
  const sweeper = useMemo(() => new Sweeper(workspace.client, { progress: setProgress, finished: setResult, failed: setFailure }), [workspace]);
  const path = doc?.path;
  useEffect(() => {
    sweeper.drop();
    setVaried([]);
    setResult(null);
    setFailure('');
    setProgress(null);
    return () => sweeper.drop();
  }, [path, sweeper]);
  if (!doc) return null;
  if (parameters.length === 0) return <p class="dim pad">A sweep varies a parameter. Write one: <code>param mass = 1</code></p>;

  const now = (name: string) => Number(doc.settings[name] ?? toNumber(parameters.find((p) => p.name === name)!.default));
  const rows = varied.length > 0 ? varied : [around(parameters[0]!.name, now(parameters[0]!.name))];
  const change = (i: number, next: Partial<Varied>) => setVaried(rows.map((row, j) => (i === j ? { ...row, ...next } : row)));
  const choose = (i: number, name: string) => setVaried(rows.map((row, j) => (i === j ? around(name, now(name)) : row)));
  const others = parameters.filter(({ name }) => !rows.some((row) => row.name === name));
  const problem = rows.map(variationProblem).find((text) => text !== '') ?? '';
  const measures = measure.split(';').map((text) => text.trim()).filter(Boolean);
  const kept = Object.entries(doc.settings).filter(([name]) => !rows.some((row) => row.name === name));
  const vary = rows.map(variation);
  const command = sweepCommand(doc.path, vary, measures, kept.map(([name, value]) => [name, String(value)]));
  const start = () => {
    setFailure('');
    setResult(null);
    void sweeper.want({
      path: doc.path,
      text: doc.text,
      settings: kept.map(([name, value]) => ({ name, value: String(value) })),
      vary,
      measure: measures,
      dark: theme() === 'dark',
    });
  };
  const columns = shown?.run.columns.map(({ name }) => name) ?? [];
  return (
    <div class="sweep" data-testid="sweep">
      {rows.map((row, i) => (
        <div class="sweep-row" key={i} role="group" aria-label={`Vary ${row.name}`}>
          <select aria-label="Parameter" value={row.name} onChange={(event) => choose(i, event.currentTarget.value)} data-testid="sweep-parameter">
            {[row.name, ...others.map(({ name }) => name)].map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
          <label>
            from <input type="text" size={8} value={row.from} onInput={(event) => change(i, { from: event.currentTarget.value })} data-testid="sweep-from" />
          </label>
          <label>
            to <input type="text" size={8} value={row.to} onInput={(event) => change(i, { to: event.currentTarget.value })} data-testid="sweep-to" />
          </label>
          <label>
            values <input type="text" size={4} inputMode="numeric" value={row.count} onInput={(event) => change(i, { count: event.currentTarget.value })} data-testid="sweep-count" />
          </label>
          <label class="toggle">
            <input type="checkbox" checked={row.log} onChange={(event) => change(i, { log: event.currentTarget.checked })} /> log
          </label>
          {rows.length > 1 && (
            <button type="button" class="small" aria-label={`Do not vary ${row.name}`} onClick={() => setVaried(rows.filter((_, j) => j !== i))}>
              ✕
            </button>
          )}
        </div>
      ))}
      <div class="sweep-row">
        <label class="sweep-measure">
          measure{' '}
          <input
            type="text"
            list="sweep-measures"
            placeholder="the final values of what the model shows"
            value={measure}
            onInput={(event) => setMeasure(event.currentTarget.value)}
            data-testid="sweep-measure"
          />
        </label>
        <datalist id="sweep-measures">
          {columns.slice(0, 12).flatMap((name) => ['peak', 'minimum', 'mean', 'rms', 'final'].map((what) => <option key={what + name} value={`${what}(${name})`} />))}
        </datalist>
      </div>
      <div class="bar">
        {progress ? (
          <button type="button" onClick={() => sweeper.cancel()} data-testid="sweep-cancel">
            Cancel
          </button>
        ) : (
          <button type="button" class="primary" disabled={problem !== ''} onClick={start} data-testid="sweep-start">
            Sweep
          </button>
        )}
        {rows.length < 2 && others.length > 0 && (
          <button type="button" onClick={() => setVaried([...rows, around(others[0]!.name, now(others[0]!.name))])} title="A map over two parameters">
            Vary another
          </button>
        )}
        {progress && (
          <span class="progress" role="status">
            <progress aria-label="Progress" {...(progress.until ? { value: progress.t, max: progress.until } : {})} />
            <span class="progress-text">{progress.until ? `${progress.t} of ${counted(progress.until, 'run')}` : 'begins…'}</span>
          </span>
        )}
        {problem && <span class="dim">{problem}</span>}
      </div>
      {failure && (
        <p class="run-error" role="alert" data-testid="sweep-error">
          {failure}
        </p>
      )}
      {result && <Found result={result} />}
      <div class="command-line">
        <code data-testid="sweep-command">{plainName(command)}</code>
        <button type="button" onClick={() => void navigator.clipboard?.writeText(command)} aria-label="Copy the command">
          Copy
        </button>
      </div>
    </div>
  );
}

// The picture, and what went wrong on the way.
function Found({ result }: { result: SweepResult }) {
  const address = useRef('');
  const source = useMemo(() => {
    if (address.current) URL.revokeObjectURL(address.current);
    return (address.current = URL.createObjectURL(new Blob([result.picture], { type: 'image/svg+xml' })));
  }, [result]);
  useEffect(() => () => URL.revokeObjectURL(address.current), []);
  const done = result.runs.filter((run) => run !== null);
  const troubled = done.filter((run) => run.why !== '');
  return (
    <figure class="sweep-found">
      <img src={source} alt={`${result.measures.join(', ')} over ${result.names.join(' and ')}`} data-testid="sweep-picture" />
      <figcaption>
        {counted(done.length, 'run')}
        {!result.complete && ` of ${result.runs.length}, cancelled`}
        {troubled.length > 0 && `; ${troubled.length} with a remark, the first: ${troubled[0]!.why}`}{' '}
        <a href={source} download="sweep.svg">
          Save the picture
        </a>
      </figcaption>
    </figure>
  );
}
