// The report: one self-contained page that shows one run.

import './page.css';
import { render } from 'preact';
import { checkView, loadRun, ViewError } from './data/run';
import { RunPage } from './run/RunPage';
import { ThemeToggle } from './theme/theme';

const page = document.getElementById('page')!;

function Broken({ error }: { error: unknown }) {
  const known = error instanceof ViewError;
  return (
    <main class="broken" role="alert">
      <h1>This report cannot be shown</h1>
      <p>
        Reason: {known ? '' : 'its data is damaged: '}
        {error instanceof Error ? error.message : String(error)}.
      </p>
      <p>Make it again with a Cradle of the same version: cradle report FILE -o report.html</p>
    </main>
  );
}

async function show() {
  try {
    const text = document.getElementById('view')?.textContent ?? '';
    const run = await loadRun(checkView(JSON.parse(text)));
    render(<RunPage run={run} corner={<ThemeToggle />} />, page);
  } catch (error) {
    render(<Broken error={error} />, page);
    throw error;
  }
}

void show();
