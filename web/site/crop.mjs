// A drawing of a graph without the empty paper around it, so that its text is large enough on a page.
//
// `cradle draw` fills 1280 × 720. A page is narrower, and most graphs are smaller: the content moves
// below the heading, the keys of the legend below the content, in as many rows as they need.

const EDGE = 24;
const HEADING = 72; // where the content begins
const ROW = 22; // of the legend
const NARROWEST = 480;

const number = (tag, name) => Number(new RegExp(`\\s${name}="(-?[\\d.]+)"`).exec(tag)?.[1] ?? NaN);

/** The box around all shapes and texts of a piece of SVG; null if there are none. */
export function bounds(svg) {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  const add = (left, top, right, bottom) => {
    box.left = Math.min(box.left, left);
    box.top = Math.min(box.top, top);
    box.right = Math.max(box.right, right);
    box.bottom = Math.max(box.bottom, bottom);
  };
  for (const [, name, attributes, text] of svg.matchAll(/<(rect|circle|path|text)\b([^>]*)>([^<]*)/g)) {
    const of = (attribute) => number(attributes, attribute);
    if (name === 'rect') add(of('x'), of('y'), of('x') + of('width'), of('y') + of('height'));
    if (name === 'circle') add(of('cx') - of('r'), of('cy') - of('r'), of('cx') + of('r'), of('cy') + of('r'));
    if (name === 'path') {
      const numbers = [...(/\sd="([^"]*)"/.exec(attributes)?.[1] ?? '').matchAll(/-?[\d.]+/g)].map((m) => Number(m[0]));
      for (let i = 0; i + 1 < numbers.length; i += 2) add(numbers[i], numbers[i + 1], numbers[i], numbers[i + 1]);
    }
    if (name === 'text') {
      const classes = /class="([^"]*)"/.exec(attributes)?.[1].split(' ') ?? [];
      const size = classes.includes('heading') ? 18 : classes.includes('small') ? 11 : 13;
      const letters = [...text.replace(/&\w+;/g, 'x')].length;
      const width = letters * size * (size === 18 ? 0.66 : 0.58);
      const left = classes.some((c) => c === 'start' || c === 'heading') ? of('x') : of('x') - width / 2;
      add(left, of('y') - size, left + width, of('y') + size / 3);
    }
  }
  return Object.values(box).every(Number.isFinite) ? box : null;
}

/** The drawing, cropped; unchanged if it is not built as expected. */
export function crop_drawing(svg) {
  const parts = /^([\s\S]*?<rect class="paper"[^>]*>\n)(<text class="heading"[^>]*>[^<]*<\/text>\n(?:<g class="mode">[\s\S]*?<\/g>\n)?)([\s\S]*)(<g class="legend">\n)([\s\S]*?)(<\/g>\n<\/svg>\s*)$/.exec(svg);
  if (!parts || /\stransform=/.test(svg)) return svg;
  const [, head, heading, content, legend, keys, end] = parts;
  const box = bounds(content);
  const title = bounds(heading);
  const items = keys.trimEnd().split('\n').filter(Boolean).map((text) => ({ text, box: bounds(text) }));
  if (!box || !title || items.some((item) => !item.box)) return svg;

  const width = Math.ceil(Math.max(NARROWEST, title.right + EDGE, box.right - box.left + 2 * EDGE));
  const dx = (width - (box.right - box.left)) / 2 - box.left;
  const dy = HEADING - box.top;
  let x = EDGE;
  let y = Math.ceil(box.bottom + dy) + EDGE;
  const placed = items.map(({ text, box: { left, right } }) => {
    if (x > EDGE && x + right - left > width - EDGE) {
      x = EDGE;
      y += ROW;
    }
    const moved = `<g transform="translate(${(x - left).toFixed(1)},${(y - items[0].box.top).toFixed(1)})">${text}</g>`;
    x += right - left + EDGE;
    return moved;
  });
  const height = y + ROW + EDGE / 2;
  const sized = head
    .replace(/width="[\d.]+" height="[\d.]+" viewBox="[^"]*"/, `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`)
    .replace(/<rect class="paper"[^>]*>/, `<rect class="paper" width="${width}" height="${height}"/>`);
  return `${sized}${heading}<g transform="translate(${dx.toFixed(1)},${dy.toFixed(1)})">\n${content}</g>\n${legend}${placed.join('\n')}\n${end}`;
}
