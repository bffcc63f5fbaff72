// The part of time that is in sight.

export class Sight {
  from: number;
  to: number;

  constructor(
    readonly least: number,
    readonly most: number,
  ) {
    this.from = least;
    this.to = most > least ? most : least + 1;
  }

  get whole() {
    return this.from <= this.least && this.to >= this.most;
  }
  get span() {
    return this.to - this.from;
  }

  // By a factor, around a time that stays where it is.
  zoom(factor: number, around: number) {
    const share = (around - this.from) / this.span;
    const span = this.span * factor;
    this.set(around - share * span, around + (1 - share) * span);
  }
  pan(by: number) {
    this.set(this.from + by, this.to + by);
  }
  reset() {
    this.set(this.least, this.most);
  }
  // Within what there is, and no closer than numbers can tell apart.
  set(from: number, to: number) {
    const full = Math.max(this.most - this.least, 0) || 1;
    const least = Math.max(1e-12 * Math.max(Math.abs(this.least), Math.abs(this.most)), full * 1e-12);
    const span = Math.min(Math.max(to - from, least), full);
    const middle = (from + to) / 2;
    from = Math.min(Math.max(middle - span / 2, this.least), this.least + full - span);
    this.from = from;
    this.to = from + span;
  }
  // So that a time can be seen.
  reveal(t: number) {
    if (t < this.from || t > this.to) this.set(t - this.span / 2, t + this.span / 2);
  }
}
