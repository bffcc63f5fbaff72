// The energy that went where at one instant.

import { exact, short } from '../data/text';
import { toNumber } from '../data/unpack';
import type { Energy, Instant } from '../data/view';
import { SignedBar } from '../tables/bars';

function verb({ kind, amount }: Energy): string {
  const positive = toNumber(amount) >= 0;
  if (kind === 'store') return positive ? 'takes' : 'gives';
  if (kind === 'source') return positive ? 'delivers' : 'takes back';
  return positive ? 'dissipates' : 'delivers';
}

const sum = (entries: Energy[], kinds: Energy['kind'][]) =>
  entries.filter(({ kind }) => kinds.includes(kind)).reduce((total, { amount }) => total + toNumber(amount), 0);

export function InstantEnergy({ instant }: { instant: Instant }) {
  const { energy } = instant;
  if (energy.length === 0) return <p class="dim">No energy changes hands at this instant.</p>;
  const largest = Math.max(...energy.map(({ amount }) => Math.abs(toNumber(amount))).filter(Number.isFinite), 0);
  const balance = toNumber(instant.balance);
  return (
    <div class="instant-energy">
      <table>
        <tbody>
          {energy.map((entry) => (
            <tr key={`${entry.name} ${entry.kind}`} data-energy={entry.name} data-amount={exact(entry.amount)}>
              <th>{entry.name}</th>
              <td class="dim">{verb(entry)}</td>
              <td class="number">{short(Math.abs(toNumber(entry.amount)))}</td>
              <td>
                <SignedBar amount={toNumber(entry.amount)} largest={largest} tone={entry.kind} />
              </td>
              <td class="dim number">
                {entry.before !== undefined && entry.after !== undefined && `${short(entry.before)} → ${short(entry.after)}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        Stored {short(instant.stored_before)} → {short(instant.stored_after)}; delivered {short(sum(energy, ['source']))}, dissipated{' '}
        {short(sum(energy, ['resistor', 'switch']))};{' '}
        {Math.abs(balance) <= 1e-9 * Math.max(largest, 1e-300) ? 'the books balance.' : `unaccounted for: ${short(balance, 3)}.`}
      </p>
    </div>
  );
}
