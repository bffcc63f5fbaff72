// What is wrong, where the editor marks it and what it says of it.

import type { Diagnostic as Mark } from '@codemirror/lint';
import type { Diagnostic } from '../data/view';
import { plainName } from './names';
import { lineStarts, rangeOf } from './places';

// A diagnostic without a file is of the text itself.
export const sameFile = (file: string | undefined, path: string) => file === undefined || file === path;

export function marks(text: string, path: string, diagnostics: Diagnostic[], jump: (diagnostic: Diagnostic) => void): Mark[] {
  const starts = lineStarts(text);
  const out: Mark[] = [];
  for (const diagnostic of diagnostics) {
    const here = sameFile(diagnostic.file, path);
    if (here) {
      out.push({
        ...rangeOf(text, starts, diagnostic),
        severity: diagnostic.severity,
        message: diagnostic.message,
        renderMessage: () => message(diagnostic, jump),
      });
    }
    // The other places that it speaks of.
    for (const label of diagnostic.labels) {
      const first = here && label.line === diagnostic.line && label.column === diagnostic.column;
      if (first || label.line === undefined || !sameFile(label.file, path)) continue;
      out.push({
        ...rangeOf(text, starts, label),
        severity: 'info',
        message: label.text || diagnostic.message,
        renderMessage: () => message(diagnostic, jump, label.text),
      });
    }
  }
  return out.sort((a, b) => a.from - b.from);
}

function element(tag: string, className: string, text: string) {
  const node = document.createElement(tag);
  node.className = className;
  node.textContent = plainName(text);
  return node;
}

function message(diagnostic: Diagnostic, jump: (diagnostic: Diagnostic) => void, label?: string): Node {
  const node = element('div', 'problem-text', '');
  if (label) node.append(element('div', 'problem-label', label));
  const title = element('div', 'problem-title', diagnostic.message);
  if (label) {
    const link = element('button', 'link', diagnostic.message);
    link.addEventListener('click', () => jump(diagnostic));
    title.replaceChildren(link);
  }
  node.append(title);
  const own = diagnostic.labels[0]?.text;
  if (!label && own) node.append(element('div', 'problem-label', own));
  for (const note of diagnostic.notes) node.append(element('div', 'problem-note', `${note.key}: ${note.text}`));
  node.append(element('div', 'problem-kind', diagnostic.kind));
  return node;
}
