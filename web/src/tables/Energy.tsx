// The energy of the whole run as a balance: what was stored, what came, what went, what is left.

import './tables.css';
import { exact, short } from '../data/text';
import { toNumber } from '../data/unpack';
import type { Audit } from '../data/view';
import { SignedBar } from './bars';

const does = { store: 'stored', source: 'delivered', resistor: 'dissipated', switch: 'lost in switching' };

interface Line {
  name: string;
  key: string;
  from: number;
  to: number;
  amount: number;
  tone: string;
  level: boolean; // an amount that is there, not a change
}

function balance(audit: Audit): Line[] {
  const start = toNumber(audit.stored_start);
  const delivered = toNumber(audit.delivered);
  const dissipated = toNumber(audit.dissipated);
  const switching = toNumber(audit.dissipated_by_switching);
  const end = toNumber(audit.stored_end);
  const [a, b, c] = [start + delivered, start + delivered - dissipated, start + delivered - dissipated - switching];
  return [
    { name: 'stored at the start', key: 'stored_start', from: 0, to: start, amount: start, tone: 'store', level: true },
    { name: 'delivered', key: 'delivered', from: start, to: a, amount: delivered, tone: 'source', level: false },
    { name: 'dissipated', key: 'dissipated', from: a, to: b, amount: -dissipated, tone: 'resistor', level: false },
    { name: 'lost in switching', key: 'dissipated_by_switching', from: b, to: c, amount: -switching, tone: 'switch', level: false },
    { name: 'stored at the end', key: 'stored_end', from: 0, to: end, amount: end, tone: 'store', level: true },
  ];
}

const signed = (amount: number) => (amount > 0 ? `+${short(amount)}` : short(amount));

export function EnergyBalance({ audit }: { audit: Audit | null }) {
  if (audit === null || audit.entries.length === 0) return <p class="dim">No energy: the model has no bond graph.</p>;
  const lines = balance(audit);
  const low = Math.min(0, ...lines.flatMap(({ from, to }) => [from, to]));
  const high = Math.max(0, ...lines.flatMap(({ from, to }) => [from, to]));
  const place = (value: number) => (high > low ? ((value - low) / (high - low)) * 100 : 0);
  const entries = audit.entries.map((entry) => ({ ...entry, flowing: toNumber(entry.flowing), jumping: toNumber(entry.jumping) }));
  const largest = Math.max(0, ...entries.flatMap(({ flowing, jumping }) => [Math.abs(flowing), Math.abs(jumping)]).filter(Number.isFinite));
  return (
    <div class="energy">
      <div class="waterfall" role="table" aria-label="Energy balance">
        {lines.map(({ name, key, from, to, amount, tone, level }) => (
          <div class="waterfall-line" role="row" key={key} data-energy={key} data-value={exact(amount)}>
            <span role="rowheader">{name}</span>
            <span class="waterfall-track" role="presentation">
              <span
                class={`tone-${tone}`}
                style={{ left: `${place(Math.min(from, to))}%`, width: `${from === to ? 0 : Math.max(0.4, Math.abs(place(to) - place(from)))}%` }}
              />
            </span>
            <span class="number" role="cell">
              {level ? short(amount) : signed(amount)}
            </span>
          </div>
        ))}
      </div>
      <p class={Math.abs(toNumber(audit.residual)) > 1e-6 * Math.max(1e-12, high - low) ? 'bad' : 'dim'}>
        Unaccounted for: <span data-energy="residual">{short(audit.residual, 3)}</span>
      </p>
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Energy by element">
        <table class="grid">
          <thead>
            <tr>
              <th>element</th>
              <th>energy</th>
              <th class="number">flowing</th>
              <th />
              <th class="number">jumping</th>
              <th />
            </tr>
          </thead>
          <tbody>
            {entries.map(({ name, kind, flowing, jumping }) => (
              <tr key={name} data-name={name}>
                <th>{name}</th>
                <td>{does[kind] ?? kind}</td>
                <td class="number">{short(flowing)}</td>
                <td>
                  <SignedBar amount={flowing} largest={largest} tone={kind} />
                </td>
                <td class="number">{short(jumping)}</td>
                <td>
                  <SignedBar amount={jumping} largest={largest} tone={kind} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
