// A file of components has nothing to run, and nothing is wrong with it.

import type { Check } from '../data/api';
import { outline } from '../editor/outline';

export const partsHint = 'This file holds components; open a model that imports it.';

export function ofParts(check: Check, text: string): { check: Check; partsOnly: boolean } {
  const missing = check.diagnostics.some((diagnostic) => diagnostic.kind === 'model.missing' && diagnostic.line === undefined);
  if (!missing || outline(text).definitions.every(({ kind }) => kind === 'model')) return { check, partsOnly: false };
  const diagnostics = check.diagnostics.filter(({ kind }) => kind !== 'model.missing');
  return { check: { ...check, ok: diagnostics.every(({ severity }) => severity !== 'error'), diagnostics }, partsOnly: true };
}
