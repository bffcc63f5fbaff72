// Text as HTML.

export function escape(text) {
  return String(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** The anchor of a heading, as GitHub makes it; `taken` keeps those of one page apart. */
export function slug(text, taken = new Map()) {
  const base = text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
  const count = taken.get(base) ?? 0;
  taken.set(base, count + 1);
  return count ? `${base}-${count}` : base;
}
