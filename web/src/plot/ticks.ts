// Where an axis has its ticks, and what stands at them.

export interface Axis {
  ticks: number[];
  labels: string[];
  // What all labels leave out: "×10⁻³", "from 1.25".
  note: string;
}

// The least of 1, 2, 5 times a power of ten that is no less.
export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5]) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

export function powerOfTen(exponent: number): string {
  if (exponent === 0) return '';
  const digits = [...String(Math.abs(exponent))].map((digit) => superscripts[Number(digit)]).join('');
  return `×10${exponent < 0 ? '⁻' : ''}${digits}`;
}

function exponentFor(largest: number): number {
  if (!(largest > 0)) return 0;
  const digits = Math.floor(Math.log10(largest) + 1e-9);
  return digits > -4 && digits < 5 ? 0 : 3 * Math.floor(digits / 3);
}

// Where the ticks are so dense that they agree in more digits than a label has room for, labels
// count from a round number, which the note names.
function baseFor(low: number, high: number, step: number): number {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size / step < 1e5) return 0;
  const coarse = niceStep((high - low) * 2);
  return Math.floor(low / coarse) * coarse;
}

export function makeAxis(low: number, high: number, most: number): Axis {
  if (!(high > low)) high = low + Math.max(1, Math.abs(low));
  let step = niceStep((high - low) / Math.max(1, most));
  // One tick alone tells no scale, and two not whether it is even.
  for (let i = 0; i < 6 && Math.floor(high / step + 1e-9) - Math.ceil(low / step - 1e-9) < 2; ++i) {
    step = niceStep(step / 2.5);
  }
  const base = baseFor(low, high, step);
  const largest = Math.max(Math.abs(low - base), Math.abs(high - base));
  const exponent = exponentFor(largest);
  const unit = 10 ** exponent;
  const decimals = Math.min(15, Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9)));
  const axis: Axis = { ticks: [], labels: [], note: powerOfTen(exponent) };
  if (base !== 0) {
    const digits = Math.min(17, Math.ceil(Math.log10(Math.abs(base) / (high - low))) + 2);
    axis.note = `${axis.note} + ${Number(base.toPrecision(digits))}`.trim();
  }
  const first = Math.ceil((low - base) / step - 1e-9);
  for (let i = 0; i < 200; ++i) {
    const offset = (first + i) * step;
    if (base + offset > high + 1e-9 * step) break;
    axis.ticks.push(base + offset);
    const shown = Math.abs(offset) < 1e-9 * step ? 0 : offset / unit;
    axis.labels.push(shown.toFixed(decimals).replace('-', '−'));
  }
  return axis;
}
