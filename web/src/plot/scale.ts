// The range of values that a panel shows.

import { makeAxis, type Axis } from './ticks';
import type { Trace } from './trace';

const kCrushed = 5; // times the range of what was committed
const kMargin = 0.07; // of the range, above and below
const kLeast = 1e-304; // below, numbers have too few digits for an axis

export interface Scale {
  low: number;
  high: number;
  // Impulses have an axis of their own, whose zero stands where that of the values stands; null
  // where there are none in sight.
  weights: WeightScale | null;
  beyond: boolean; // there are tried values that have no place
  axis: Axis;
}

export interface WeightScale {
  low: number;
  high: number;
  axis: Axis;
}

const kAir = 1.15; // above the longest arrow, for its number
const kHardly = 1e-3; // of the largest impulse in sight: hardly there, and shall look so

export const largestWeight = (traces: Trace[]) =>
  traces.reduce((most, { arrows }) => arrows.reduce((m, { weight }) => Math.max(m, Math.abs(weight)), most), 0);

// The least axis with this share of zero that holds both.
function stretched(zero: number, low: number, high: number): [number, number] {
  const length = Math.max(zero > 0 ? -low / zero : 0, zero < 1 ? high / (1 - zero) : 0);
  return [-zero * length, (1 - zero) * length];
}

// Arrows stand on zero. `among`: the largest impulse of the panels that are seen together.
export function scaleFor(traces: Trace[], height: number, among = 0): Scale {
  let low = Infinity;
  let high = -Infinity;
  let [least, most] = [0, 0]; // weights
  for (const trace of traces) {
    low = Math.min(low, trace.low);
    high = Math.max(high, trace.high);
    for (const { weight } of trace.arrows) {
      least = Math.min(least, kAir * weight);
      most = Math.max(most, kAir * weight);
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
  const struck = least < most;
  if (struck && Math.max(most, -least) < kHardly * among) {
    if (most > 0) most = among;
    else least = -among;
  }
  if (low > high) [low, high] = struck ? [0, 0] : [0, 1];
  if (struck) {
    [low, high] = [Math.min(low, 0), Math.max(high, 0)];
    if (high - low < kLeast) [low, high] = [least < 0 ? -1 : 0, most > 0 ? 1 : 0];
    const below = Math.max(-low / (high - low), -least / (most - least));
    const above = Math.max(high / (high - low), most / (most - least));
    const zero = below / (below + above);
    [low, high] = stretched(zero, low, high);
    [least, most] = stretched(zero, least, most);
  }
  // What differs by rounding only is a flat line, shown with zero.
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= 1e-9 * size) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  if (high - low < kLeast) [low, high] = [-1, 1];
  const ticks = Math.max(3, Math.floor(height / 27));
  const wider = (from: number, to: number): [number, number] => [from - kMargin * (to - from), to + kMargin * (to - from)];
  [low, high] = wider(low, high);
  [least, most] = wider(least, most);
  const weights = struck ? { low: least, high: most, axis: makeAxis(least, most, ticks) } : null;
  return { low, high, weights, beyond, axis: makeAxis(low, high, ticks) };
}
