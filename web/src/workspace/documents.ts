// What is open: a text, where it came from, and what of it is not saved. Drafts are kept in the
// browser, so that nothing is lost with the page or the server.

import type { FileText, GalleryModel } from '../data/api';
import type { Range, Settings } from './settings';

export interface Doc {
  key: string; // of the editor's state and the draft
  path: string; // of a model of the gallery: under which it would be saved
  origin: 'file' | 'gallery';
  text: string; // as it is in the editor, lines end in \n
  saved: string; // as it was read or last saved
  stamp: string | null; // of the file; null: there is none yet
  crlf: boolean; // how the file ends its lines
  bom: boolean; // whether it begins with a byte order mark, which the editor does not show
  settings: Settings;
  ranges: Record<string, Range>;
}

export const dirty = (doc: Doc) => doc.text !== doc.saved;

// Whether the file says what the editor shows.
export const onDisk = (doc: Doc) => doc.origin === 'file' && doc.stamp !== null && !dirty(doc);

export const fileKey = (path: string) => `file:${path}`;
export const galleryKey = (path: string) => `gallery:${path}`;

const kMark = '\ufeff';
const plainLines = (text: string) => text.replace(/\r\n?/g, '\n');
export const diskText = (doc: Doc) => (doc.bom ? kMark : '') + (doc.crlf ? doc.text.replaceAll('\n', '\r\n') : doc.text);

export function docOfFile(file: FileText): Doc {
  const bom = file.text.startsWith(kMark);
  const text = plainLines(bom ? file.text.slice(kMark.length) : file.text);
  return { key: fileKey(file.path), path: file.path, origin: 'file', text, saved: text, stamp: file.stamp, crlf: file.text.includes('\r\n'), bom, settings: {}, ranges: {} };
}

export function docOfGallery(model: GalleryModel): Doc {
  const path = model.path.split('/').pop()!;
  const text = plainLines(model.text);
  return { key: galleryKey(model.path), path, origin: 'gallery', text, saved: text, stamp: null, crlf: false, bom: false, settings: {}, ranges: {} };
}

// The text of a file that is no longer there: all of it is unsaved.
export function docOfGone(path: string, text: string): Doc {
  return { key: fileKey(path), path, origin: 'file', text, saved: '', stamp: null, crlf: false, bom: false, settings: {}, ranges: {} };
}

interface Draft {
  text: string;
  stamp: string | null;
  at: number; // ms, of the clock
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

// Each tab keeps its own, so that what one saves or types takes nothing from another. Storage may be
// full or forbidden; then drafts live as long as the page.
export class Drafts {
  private taken = new Map<string, { place: string; text: string }>(); // what another tab left, by document

  constructor(
    private folder: string, // no two have the same
    private tab: string,
    private storage: Store | null,
  ) {}

  private place(key: string) {
    return `${this.prefix}${this.tab}:${key}`;
  }
  private get prefix() {
    return `cradle-draft:${this.folder}:`;
  }

  keep(doc: Doc) {
    try {
      if (dirty(doc)) this.storage?.setItem(this.place(doc.key), JSON.stringify({ text: doc.text, stamp: doc.stamp, at: Date.now() } satisfies Draft));
      else this.remove(doc);
    } catch {
      // the page still has it
    }
  }

  // What is saved or given up: this tab's, what it was made from, and what says the same.
  private remove(doc: Doc) {
    this.storage?.removeItem(this.place(doc.key));
    const taken = this.taken.get(doc.key);
    for (const { place, draft } of this.of(doc.key)) {
      const same = draft.text === doc.text || (taken?.place === place && taken.text === draft.text);
      if (same) this.storage?.removeItem(place);
    }
    this.taken.delete(doc.key);
  }

  // This tab's, else the newest of others.
  private find(key: string) {
    const all = this.of(key);
    return all.find(({ place }) => place === this.place(key)) ?? all.sort((a, b) => b.draft.at - a.draft.at)[0];
  }

  private of(key: string) {
    return this.all().filter((kept) => kept.key === key);
  }

  private all(): { place: string; key: string; draft: Draft }[] {
    const out = [];
    const { storage, prefix } = this;
    for (let i = 0; i < (storage?.length ?? 0); ++i) {
      const place = storage!.key(i);
      if (!place?.startsWith(prefix)) continue;
      const draft = readDraft(storage!.getItem(place));
      if (draft) out.push({ place, key: place.slice(place.indexOf(':', prefix.length) + 1), draft });
    }
    return out;
  }

  // The documents that have one.
  keys(): string[] {
    try {
      return [...new Set(this.all().map(({ key }) => key))].sort();
    } catch {
      return [];
    }
  }

  // Null: there is none.
  text(key: string): string | null {
    try {
      return this.find(key)?.draft.text ?? null;
    } catch {
      return null;
    }
  }

  // True: there was one. It keeps the stamp it was made from: if the file has changed since, saving
  // finds the conflict.
  restore(doc: Doc): boolean {
    try {
      const kept = this.find(doc.key);
      if (!kept || kept.draft.text === doc.saved) return false;
      doc.text = kept.draft.text;
      if (doc.origin === 'file') doc.stamp = kept.draft.stamp;
      this.taken.set(doc.key, { place: kept.place, text: doc.text });
      return true;
    } catch {
      return false;
    }
  }
}

function readDraft(kept: string | null): Draft | null {
  try {
    const draft = JSON.parse(kept ?? 'null') as Partial<Draft> | null;
    return typeof draft?.text === 'string' ? { text: draft.text, stamp: draft.stamp ?? null, at: draft.at ?? 0 } : null;
  } catch {
    return null;
  }
}

// What is wrong with a path for a new file; null: nothing.
export function pathProblem(path: string): string | null {
  if (path.trim() === '') return 'a file needs a name';
  if (path.startsWith('/') || path.split('/').some((part) => part === '..' || part === '.' || part === '')) {
    return 'the name is relative to the folder and stays in it';
  }
  if (/[\\\u0000-\u001f]/.test(path)) return 'this character cannot stand in a name';
  return null;
}

export const withEnding = (path: string) => (path.endsWith('.cradle') ? path : `${path}.cradle`);
