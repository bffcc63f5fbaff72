// Binary searches in ascending lists.

interface Ascending {
  readonly length: number;
  readonly [index: number]: number;
}

// The first index in [from, to) whose value is not less; `to` if there is none.
export function lowerBound(list: Ascending, value: number, from = 0, to = list.length): number {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (list[middle] < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

// The first index in [from, to) whose value is greater; `to` if there is none.
export function upperBound(list: Ascending, value: number, from = 0, to = list.length): number {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (list[middle] <= value) from = middle + 1;
    else to = middle;
  }
  return from;
}
