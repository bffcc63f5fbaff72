// The report: one self-contained page that shows one run.

import './page.css';
import { render } from 'preact';
import type { RunView } from './data/view';

const view = JSON.parse(document.getElementById('view')!.textContent!) as RunView;

render(<h1>{view.model}</h1>, document.getElementById('page')!);
