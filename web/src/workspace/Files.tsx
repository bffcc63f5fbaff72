// The files of the chosen folder.

import { useMemo, useState } from 'preact/hooks';
import type { ModelFile } from '../data/api';
import { plainName } from '../editor/names';
import { fileKey } from './documents';
import { useWorkspace } from './use';
import type { Workspace } from './workspace';

// By folder, in the order of paths; files of the top first.
export function byFolder(files: ModelFile[]): [string, ModelFile[]][] {
  const out = new Map<string, ModelFile[]>([['', []]]);
  for (const file of files) {
    const folder = file.path.slice(0, Math.max(0, file.path.lastIndexOf('/')));
    if (!out.has(folder)) out.set(folder, []);
    out.get(folder)!.push(file);
  }
  return [...out].filter(([, inside]) => inside.length > 0);
}

const matches = (file: ModelFile, filter: string) =>
  [file.path, file.title, file.model ?? ''].some((text) => text.toLowerCase().includes(filter.toLowerCase()));

// One stop for the Tab key, however many files there are: arrow keys go on from it.
function walk(event: KeyboardEvent) {
  const all = [...(event.currentTarget as Element).querySelectorAll<HTMLElement>('.file')];
  const at = all.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
  // Home and End are for the text in the filter, as long as that has the focus.
  if (to === undefined || (at < 0 && event.key !== 'ArrowDown')) return;
  event.preventDefault();
  all[to]?.focus();
}

export function Files({ workspace }: { workspace: Workspace }) {
  const { folder, doc } = useWorkspace(workspace);
  const [filter, setFilter] = useState('');
  const files = (folder?.files ?? []).filter((file) => matches(file, filter));
  // Looked up in the browser's storage: not with every key.
  const gone = useMemo(() => workspace.goneFiles, [folder, doc]);
  const [visited, setVisited] = useState<string | null>(null);
  const paths = [...byFolder(files).flatMap(([, inside]) => inside.map(({ path }) => path)), ...gone];
  const stop = [visited, doc?.origin === 'file' ? doc.path : null].find((path) => path !== null && paths.includes(path)) ?? paths[0];
  const button = (path: string) => ({
    type: 'button' as const,
    class: 'file',
    'aria-current': doc?.key === fileKey(path),
    tabIndex: path === stop ? 0 : -1,
    onFocus: () => setVisited(path),
    onClick: () => void workspace.openFile(path),
  });
  return (
    <nav class="files" aria-label="Files" data-testid="files" onKeyDown={walk}>
      <div class="bar">
        <input
          type="search"
          placeholder="Filter"
          aria-label="Filter files"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <button type="button" onClick={() => workspace.set({ question: { kind: 'new' } })} data-testid="new-file">
          New…
        </button>
        <button type="button" onClick={() => workspace.set({ galleryOpen: true })} data-testid="open-gallery">
          Gallery
        </button>
      </div>
      <div class="files-list">
        {byFolder(files).map(([name, inside]) => (
          <section key={name}>
            {name && <h3 class="files-folder">{plainName(name)}/</h3>}
            <ul>
              {inside.map((file) => (
                <li key={file.path}>
                  <button {...button(file.path)}>
                    <span class="file-name">
                      {plainName(file.path.split('/').pop()!)}
                      {workspace.isDirty(fileKey(file.path)) && <span title="not saved"> •</span>}
                    </span>
                    {file.title && <span class="file-title">{plainName(file.title)}</span>}
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
        {gone.length > 0 && (
          <section data-testid="gone-files">
            <h3 class="files-folder">Not saved, and no longer in the folder</h3>
            <ul>
              {gone.map((path) => (
                <li key={path}>
                  <button {...button(path)}>
                    <span class="file-name">{plainName(path)} •</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        )}
        {folder && folder.files.length === 0 && (
          <p class="dim">No models here yet. Make a new one, or take one from the gallery.</p>
        )}
        {folder && folder.files.length > 0 && files.length === 0 && <p class="dim">Nothing matches “{filter}”.</p>}
        {folder && folder.more > 0 && <p class="dim">{folder.more} more files are not listed.</p>}
      </div>
    </nav>
  );
}
