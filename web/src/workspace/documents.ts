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
  settings: Settings;
  ranges: Record<string, Range>;
}

export const dirty = (doc: Doc) => doc.text !== doc.saved;

export const fileKey = (path: string) => `file:${path}`;
export const galleryKey = (path: string) => `gallery:${path}`;

const plainLines = (text: string) => text.replace(/\r\n?/g, '\n');
export const diskText = (doc: Doc) => (doc.crlf ? doc.text.replaceAll('\n', '\r\n') : doc.text);

export function docOfFile(file: FileText): Doc {
  const text = plainLines(file.text);
  return { key: fileKey(file.path), path: file.path, origin: 'file', text, saved: text, stamp: file.stamp, crlf: file.text.includes('\r\n'), settings: {}, ranges: {} };
}

export function docOfGallery(model: GalleryModel): Doc {
  const path = model.path.split('/').pop()!;
  const text = plainLines(model.text);
  return { key: galleryKey(model.path), path, origin: 'gallery', text, saved: text, stamp: null, crlf: false, settings: {}, ranges: {} };
}

interface Draft {
  text: string;
  stamp: string | null;
}

// Storage may be full or forbidden; then drafts live as long as the page.
export class Drafts {
  constructor(
    private folder: string,
    private storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null,
  ) {}

  private key(doc: Doc) {
    return `cradle-draft:${this.folder}:${doc.key}`;
  }

  keep(doc: Doc) {
    try {
      if (dirty(doc)) this.storage?.setItem(this.key(doc), JSON.stringify({ text: doc.text, stamp: doc.stamp } satisfies Draft));
      else this.storage?.removeItem(this.key(doc));
    } catch {
      // the page still has it
    }
  }

  // True: there was one. It keeps the stamp it was made from: if the file has changed since, saving
  // finds the conflict.
  restore(doc: Doc): boolean {
    try {
      const kept = this.storage?.getItem(this.key(doc));
      if (!kept) return false;
      const draft = JSON.parse(kept) as Draft;
      if (typeof draft.text !== 'string' || draft.text === doc.text) return false;
      doc.text = draft.text;
      if (doc.origin === 'file') doc.stamp = draft.stamp;
      return true;
    } catch {
      return false;
    }
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
