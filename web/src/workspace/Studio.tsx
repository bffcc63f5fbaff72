// The studio's page: files, editor, problems and parameters, result. Side by side where there is
// room, else one behind the other, by tabs.

import './studio.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ThemeToggle } from '../theme/theme';
import { plainName } from '../editor/names';
import { dirty } from './documents';
import { EditorPane } from './EditorPane';
import { Files } from './Files';
import { Gallery } from './Gallery';
import { Parameters } from './Parameters';
import { Problems } from './Problems';
import { Questions } from './Questions';
import { Progress, Result } from './Result';
import { Split } from './Split';
import { SweepPane } from './SweepPane';
import { useWorkspace } from './use';
import type { Tab, Workspace } from './workspace';

export function Studio({ workspace }: { workspace: Workspace }) {
  const { doc, tab, filesOpen, galleryOpen } = useWorkspace(workspace);
  useEffect(() => {
    const leaving = (event: BeforeUnloadEvent) => {
      workspace.keepDraft();
      if (workspace.anyDirty) event.preventDefault();
    };
    const key = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !(event.ctrlKey || event.metaKey)) return;
      if (event.key === 's') void workspace.save();
      else if (event.key === 'Enter') workspace.run();
      else return;
      event.preventDefault();
    };
    // Links within a result are for scrolling only.
    const linked = () => workspace.address();
    const seen = () => void workspace.lookAgain();
    const left = () => workspace.leave();
    window.addEventListener('pagehide', left);
    window.addEventListener('focus', seen);
    window.addEventListener('hashchange', linked);
    window.addEventListener('beforeunload', leaving);
    window.addEventListener('keydown', key);
    return () => {
      window.removeEventListener('pagehide', left);
      window.removeEventListener('focus', seen);
      window.removeEventListener('hashchange', linked);
      window.removeEventListener('beforeunload', leaving);
      window.removeEventListener('keydown', key);
    };
  }, [workspace]);
  const changed = doc !== null && dirty(doc);
  useEffect(() => {
    document.title = doc ? `${changed ? '• ' : ''}${plainName(doc.path)} – Cradle` : 'Cradle';
  }, [doc, doc?.path, changed]);
  const gallery = galleryOpen || !doc;
  return (
    <div class="studio" data-tab={tab} data-files={filesOpen || !doc} data-gallery={gallery}>
      <Head workspace={workspace} />
      <Banner workspace={workspace} />
      <div class="workspace">
        <div class="pane-files">
          <Files workspace={workspace} />
        </div>
        {gallery && (
          <div class="pane-gallery">
            <Gallery workspace={workspace} />
          </div>
        )}
        <div class="pane-work" hidden={gallery}>
          <Split name="Editor and result" across initial={0.45}>
            <Split name="Editor and problems" across={false} initial={0.64}>
              <EditorPane workspace={workspace} />
              <Below workspace={workspace} />
            </Split>
            <Result workspace={workspace} />
          </Split>
        </div>
      </div>
      <Tabs workspace={workspace} />
      <Questions workspace={workspace} />
    </div>
  );
}

function Head({ workspace }: { workspace: Workspace }) {
  const { folder, doc, filesOpen, progress, stopping, autoRun, partsOnly } = useWorkspace(workspace);
  return (
    <header class="studio-head">
      <button
        type="button"
        class="wide-only"
        aria-pressed={filesOpen || !doc}
        disabled={!doc}
        onClick={() => workspace.set({ filesOpen: !filesOpen })}
        data-testid="toggle-files"
      >
        Files
      </button>
      <h1>
        Cradle <span class="dim folder-name">{folder && plainName(folder.name)}</span>
      </h1>
      <span class="space" />
      <Progress workspace={workspace} />
      {progress ? (
        <button type="button" disabled={stopping} onClick={() => workspace.cancel()} data-testid="cancel">
          {stopping ? 'Ending…' : 'Cancel'}
        </button>
      ) : (
        <button type="button" class="primary" disabled={!doc || partsOnly} title="Ctrl+Enter" onClick={() => workspace.runAndLook()} data-testid="run">
          Run
        </button>
      )}
      <label class="toggle" title="Run when the text has changed and has no errors">
        <input type="checkbox" checked={autoRun} onChange={(event) => workspace.setAutoRun(event.currentTarget.checked)} />
        <span>
          <span class="wide-only">Run on change</span>
          <span class="narrow-only">Auto</span>
        </span>
      </label>
      <ThemeToggle />
    </header>
  );
}

