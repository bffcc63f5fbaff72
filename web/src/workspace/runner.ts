// One run at a time. While one goes on, the newest wish waits for it; a run that others wait for is
// cancelled when it has had its time, so that dragging a slider shows quick runs as it goes and does
// not queue up slow ones.

import type { RunState } from '../data/api';
import { loadRun, type Run } from '../data/run';
import type { Diagnostic } from '../data/view';
import { ServerError, type Client, type RunRequest } from './client';
import { runName, type Settings } from './settings';

export interface Wish {
  path: string;
  text: string;
  settings: Settings;
}

export interface Finished {
  run: Run;
  name: string;
  wish: Wish;
  cancelled: boolean;
}

export interface RunnerListener {
  progress(state: RunState | null): void; // null: nothing is running
  finished(result: Finished): void;
  failed(message: string, diagnostics: Diagnostic[]): void;
}

const kPatience = 600; // ms that a run has left when another waits

const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

export class Runner {
  private busy = false;
  private next: Wish | null = null;
  private id: string | null = null;
  private begun = 0;
  private stopped = false; // it was cancelled, perhaps before the server has named it
  private given = false; // the present run was given up: nobody wants its result
  private release = () => {}; // whoever waits for the present run waits no longer
  private hurry: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private client: Client,
    private listener: RunnerListener,
  ) {}

  want(wish: Wish) {
    this.next = wish;
    if (!this.busy) void this.work();
    else this.hurry ??= setTimeout(() => this.giveUp(), Math.max(0, kPatience - (Date.now() - this.begun)));
  }

  // What was computed is kept and shown.
  cancel() {
    this.next = null;
    this.stopped = true;
    this.clearHurry();
    if (this.id !== null) void this.client.cancel(this.id).catch(() => {});
  }

  // Of another document: nothing of it is wanted.
  drop() {
    this.next = null;
    if (this.busy) this.giveUp();
  }

  private giveUp() {
    this.clearHurry();
    this.given = true;
    this.release();
    if (this.id !== null) void this.client.discard(this.id).catch(() => {});
  }
  private clearHurry() {
    if (this.hurry !== null) clearTimeout(this.hurry);
    this.hurry = null;
  }

  private async work() {
    this.busy = true;
    while (this.next) {
      const wish: Wish = this.next;
      this.next = null;
      this.given = false;
      this.stopped = false;
      this.begun = Date.now();
      try {
        await this.one(wish);
      } catch (error) {
        if (!this.given) this.report(error);
      }
      this.id = null;
      this.clearHurry();
    }
    this.busy = false;
    this.listener.progress(null);
  }

  private async one(wish: Wish) {
    this.listener.progress({ id: '', state: 'waiting', t: 0, until: null });
    const { id } = await this.client.start(request(wish));
    this.id = id;
    if (this.given) return void this.client.discard(id).catch(() => {});
    if (this.stopped) await this.client.cancel(id);
    const givenUp = new Promise<null>((done) => (this.release = () => done(null)));
    while (!this.given) {
      const asked = Date.now();
      const state = await Promise.race([this.client.look(id), givenUp]);
      if (state === null) return; // a run that is slow to end does not hold up the next
      if (state.state === 'failed') throw new ServerError(500, state.error ?? 'the run failed');
      if (state.state === 'finished' || state.state === 'cancelled') {
        this.listener.progress(state); // its view is fetched and unpacked
        const run = await loadRun(await this.client.view(id));
        if (!this.given) this.listener.finished({ run, name: runName(wish.settings), wish, cancelled: state.state === 'cancelled' });
        return;
      }
      this.listener.progress(state);
      if (Date.now() - asked < 50) await wait(50);
    }
  }

  private report(error: unknown) {
    if (error instanceof ServerError) {
      const { diagnostics } = (error.body ?? {}) as { diagnostics?: Diagnostic[] };
      this.listener.failed(diagnostics?.length ? '' : error.message, diagnostics ?? []);
    } else {
      this.listener.failed(error instanceof Error ? error.message : String(error), []);
    }
  }
}

function request({ path, text, settings }: Wish): RunRequest {
  return { path, text, settings: Object.entries(settings).map(([name, value]) => ({ name, value: String(value) })) };
}
