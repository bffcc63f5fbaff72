// The range of values that a panel shows.

import { makeAxis, type Axis } from './ticks';
import type { Trace } from './trace';

const kCrushed = 5; // times the range of what was committed
const kMargin = 0.07; // of the range, above and below
const kLeast = 1e-304; // below, numbers have too few digits for an axis

export interface Scale {
  low: number;
  high: number;
  largest: number; // weight of an impulse in sight
  weightsOnAxis: boolean; // all values are zero, so the axis shows the weights
  beyond: boolean; // there are tried values that have no place
  axis: Axis;
}

// Arrows stand on zero and need at least a part of the panel on their side of it.
export function scaleFor(traces: Trace[], height: number): Scale {
  let low = Infinity;
  let high = -Infinity;
  let largest = 0;
  let [up, down] = [false, false];
  for (const trace of traces) {
    low = Math.min(low, trace.low);
    high = Math.max(high, trace.high);
    for (const { weight } of trace.arrows) {
      largest = Math.max(largest, Math.abs(weight));
      if (weight > 0) up = true;
      else down = true;
    }
  }
  // What was only tried has its place, unless it would crush the rest.
  const tried = {
    low: Math.min(...traces.map(({ triedLow }) => triedLow)),
    high: Math.max(...traces.map(({ triedHigh }) => triedHigh)),
  };
  if (tried.low <= tried.high && !(tried.high - tried.low > kCrushed * (high - low) && high > low)) {
    [low, high] = [tried.low, tried.high];
  }
  const beyond = tried.low < low || tried.high > high;
  if (low > high) [low, high] = up || down ? [0, 0] : [0, 1];
  let weightsOnAxis = false;
  if (up || down) {
    [low, high] = [Math.min(low, 0), Math.max(high, 0)];
    const share = 0.45 / 0.55;
    const [rise, fall] = [high, -low];
    if (up) high = Math.max(rise, share * fall);
    if (down) low = -Math.max(fall, share * rise);
    if (high === low) {
      weightsOnAxis = true;
      high = up ? 1.2 * largest : 0;
      low = down ? -1.2 * largest : 0;
    }
  }
  // What differs by rounding only is a flat line, shown with zero.
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= 1e-9 * size) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  if (high - low < kLeast) [low, high] = [-1, 1];
  const margin = kMargin * (high - low);
  low -= margin;
  high += margin;
  return { low, high, largest, weightsOnAxis, beyond, axis: makeAxis(low, high, Math.max(3, Math.floor(height / 27))) };
}
