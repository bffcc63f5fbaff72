// Places of diagnostics are lines and columns from 1, columns in code points; the editor counts
// UTF-16 units from 0 and ends lines at \n alone, as the binary does.

export interface Place {
  line?: number;
  column?: number;
  end_line?: number;
  end_column?: number;
}

// Of each line, where it begins.
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

export function offsetOf(text: string, starts: number[], line: number, column: number): number {
  if (line < 1) return 0;
  if (line > starts.length) return text.length;
  const end = line < starts.length ? starts[line]! - 1 : text.length;
  let at = starts[line - 1]!;
  for (let left = column - 1; left > 0 && at < end; --left) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return Math.min(at, end);
}

// Never empty where there is something to mark, so that it can be seen.
export function rangeOf(text: string, starts: number[], place: Place): { from: number; to: number } {
  const line = place.line ?? 1;
  const column = place.column ?? 1;
  const from = offsetOf(text, starts, line, column);
  const to = offsetOf(text, starts, place.end_line ?? line, place.end_column ?? column + 1);
  if (to > from) return { from, to };
  if (from < text.length && text[from] !== '\n') return { from, to: from + 1 };
  return from > 0 && text[from - 1] !== '\n' ? { from: from - 1, to: from } : { from, to: from };
}

export function columnOf(text: string, starts: number[], offset: number): { line: number; column: number } {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: [...text.slice(starts[low], offset)].length + 1 };
}

// Where a place of `old` is in a text that differs in its spaces only: behind as many characters, and
// before the same one.
export function sameBesideSpace(old: string, text: string, offset: number): number {
  let left = old.slice(0, offset).replace(/\s/g, '').length;
  let at = 0;
  for (; left > 0 && at < text.length; ++at) if (/\S/.test(text[at]!)) left -= 1;
  if (/\S/.test(old[offset] ?? '')) while (at < text.length && /\s/.test(text[at]!)) at += 1;
  return at;
}
