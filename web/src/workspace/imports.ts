// Files of the folder that a text imports: how it has to write them, and what stands in them.

import type { FileText } from '../data/api';
import { importsOf, type Knowledge } from '../editor/completion';

const foldersOf = (path: string) => path.split('/').slice(0, -1);

// How `from` writes an import of `to`: relative to its own folder.
export function importPath(from: string, to: string): string {
  const here = foldersOf(from);
  const there = to.split('/');
  let same = 0;
  while (same < here.length && same < there.length - 1 && here[same] === there[same]) same += 1;
  return [...here.slice(same).map(() => '..'), ...there.slice(same)].join('/');
}

// The file that an import in `from` names; null: none below the folder.
export function importedPath(from: string, written: string): string | null {
  const out = foldersOf(from);
  for (const part of written.split('/')) {
    if (part === '..' && out.length === 0) return null;
    if (part === '..') out.pop();
    else if (part !== '.') out.push(part);
  }
  return out.join('/');
}

export class Imports {
  private texts = new Map<string, string>(); // by path

  constructor(private read: (path: string) => Promise<FileText>) {}

  // Others may have written them.
  forget(path?: string) {
    if (path === undefined) this.texts.clear();
    else this.texts.delete(path);
  }

  // What cannot be read is told by the check.
  async load(from: string, text: string, listed: Set<string>) {
    for (const written of importsOf(text)) {
      const file = importedPath(from, written);
      if (file === null || !listed.has(file) || this.texts.has(file)) continue;
      const read = await this.read(file).catch(() => null);
      if (read) this.texts.set(file, read.text);
    }
  }

  of(from: string, text: string): Knowledge['imported'] {
    return importsOf(text).flatMap((name) => {
      const found = this.texts.get(importedPath(from, name) ?? '');
      return found === undefined ? [] : [{ name, text: found }];
    });
  }
}
