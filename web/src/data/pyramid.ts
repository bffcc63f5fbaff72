// The least and the largest value of any stretch of rows, in time that grows with its logarithm:
// extremes of blocks, of blocks of blocks, and so on. Built once per column.

const kBlock = 32;
const kFan = 8;
// Larger ones are infinite to anyone who looks at a picture (and twice that is still a number).
export const kLargest = 1e300;

export interface Extremes {
  low: number;
  high: number; // low > high: there is nothing
}

interface Level {
  size: number; // rows in one block
  low: Float64Array;
  high: Float64Array;
}

export class Pyramid {
  private levels: Level[] = [];

  // `leftOut`: rows that do not count.
  constructor(
    private values: Float64Array,
    private leftOut: (row: number) => boolean = () => false,
  ) {
    let size = kBlock;
    let below: Level | null = null;
    while (size < values.length) {
      below = below === null ? this.base(size) : this.above(below, size);
      this.levels.push(below);
      size *= kFan;
    }
  }

  // Over rows [first, last].
  extremes(first: number, last: number): Extremes {
    const found = { low: Infinity, high: -Infinity };
    let row = Math.max(0, first);
    const end = Math.min(last + 1, this.values.length);
    while (row < end) {
      let level = -1;
      while (level + 1 < this.levels.length) {
        const { size } = this.levels[level + 1];
        if (row % size !== 0 || row + size > end) break;
        level += 1;
      }
      if (level < 0) {
        this.take(row, found);
        row += 1;
      } else {
        const { size, low, high } = this.levels[level];
        const block = row / size;
        if (low[block] < found.low) found.low = low[block];
        if (high[block] > found.high) found.high = high[block];
        row += size;
      }
    }
    return found;
  }

  private take(row: number, found: Extremes) {
    const value = this.values[row];
    if (!(Math.abs(value) <= kLargest) || this.leftOut(row)) return;
    if (value < found.low) found.low = value;
    if (value > found.high) found.high = value;
  }

  private base(size: number): Level {
    const count = Math.floor(this.values.length / size);
    const level = { size, low: new Float64Array(count), high: new Float64Array(count) };
    for (let block = 0; block < count; ++block) {
      const found = { low: Infinity, high: -Infinity };
      for (let row = block * size; row < (block + 1) * size; ++row) this.take(row, found);
      level.low[block] = found.low;
      level.high[block] = found.high;
    }
    return level;
  }

  private above(below: Level, size: number): Level {
    const count = Math.floor(below.low.length / kFan);
    const level = { size, low: new Float64Array(count), high: new Float64Array(count) };
    for (let block = 0; block < count; ++block) {
      const parts = [block * kFan, (block + 1) * kFan] as const;
      level.low[block] = Math.min(...below.low.subarray(...parts));
      level.high[block] = Math.max(...below.high.subarray(...parts));
    }
    return level;
  }
}
