// A slider for each parameter. Moving one runs the model at once.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { exact, short } from '../data/text';
import { toNumber } from '../data/unpack';
import type { Parameter } from '../data/view';
import { plainName } from '../editor/names';
import { onDisk } from './documents';
import { partsHint } from './parts';
import { booleans, command, defaultRange, rangeProblem, readList, readNumber, runName, tidy, widened, type List, type Range, type Value } from './settings';
import { useWorkspace } from './use';
import type { Workspace } from './workspace';

export function Parameters({ workspace }: { workspace: Workspace }) {
  const { doc, check, folder, parameters, known, shown } = useWorkspace(workspace);
  const libraryTruths = useMemo(() => booleans(folder?.library.map(({ text }) => text).join('\n') ?? ''), [folder]);
  if (!doc) return null;
  const none = parameters.length + known.lists.length === 0;
  if (none && !check) return <p class="dim pad">Checking…</p>;
  if (none && !check!.ok) return <p class="dim pad">Parameters show when the text has no errors.</p>;
  if (none && workspace.partsOnly) return <p class="dim pad">{partsHint}</p>;
  if (none) return <p class="dim pad">This model has no parameters. Write one: <code>param mass = 1</code></p>;
  const changed = Object.keys(doc.settings).length > 0;
  // What others make of them, as the run had it.
  const ran = new Map(shown?.run.view.parameters.map((p) => [p.name, toNumber(p.value)]) ?? []);
  const own = parameters.filter(({ name }) => !name.includes('.'));
  const ofParts = parameters.filter(({ name }) => name.includes('.'));
  const row = (parameter: Parameter) => (
    <Row
      key={parameter.name}
      workspace={workspace}
      parameter={parameter}
      value={Number(doc.settings[parameter.name] ?? ran.get(parameter.name) ?? toNumber(parameter.default))}
      set={parameter.name in doc.settings}
      range={doc.ranges[parameter.name]}
      whole={known.counts.has(parameter.name.split('.').pop()!)}
      truth={(parameter.place ? known.truths : libraryTruths).has(parameter.name.split('.').pop()!)}
    />
  );
  return (
    <div class="parameters" data-testid="parameters">
      <div class="parameter-list">
        {own.map(row)}
        {known.lists.map((list) => (
          <ListRow key={list.name} workspace={workspace} list={list} value={String(doc.settings[list.name] ?? list.text)} />
        ))}
        {ofParts.length > 0 && <h3 class="parameter-group">Of parts</h3>}
        {ofParts.map(row)}
      </div>
      <div class="parameter-foot">
        <p>
          {changed ? (
            <>
              Differs from the defaults: <b data-testid="changed">{runName(doc.settings)}</b>
            </>
          ) : (
            <span class="dim">All as in the text.</span>
          )}
        </p>
        <div class="command-line">
          {!onDisk(doc) && <span class="dim" data-testid="after-saving">After saving:</span>}
          <code data-testid="command">{plainName(command(doc.path, doc.settings))}</code>
          <button type="button" onClick={() => void navigator.clipboard?.writeText(command(doc.path, doc.settings))} aria-label="Copy the command">
            Copy
          </button>
        </div>
        <div class="bar">
          <button type="button" disabled={!changed} onClick={() => workspace.resetParameters()}>
            Reset all
          </button>
          <button
            type="button"
            disabled={workspace.writable.length + workspace.writableLists.length === 0}
            onClick={() => workspace.writeSettings()}
            title="Make these values the defaults in the text"
          >
            Write into the text
          </button>
        </div>
      </div>
    </div>
  );
}

interface RowProps {
  workspace: Workspace;
  parameter: Parameter;
  value: number;
  set: boolean;
  range: Range | undefined;
  whole: boolean;
  truth: boolean;
}

