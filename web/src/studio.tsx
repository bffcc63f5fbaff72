// The studio: write, run, look. Served by the binary, which answers under /api.

import './page.css';
import { render } from 'preact';
import { Studio } from './workspace/Studio';
import { Workspace } from './workspace/workspace';

// The token stays in the address: the server wants it there again when the page is reloaded.
const workspace = new Workspace(new URLSearchParams(location.search).get('token') ?? '');
render(<Studio workspace={workspace} />, document.getElementById('page')!);
void workspace.begin();
