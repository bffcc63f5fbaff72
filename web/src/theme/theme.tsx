// Light and dark: what the reader's system prefers, until they choose.

import './theme.css';
import { useEffect, useReducer } from 'preact/hooks';

export type Theme = 'light' | 'dark';

const kKey = 'cradle-theme';
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();
let chosen: Theme | null = stored();

// A page from disk may have no storage.
function stored(): Theme | null {
  try {
    const value = localStorage.getItem(kKey);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null;
  }
}

let onPaper = false;

export function theme(): Theme {
  if (onPaper) return 'light';
  return chosen ?? (prefersDark.matches ? 'dark' : 'light');
}

function apply() {
  document.documentElement.dataset.theme = theme();
  for (const listener of listeners) listener();
}
prefersDark.addEventListener('change', apply);
apply();

// Paper is light.
export function printTheme(now: boolean) {
  onPaper = now;
  apply();
}

export function setTheme(value: Theme) {
  chosen = value;
  try {
    localStorage.setItem(kKey, value);
  } catch {
    // it holds for this page only
  }
  apply();
}

// Draws a component again when the theme has changed.
export function useTheme(): Theme {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    const listener = () => redraw(0);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return theme();
}

export function ThemeToggle() {
  const present = useTheme();
  const other = present === 'dark' ? 'light' : 'dark';
  return (
    <button type="button" class="theme-toggle" onClick={() => setTheme(other)} aria-label={`Use the ${other} theme`}>
      {present === 'dark' ? '☀ Light' : '☾ Dark'}
    </button>
  );
}

// A colour of the theme as a canvas takes it.
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export const kCurves = 7;
export const curveColour = (index: number) => `curve-${(index % kCurves) + 1}`;
