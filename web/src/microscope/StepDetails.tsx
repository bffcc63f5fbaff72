// All that is told about one step of an instant.

import { exact, rowText, short } from '../data/text';
import type { Run } from '../data/run';
import { toNumber } from '../data/unpack';
import { namedText } from './Guards';
import type { InstantRow } from './steps';

const causes = { relations: '', impulse: ' by an impulse', action: ' by an action' };

export function StepDetails({ run, row }: { run: Run; row: InstantRow }) {
  const { told } = row;
  if (told === null) return null;
  const bonds = told.bonds.filter(({ p, q }) => toNumber(p) !== 0 || toNumber(q) !== 0);
  const empty = told.jumps.length + told.relations.length + bonds.length + told.events.length === 0;
  const shared = run.columns.filter(({ name }) => told.shared.includes(name));
  return (
    <section class="step-details" aria-label={`Step ${rowText(run, row.row)}`}>
      <h3>
        {rowText(run, row.row)} <span class={`kind ${row.kind}`}>{row.kind}</span>{' '}
        {told.strained && <span class="kind strained">strained</span>}
      </h3>
      {told.strains.map((text) => (
        <p key={text} class="strain" data-strain={text}>
          Strain: {text}. Such a mode can be tried, and is never accepted.
        </p>
      ))}
      {shared.length > 0 && (
        <p class="dim">
          Shared: nothing but the parasitics of ideal junctions decides {shared.map(({ name }) => name).join(', ')}, so it is
          shared equally.
        </p>
      )}
      {empty && <p class="dim">No store jumps here.</p>}
      {told.events.length > 0 && <p>Present: {told.events.map(namedText).join(', ')}</p>}
      {told.jumps.length > 0 && (
        <p>
          {told.committed ? 'The state jumps: ' : 'The state would jump: '}
          {told.jumps.map(({ name, before, after, cause }, i) => (
            <span key={name} data-jump={name} data-after={exact(after)}>
              {i > 0 && ', '}
              {name} {short(before)} → <strong>{short(after)}</strong>
              {causes[cause]}
            </span>
          ))}
        </p>
      )}
      {told.relations.length > 0 && (
        <table class="relations">
          <caption>The jump is determined by</caption>
          <tbody>
            {told.relations.map(({ text, numbers }, i) => (
              <tr key={i}>
                <td>
                  <code>{text}</code>
                </td>
                <td class="dim">
                  <code>{numbers}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {told.more_relations > 0 && <p class="dim">… and {told.more_relations} more</p>}
      {bonds.length > 0 && (
        <p class="dim">
          Impulses on bonds:{' '}
          {bonds.map(({ bond, p, q }, i) => (
            <span key={bond}>
              {i > 0 && ', '}
              <code>{bond}</code> {toNumber(p) !== 0 && `p′ ${short(p)}`}
              {toNumber(p) !== 0 && toNumber(q) !== 0 && ', '}
              {toNumber(q) !== 0 && `q′ ${short(q)}`}
            </span>
          ))}
        </p>
      )}
    </section>
  );
}
