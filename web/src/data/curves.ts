// How columns go between rows: the dense output of the solver, as Chebyshev series on stretches of
// time that all columns share. In order of time, without overlap; where there is none, a straight
// line between two rows has to do.

import { upperBound } from './search';

export const kNoCurve = 255;

export class Curve {
  private first: Uint32Array; // by stretch: its first coefficient

  constructor(
    private begins: Float64Array,
    private ends: Float64Array,
    private degrees: Uint8Array,
    private coefficients: Float64Array,
  ) {
    this.first = new Uint32Array(degrees.length);
    let next = 0;
    degrees.forEach((degree, stretch) => {
      this.first[stretch] = next;
      if (degree !== kNoCurve) next += degree + 1;
    });
  }

  // NaN where there is no curve.
  at(t: number): number {
    const stretch = upperBound(this.begins, t) - 1;
    if (stretch < 0 || t > this.ends[stretch] || this.degrees[stretch] === kNoCurve) return NaN;
    const begin = this.begins[stretch];
    const end = this.ends[stretch];
    const x = end > begin ? 2 * ((t - begin) / (end - begin)) - 1 : 0;
    const first = this.first[stretch];
    let [ahead, now] = [0, 0]; // Clenshaw's recurrence
    for (let k = this.degrees[stretch]; k > 0; --k) {
      [ahead, now] = [now, 2 * x * now - ahead + this.coefficients[first + k]];
    }
    return x * now - ahead + this.coefficients[first];
  }
}
