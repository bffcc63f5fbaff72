// What one looks at stays where it is while the page above it grows and shrinks. Browsers do that for
// what is scrolled past, but not all of them, and none for all.

// The box that scrolls an element.
export function scrollerOf(element: Element): Element {
  for (let box = element.parentElement; box !== null; box = box.parentElement) {
    const { overflowY } = getComputedStyle(box);
    if (/(auto|scroll)/.test(overflowY) && box.scrollHeight > box.clientHeight) return box;
  }
  return document.scrollingElement ?? document.documentElement;
}

// Holds it until it is told to let go; `look` is called whenever something may have moved.
export function hold(element: Element): { look: () => void; letGo: () => void } {
  const scroller = scrollerOf(element) as HTMLElement;
  const anchor = scroller.style.overflowAnchor;
  scroller.style.overflowAnchor = 'none'; // else both would move it
  const place = () => element.getBoundingClientRect().top + scroller.scrollTop;
  let before = place();
  return {
    look() {
      const now = place();
      if (now !== before) scroller.scrollTop += now - before;
      before = place();
    },
    letGo() {
      scroller.style.overflowAnchor = anchor;
    },
  };
}

// All of it in sight, or as much as there is room for, from its top.
export function show(element: Element) {
  const { top, bottom } = element.getBoundingClientRect();
  if (top >= 0 && bottom <= window.innerHeight) return;
  element.scrollIntoView({ block: bottom - top > window.innerHeight ? 'start' : 'nearest', behavior: 'auto' });
}
