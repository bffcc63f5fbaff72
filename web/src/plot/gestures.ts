// Wheel, drag, box and pinch on the plot. What is not for the plot is left to the page: at full
// extent a wheel scrolls on.

import type { Stage } from './stage';

export interface Gestures {
  changed(): void; // the stretch of time in sight
  point(x: number | null): void; // hovering
  pick(x: number): void; // a click or tap
  box(from: number | null, to: number): void; // being drawn; null: done
}

const kClick = 4; // pixels: less is no drag

export function listen(element: HTMLElement, stage: Stage, on: Gestures): () => void {
  const { sight } = stage;
  const pointers = new Map<number, number>(); // x by pointer
  let dragged = 0;
  let boxFrom: number | null = null;
  let scrolling = 0; // when the page was last scrolled by a wheel over the plot
  const xOf = (event: MouseEvent) => event.clientX - element.getBoundingClientRect().left;

  const wheel = (event: WheelEvent) => {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const mine = event.ctrlKey || !sight.whole || element.contains(document.activeElement) || window.scrollY === 0;
    const idle = sight.whole && (sideways || event.deltaY > 0);
    if (!event.ctrlKey && (!mine || idle || event.timeStamp - scrolling < 300)) {
      scrolling = event.timeStamp;
      return;
    }
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 18 : 1;
    if (sideways) {
      sight.pan(((event.deltaX * unit) / (stage.right - stage.left)) * sight.span);
    } else {
      const delta = Math.max(-240, Math.min(240, event.deltaY * unit));
      sight.zoom(Math.exp(delta / 300), stage.timeAt(xOf(event)));
    }
    on.changed();
  };

  const down = (event: PointerEvent) => {
    if (event.button !== 0 || (event.target as HTMLElement).closest('button, label, a')) return;
    pointers.set(event.pointerId, xOf(event));
    dragged = 0;
    if (pointers.size === 1 && event.shiftKey) boxFrom = xOf(event);
  };

  const move = (event: PointerEvent) => {
    const x = xOf(event);
    const before = pointers.get(event.pointerId);
    if (before === undefined) {
      if (event.pointerType === 'mouse') on.point(x);
      return;
    }
    const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    if (others.length > 0) {
      const [old, now] = [Math.abs(before - others[0]), Math.abs(x - others[0])];
      if (old > 8 && now > 8) sight.zoom(old / now, stage.timeAt((x + others[0]) / 2));
    }
    dragged += Math.abs(x - before);
    if (dragged > kClick && !element.hasPointerCapture(event.pointerId)) element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, x);
    if (boxFrom !== null) return on.box(boxFrom, x);
    if (dragged > kClick) {
      sight.pan((((before - x) / (stage.right - stage.left)) * sight.span) / pointers.size);
      on.changed();
    }
  };

  const up = (event: PointerEvent) => {
    if (!pointers.delete(event.pointerId)) return;
    const x = xOf(event);
    if (boxFrom !== null && Math.abs(x - boxFrom) > kClick) {
      const [a, b] = [boxFrom, x].sort((p, q) => p - q).map((at) => stage.timeAt(at));
      sight.set(a, b);
      on.changed();
    } else if (event.type === 'pointerup' && dragged <= kClick && pointers.size === 0) {
      on.pick(x);
    }
    boxFrom = null;
    on.box(null, 0);
  };
  const leave = () => on.point(null);

  element.addEventListener('wheel', wheel, { passive: false });
  element.addEventListener('pointerdown', down);
  element.addEventListener('pointermove', move);
  element.addEventListener('pointerup', up);
  element.addEventListener('pointercancel', up);
  element.addEventListener('pointerleave', leave);
  return () => {
    element.removeEventListener('wheel', wheel);
    element.removeEventListener('pointerdown', down);
    element.removeEventListener('pointermove', move);
    element.removeEventListener('pointerup', up);
    element.removeEventListener('pointercancel', up);
    element.removeEventListener('pointerleave', leave);
  };
}