function download(name: string, text: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = name.split('/').pop()!;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function Banner({ workspace }: { workspace: Workspace }) {
  const { offline, notice, doc } = useWorkspace(workspace);
  return (
    <>
      {offline && (
        <div class="banner bad-banner" role="alert" data-testid="offline">
          <span>
            {offline.unreachable
              ? 'The studio’s server does not answer. Your text is kept in this browser.'
              : 'The server refuses this page’s address: it was started anew. Open the address that it printed. Your text is kept in this browser.'}
          </span>
          <button type="button" onClick={() => void workspace.retry()}>
            Try again
          </button>
          {doc && (
            <button type="button" onClick={() => download(doc.path, doc.text)}>
              Download the text
            </button>
          )}
        </div>
      )}
      {notice && (
        <div class="banner" role="status" data-testid="notice">
          <span>{plainName(notice.text)}</span>
          {notice.action && (
            <button type="button" onClick={notice.action.do}>
              {notice.action.label}
            </button>
          )}
          <button type="button" class="small" aria-label="Close" onClick={() => workspace.set({ notice: null })}>
            ✕
          </button>
        </div>
      )}
    </>
  );
}

type Side = 'parameters' | 'sweep' | 'problems';
const kSides: Side[] = ['parameters', 'sweep', 'problems'];

// Parameters, sweeps and problems share the place below the editor.
function Below({ workspace }: { workspace: Workspace }) {
  const { problems, parameters, known } = useWorkspace(workspace);
  const [side, setSide] = useState<Side>('parameters');
  const bar = useRef<HTMLDivElement>(null);
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    const by = event.key === 'ArrowRight' ? 1 : kSides.length - 1;
    const other = kSides[(kSides.indexOf(side) + by) % kSides.length]!;
    setSide(other);
    bar.current!.querySelector<HTMLElement>(`#below-${other}`)?.focus();
  };
  const tab = (name: Side, label: string) => (
    <button
      type="button"
      role="tab"
      id={`below-${name}`}
      aria-selected={side === name}
      aria-controls={`panel-${name}`}
      tabIndex={side === name ? 0 : -1}
      onClick={() => setSide(name)}
      onKeyDown={key}
      data-testid={`below-${name}`}
    >
      {label}
    </button>
  );
  return (
    <section class="below" data-side={side}>
      <div class="bar tabs" ref={bar}>
        <div role="tablist" aria-label="Below the editor">
          {tab('parameters', `Parameters ${parameters.length + known.lists.length}`)}
          {tab('sweep', 'Sweep')}
          {tab('problems', `Problems ${problems.length}`)}
        </div>
        {side === 'parameters' && problems[0] && (
          <button type="button" class="first-problem" onClick={() => workspace.jump(problems[0]!)} data-testid="first-problem">
            {plainName(problems[0].message)}
          </button>
        )}
      </div>
      <div class="below-problems" role="tabpanel" id="panel-problems" aria-label="Problems">
        <Problems workspace={workspace} />
      </div>
      <div class="below-parameters" role="tabpanel" id="panel-parameters" aria-label="Parameters">
        <Parameters workspace={workspace} />
      </div>
      <div class="below-sweep" role="tabpanel" id="panel-sweep" aria-label="Sweep">
        <SweepPane workspace={workspace} />
      </div>
    </section>
  );
}

const tabNames: [Tab, string][] = [
  ['files', 'Files'],
  ['edit', 'Edit'],
  ['parameters', 'Parameters'],
  ['result', 'Result'],
];

function Tabs({ workspace }: { workspace: Workspace }) {
  const { tab, problems, doc } = useWorkspace(workspace);
  return (
    <nav class="phone-tabs" aria-label="Parts">
      {tabNames.map(([name, label]) => (
        <button
          type="button"
          key={name}
          aria-current={tab === name}
          disabled={!doc && name !== 'files'}
          onClick={() => workspace.set({ tab: name, galleryOpen: false })}
          data-testid={`tab-${name}`}
        >
          {label}
          {name === 'edit' && problems.length > 0 && <span class="count">{problems.length}</span>}
        </button>
      ))}
    </nav>
  );
}
