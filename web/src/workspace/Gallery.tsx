// The models that travel with the binary, as cards. Opening one gives a copy to play with.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { GalleryModel } from '../data/api';
import { galleryKey } from './documents';
import { useWorkspace } from './use';
import type { Workspace } from './workspace';

const groupNames: Record<string, string> = {
  mosterman: 'Mosterman, Simko, Zander: hyperdense bond graphs',
  lee: 'Lee: constructive models of events and time',
  cuijpers: 'Cuijpers: hybrid processes',
  circuits: 'Circuits',
  mechanics: 'Mechanics',
};

export function grouped(models: GalleryModel[]): [string, GalleryModel[]][] {
  const out = new Map<string, GalleryModel[]>();
  for (const model of models) out.set(model.group, [...(out.get(model.group) ?? []), model]);
  return [...out];
}

export function Gallery({ workspace }: { workspace: Workspace }) {
  const { folder, doc } = useWorkspace(workspace);
  const [filter, setFilter] = useState('');
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (workspace.galleryOpen) place.current!.scrollIntoView({ block: 'start' });
  }, [workspace.galleryOpen]);
  const wanted = filter.toLowerCase();
  const models = (folder?.gallery ?? []).filter((m) => `${m.path} ${m.title} ${m.model}`.toLowerCase().includes(wanted));
  return (
    <section class="gallery" ref={place} aria-label="Gallery" data-testid="gallery">
      <header class="gallery-head">
        <h2>Gallery</h2>
        <input
          type="search"
          placeholder="Filter"
          aria-label="Filter the gallery"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        {doc && (
          <button type="button" onClick={() => workspace.set({ galleryOpen: false })}>
            Close
          </button>
        )}
      </header>
      <p class="dim">Open one to run and change it; it is yours when you save it into the folder.</p>
      {grouped(models).map(([group, inside]) => (
        <section key={group} aria-label={groupNames[group] ?? group}>
          <h3>{groupNames[group] ?? group}</h3>
          <ul class="cards">
            {inside.map((model) => (
              <li key={model.path}>
                <button type="button" class="card" onClick={() => workspace.openGallery(model)} data-testid={`card-${model.path}`}>
                  <span class="card-name">
                    {model.model ?? model.path.split('/').pop()}
                    {workspace.isDirty(galleryKey(model.path)) && <span title="not saved"> •</span>}
                  </span>
                  <span class="card-title">{model.title}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </section>
  );
}