function Row({ workspace, parameter, value, set, range: kept, whole, truth }: RowProps) {
  const [open, setOpen] = useState(false);
  const [refused, setRefused] = useState('');
  const { name } = parameter;
  const usual = defaultRange(toNumber(parameter.default), whole);
  const range = widened(kept ?? usual, Number.isFinite(value) ? value : usual.min);
  const change = (next: Value) => workspace.setParameter(parameter, next);
  return (
    <div class={`slider${set ? ' set' : ''}`} role="group" aria-label={name} data-testid={`parameter-${name}`}>
      <span class="parameter-name" title={name}>
        {name}
      </span>
      {truth ? (
        <label class="toggle truth">
          <input type="checkbox" aria-label={name} checked={value !== 0} onChange={(event) => change(event.currentTarget.checked)} />
          {value !== 0 ? 'true' : 'false'}
        </label>
      ) : (
        <>
          <input
            type="range"
            aria-label={name}
            min={range.min}
            max={range.max}
            step={range.step}
            value={value}
            onInput={(event) => change(tidy(Number(event.currentTarget.value)))}
          />
          <NumberField label={`${name}, exact value`} value={value} onChange={change} refuse={setRefused} />
        </>
      )}
      <button type="button" class="small" disabled={!set} aria-label={`Reset ${name} to ${exact(parameter.default)}`} title={`Default: ${short(parameter.default)}`} onClick={() => change(truth ? toNumber(parameter.default) !== 0 : toNumber(parameter.default))}>
        ↺
      </button>
      <button type="button" class="small" disabled={truth} aria-label={`Range of ${name}`} aria-expanded={open} title="Range" onClick={() => setOpen(!open)}>
        ⋯
      </button>
      {refused && (
        <span class="bad refused" role="alert">
          {refused}
        </span>
      )}
      {open && <RangeFields name={name} range={range} usual={usual} onChange={(next) => workspace.setRange(parameter, next)} />}
    </div>
  );
}

function ListRow({ workspace, list, value }: { workspace: Workspace; list: List; value: string }) {
  const [text, setText] = useState<string | null>(null);
  const [refused, setRefused] = useState('');
  const { name } = list;
  const show = (next: string | null) => {
    setText(next);
    setRefused('');
  };
  const commit = () => {
    const read = readList(text ?? value);
    if (typeof read === 'string') return setRefused(read);
    if (read.list !== value) workspace.setList(list, read.list);
    show(null);
  };
  return (
    <div class={`slider list${value === list.text ? '' : ' set'}`} role="group" aria-label={name} data-testid={`parameter-${name}`}>
      <span class="parameter-name">{name}</span>
      <input
        class="list-field"
        type="text"
        aria-label={`${name}, a list`}
        aria-invalid={refused !== ''}
        spellcheck={false}
        value={text ?? value}
        onInput={(event) => show(event.currentTarget.value)}
        onChange={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
          if (event.key === 'Escape') show(null);
        }}
      />
      <button type="button" class="small" disabled={value === list.text} aria-label={`Reset ${name} to ${list.text}`} title={`Default: ${list.text}`} onClick={() => workspace.setList(list, list.text)}>
        ↺
      </button>
      <span />
      {refused && (
        <span class="bad refused" role="alert">
          {refused}
        </span>
      )}
    </div>
  );
}

function RangeFields({ name, range, usual, onChange }: { name: string; range: Range; usual: Range; onChange: (range: Range) => void }) {
  const [draft, setDraft] = useState(range);
  const [refused, setRefused] = useState('');
  const problem = refused || rangeProblem(draft);
  const change = (next: Range) => {
    setDraft(next);
    if (!rangeProblem(next)) onChange(next);
  };
  return (
    <div class="range-fields">
      {(['min', 'max', 'step'] as const).map((part) => (
        <label key={part}>
          {part} <NumberField label={`${part} of ${name}`} value={draft[part]} onChange={(value) => change({ ...draft, [part]: value })} refuse={setRefused} />
        </label>
      ))}
      <button type="button" class="small" onClick={() => change(usual)}>
        Usual
      </button>
      {problem && (
        <span class="bad" role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}

interface NumberFieldProps {
  label: string;
  value: number;
  onChange: (value: number) => void;
  refuse: (why: string) => void; // '': no longer
}

// Exact: what is typed is used when it is a number; when it is left, it shows what holds.
function NumberField({ label, value, onChange, refuse }: NumberFieldProps) {
  const [text, setText] = useState<string | null>(null);
  const [typed, setTyped] = useState(false); // the browser's undo is not typing
  const show = (next: string | null) => {
    setText(next);
    refuse('');
  };
  useEffect(() => show(null), [value]);
  const parsed = text === null ? value : readNumber(text);
  const commit = () => {
    if (typeof parsed === 'string') return refuse(parsed);
    if (parsed !== value) onChange(parsed);
    show(null);
  };
  return (
    <input
      class="number-field"
      type="text"
      inputMode="decimal"
      aria-label={label}
      aria-invalid={typeof parsed === 'string'}
      value={text ?? String(value)}
      onInput={(event) => {
        show(event.currentTarget.value);
        setTyped(!(event as InputEvent).inputType?.startsWith('history'));
      }}
      onChange={() => (typed ? commit() : show(null))}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
        if (event.key === 'Escape') show(null);
      }}
    />
  );
}
