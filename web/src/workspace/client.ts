// The server, as api.ts has it.

import type { Check, FileText, Folder, RunState, SweepResult } from '../data/api';
import type { Diagnostic, RunView } from '../data/view';

export class ServerError extends Error {
  constructor(
    readonly status: number, // 0: it did not answer
    message: string,
    readonly body: unknown = null,
  ) {
    super(message);
  }
  get unreachable() {
    return this.status === 0;
  }
  // The token is of another start of the server.
  get refused() {
    return this.status === 401;
  }
}

export interface RunRequest {
  path: string;
  text: string;
  settings: { name: string; value: string }[];
}

export interface SweepRequest extends RunRequest {
  vary: string[];
  measure: string[];
  dark: boolean;
}

export class Client {
  constructor(
    private token: string,
    private tab: string, // no two pages have the same
    private heard: (error: ServerError | null) => void, // after each answer: whether there was one
  ) {}

  private async ask<T>(method: string, address: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    let response: Response;
    try {
      response = await fetch(address, {
        method,
        headers: { 'X-Cradle-Token': this.token, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
        cache: 'no-store',
        keepalive: method === 'DELETE', // also from a page that is being left
      });
    } catch (cause) {
      if (signal?.aborted) throw cause;
      const error = new ServerError(0, 'the server does not answer');
      this.heard(error);
      throw error;
    }
    const answer: unknown = await response.json().catch(() => null);
    if (response.ok) {
      this.heard(null);
      return answer as T;
    }
    const said = (answer as { error?: string } | null)?.error;
    const error = new ServerError(response.status, said ?? `the server answers ${response.status}`, answer);
    this.heard(error.refused ? error : null);
    throw error;
  }

  folder = () => this.ask<Folder>('GET', '/api/folder');
  read = (path: string) => this.ask<FileText>('GET', `/api/file?path=${encodeURIComponent(path)}`);
  save = (path: string, text: string, stamp: string | null) => this.ask<FileText>('PUT', '/api/file', { path, text, ...(stamp === null ? {} : { stamp }) });
  create = (path: string) => this.ask<FileText>('POST', '/api/new', { path });
  check = (path: string, text: string, signal?: AbortSignal) => this.ask<Check>('POST', '/api/check', { path, text }, signal);
  format = (path: string, text: string) => this.ask<{ text?: string; diagnostics?: Diagnostic[] }>('POST', '/api/format', { path, text });
  start = (request: RunRequest) => this.ask<{ id: string }>('POST', '/api/run', { ...request, tab: this.tab });
  look = (id: string) => this.ask<RunState>('GET', `/api/run/${id}`);
  view = (id: string) => this.ask<RunView>('GET', `/api/run/${id}/view`);
  startSweep = (request: SweepRequest) => this.ask<{ id: string }>('POST', '/api/sweep', { ...request, tab: this.tab });
  sweep = (id: string) => this.ask<SweepResult>('GET', `/api/run/${id}/view`);
  cancel = (id: string) => this.ask<unknown>('DELETE', `/api/run/${id}`);
  discard = (id: string) => this.ask<unknown>('DELETE', `/api/run/${id}?discard=yes`);
}
