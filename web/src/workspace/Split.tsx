// Two panes and a bar between them that moves by pointer and by arrow keys.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface SplitProps {
  name: string; // of the bar, for readers and for what is remembered
  across: boolean; // side by side; else one above the other
  initial: number; // share of the first, 0 to 1
  children: [ComponentChildren, ComponentChildren];
}

const kLeast = 0.12;
const bounded = (share: number) => Math.min(1 - kLeast, Math.max(kLeast, share));

function remembered(name: string, initial: number): number {
  try {
    const kept = Number(localStorage.getItem(`cradle-split:${name}`));
    return kept > 0 && kept < 1 ? bounded(kept) : initial;
  } catch {
    return initial;
  }
}

export function Split({ name, across, initial, children }: SplitProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [share, setShare] = useState(() => remembered(name, initial));
  const move = (next: number) => {
    setShare(bounded(next));
    try {
      localStorage.setItem(`cradle-split:${name}`, String(bounded(next)));
    } catch {
      // it holds for this page only
    }
  };
  useEffect(() => frame.current!.style.setProperty('--share', `${share * 100}%`), [share]);

  const drag = (event: PointerEvent) => {
    if (!(event.currentTarget as Element).hasPointerCapture(event.pointerId)) return;
    const box = frame.current!.getBoundingClientRect();
    move(across ? (event.clientX - box.left) / box.width : (event.clientY - box.top) / box.height);
  };
  const key = (event: KeyboardEvent) => {
    const [less, more] = across ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    const by = event.key === less ? -0.03 : event.key === more ? 0.03 : 0;
    if (by === 0 && event.key !== 'Home' && event.key !== 'End') return;
    event.preventDefault();
    move(event.key === 'Home' ? kLeast : event.key === 'End' ? 1 - kLeast : share + by);
  };

  return (
    <div class={`split ${across ? 'across' : 'down'}`} ref={frame}>
      <div class="split-pane">{children[0]}</div>
      <div
        class="split-bar"
        role="separator"
        tabIndex={0}
        aria-label={name}
        aria-orientation={across ? 'vertical' : 'horizontal'}
        aria-valuenow={Math.round(share * 100)}
        aria-valuemin={kLeast * 100}
        aria-valuemax={(1 - kLeast) * 100}
        onKeyDown={key}
        onPointerDown={(event) => (event.currentTarget as Element).setPointerCapture(event.pointerId)}
        onPointerMove={drag}
      />
      <div class="split-pane">{children[1]}</div>
    </div>
  );
}
