// What the studio has to ask before it goes on.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { plainName } from '../editor/names';
import { pathProblem } from './documents';
import { useWorkspace } from './use';
import type { Workspace } from './workspace';

export function Questions({ workspace }: { workspace: Workspace }) {
  const { question, doc } = useWorkspace(workspace);
  if (!question) return null;
  const close = () => workspace.set({ question: null });
  if (question.kind === 'new') {
    return <NameDialog title="New model" action="Create" initial="" hint="A commented first model, under this name in the folder." close={close} done={(path) => workspace.create(path)} />;
  }
  if (!doc) return null;
  if (question.kind === 'save-as') {
    return <NameDialog title="Save into the folder" action="Save" initial={doc.path} hint="The gallery's own copy stays as it is." close={close} done={(path) => workspace.saveAs(path)} />;
  }
  const { theirs } = question;
  return (
    <Dialog title={theirs ? 'The file has changed on disk' : 'The file is gone from disk'} close={close}>
      <p>
        {theirs
          ? `${plainName(doc.path)} was written by someone else since it was opened here.`
          : `${plainName(doc.path)} was removed since it was opened here.`}
      </p>
      <div class="dialog-actions">
        <button type="button" class="primary" onClick={() => void workspace.keepMine(theirs)}>
          {theirs ? 'Keep mine' : 'Write it again'}
        </button>
        {theirs && (
          <button type="button" onClick={() => workspace.loadTheirs(theirs)}>
            Load theirs
          </button>
        )}
        <button type="button" onClick={close}>
          Not now
        </button>
      </div>
      {theirs && <p class="dim">After “Load theirs” your text can be had back with undo.</p>}
    </Dialog>
  );
}

function Dialog({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current!.showModal();
  }, []);
  return (
    <dialog ref={dialog} aria-label={title} onCancel={close} data-testid="dialog">
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}

interface NameDialogProps {
  title: string;
  action: string;
  initial: string;
  hint: string;
  close: () => void;
  done: (path: string) => Promise<string | null>; // what is wrong
}

function NameDialog({ title, action, initial, hint, close, done }: NameDialogProps) {
  const [path, setPath] = useState(initial);
  const [problem, setProblem] = useState<string | null>(null);
  const submit = async (event: Event) => {
    event.preventDefault();
    setProblem(pathProblem(path) ?? (await done(path.trim())));
  };
  return (
    <Dialog title={title} close={close}>
      <form onSubmit={(event) => void submit(event)}>
        <label class="dialog-field">
          Name
          <input type="text" value={path} placeholder="pendulum.cradle" autoFocus spellcheck={false} onInput={(event) => setPath(event.currentTarget.value)} />
        </label>
        <p class={problem ? 'bad' : 'dim'} role={problem ? 'alert' : undefined}>
          {problem ?? hint}
        </p>
        <div class="dialog-actions">
          <button type="submit" class="primary">
            {action}
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
