// The editor with its bar.

import { useEffect, useRef } from 'preact/hooks';
import { Editor } from '../editor/editor';
import { plainName } from '../editor/names';
import { dirty } from './documents';
import { useWorkspace } from './use';
import type { Workspace } from './workspace';

// The server writes it into the page, for the styles that CodeMirror makes.
const nonce = () => document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

export function EditorPane({ workspace }: { workspace: Workspace }) {
  const { doc } = useWorkspace(workspace);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const editor = new Editor(
      place.current!,
      {
        changed: (text) => workspace.edited(text),
        save: () => void workspace.save(),
        run: () => workspace.run(),
        format: () => void workspace.format(),
        knowledge: () => workspace.knowledge(),
      },
      nonce(),
    );
    workspace.editor = editor;
    if (workspace.doc) editor.open(workspace.doc.key, workspace.doc.text);
    return () => {
      workspace.editor = null;
      editor.destroy();
    };
  }, [workspace]);

  return (
    <section class="editor-pane" aria-label="Editor">
      <div class="bar">
        <span class="doc-name" data-testid="doc-name" title={doc ? plainName(doc.path) : undefined}>
          {doc && dirty(doc) && (
            <span data-testid="dirty" role="img" aria-label="not saved" title="not saved">
              •{' '}
            </span>
          )}
          {doc && <DocName path={doc.path} />}
          {doc?.origin === 'gallery' && <span class="tag">copy of the gallery</span>}
        </span>
        <span class="space" />
        <button type="button" disabled={!doc} title="Print in the one style (Shift+Alt+F)" onClick={() => void workspace.format()}>
          Format
        </button>
        <button type="button" disabled={!doc || (doc.origin === 'file' && !dirty(doc))} title="Ctrl+S" onClick={() => void workspace.save()} data-testid="save">
          {doc?.origin === 'gallery' ? 'Save as…' : 'Save'}
        </button>
      </div>
      <div class="editor-place" ref={place} />
    </section>
  );
}

// The name before the folder: where there is little room, its beginning is seen.
function DocName({ path }: { path: string }) {
  const cut = path.lastIndexOf('/') + 1;
  return (
    <>
      {plainName(path.slice(cut))}
      {cut > 0 && <span class="dim doc-folder"> in {plainName(path.slice(0, cut))}</span>}
    </>
  );
}
