import { useEffect, useReducer } from 'preact/hooks';
import type { Workspace } from './workspace';

// Draws a component again when the workspace has changed.
export function useWorkspace(workspace: Workspace): Workspace {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  useEffect(() => workspace.listen(() => redraw(0)), [workspace]);
  return workspace;
}
