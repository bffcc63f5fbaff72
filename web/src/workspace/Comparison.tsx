// Run B against the pinned run A, in numbers.

import { short, valueText } from '../data/text';
import type { Value } from '../data/run';
import { change, differences, differs, type Difference } from './compare';
import type { Finished } from './runner';

const cell = (value: Value | null) => (value === null ? '—' : valueText(value));

function Rows({ title, list }: { title: string; list: Difference[] }) {
  if (list.length === 0) return null;
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" colSpan={4}>
          {title}
        </th>
      </tr>
      {list.map((difference) => {
        const by = change(difference);
        return (
          <tr key={difference.name} class={differs(difference) ? 'differs' : ''}>
            <th scope="row">{difference.name}</th>
            <td class="number">{cell(difference.a)}</td>
            <td class="number">{cell(difference.b)}</td>
            <td class="number">{by === null ? '' : by === 0 ? '=' : (by > 0 ? '+' : '') + short(by)}</td>
          </tr>
        );
      })}
    </tbody>
  );
}

export function Comparison({ a, b }: { a: Finished; b: Finished }) {
  const found = differences(a.run, b.run);
  return (
    <div class="comparison">
      <table data-testid="comparison">
        <thead>
          <tr>
            <th scope="col">
              <span class="dim">of each run</span>
            </th>
            <th scope="col" class="number">
              A
            </th>
            <th scope="col" class="number">
              B
            </th>
            <th scope="col" class="number">
              B − A
            </th>
          </tr>
        </thead>
        <Rows title="At the end" list={found.finals} />
        <Rows title="Events" list={found.events} />
        <Rows title="Energy" list={found.energy} />
      </table>
      {found.moreEvents > 0 && <p class="dim">{found.moreEvents} further events are not listed.</p>}
    </div>
  );
}
