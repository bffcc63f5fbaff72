// The studio: write, run, look. Served by the binary, which answers under /api.

import './page.css';
import { render } from 'preact';

render(<h1>Cradle</h1>, document.getElementById('page')!);
