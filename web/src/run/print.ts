// While the page is printed: in light colours, as wide as paper, with all that a screen scrolls to.
// Components draw again before the browser takes the page; Preact does so as the handler returns.

import { useEffect, useState } from 'preact/hooks';
import { printTheme } from '../theme/theme';

export const kPaper = 680; // pixels across: A4 with margins, at 96 to the inch

let printing = false;
const listeners = new Set<(now: boolean) => void>();
let closed: HTMLDetailsElement[] = [];

function set(now: boolean) {
  if (now === printing) return;
  printing = now;
  document.documentElement.classList.toggle('printing', now);
  if (now) closed = [...document.querySelectorAll<HTMLDetailsElement>('details:not([open])')];
  for (const part of closed) part.open = now;
  printTheme(now);
  for (const listener of listeners) listener(now);
}
window.addEventListener('beforeprint', () => set(true));
window.addEventListener('afterprint', () => set(false));

export function usePrinting(): boolean {
  const [now, setNow] = useState(printing);
  useEffect(() => {
    listeners.add(setNow);
    return () => void listeners.delete(setNow);
  }, []);
  return now;
}
