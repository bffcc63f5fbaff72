// Signed amounts as bars around a common zero.

import { short } from '../data/text';

export function SignedBar({ amount, largest, tone }: { amount: number; largest: number; tone: string }) {
  const share = largest > 0 && Number.isFinite(amount) ? Math.min(1, Math.abs(amount) / largest) * 50 : 0;
  return (
    <span class="signed-bar" role="img" aria-label={short(amount)}>
      <span
        class={`tone-${tone}`}
        style={{ left: `${amount < 0 ? 50 - share : 50}%`, width: `${share}%` }}
      />
    </span>
  );
}
