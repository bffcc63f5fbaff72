// The studio: write, run, look. Served by the binary, which answers under /api.

import './page.css';
import { render } from 'preact';
import { takeToken } from './data/token';
import { Studio } from './workspace/Studio';
import { Workspace } from './workspace/workspace';

const workspace = new Workspace(takeToken(location, history, sessionStorage));
render(<Studio workspace={workspace} />, document.getElementById('page')!);
void workspace.begin();
