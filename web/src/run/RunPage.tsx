// Everything there is to see of one run, laid out. The report shows it alone, the studio beside its
// editor.

import { useMemo } from 'preact/hooks';
import { Cursor } from '../data/cursor';
import type { GoTo } from '../data/place';
import type { Run } from '../data/run';

export interface RunPageProps {
  run: Run;
  // Where one looks; without it the page keeps its own.
  cursor?: Cursor;
  // Overlaid in the plots.
  compare?: Run;
  // Who shows places in the source instead of this page (the studio's editor).
  goTo?: GoTo;
  // Without source, parameters and command: the studio has them in its editor.
  brief?: boolean;
}

export function RunPage({ run, cursor }: RunPageProps) {
  const own = useMemo(() => cursor ?? new Cursor(run), [run, cursor]);
  return <p>{own.run.view.model}</p>;
}
