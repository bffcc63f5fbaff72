// What is asked of a sweep, and one sweep at a time.

import type { RunState, SweepResult } from '../data/api';
import type { Diagnostic } from '../data/view';
import { ServerError, type Client, type SweepRequest } from './client';

export interface Varied {
  name: string;
  from: string;
  to: string;
  count: string;
  log: boolean;
}

// As the command takes it: R=1..10:20,log.
export function variation({ name, from, to, count, log }: Varied): string {
  return `${name}=${from.trim()}..${to.trim()}:${count.trim()}${log ? ',log' : ''}`;
}

// Why it cannot be asked for; empty: it can.
export function variationProblem({ name, from, to, count, log }: Varied): string {
  if (!name) return 'choose a parameter';
  if (!from.trim() || !to.trim()) return `say from where to where ${name} goes`;
  const runs = Number(count);
  if (!Number.isInteger(runs) || runs < 2 || runs > 10_000) return 'a number of values lies between 2 and 10000';
  if (log && (Number(from) <= 0 || Number(to) <= 0)) return 'on a logarithmic scale values are positive';
  return '';
}

// From half to twice of what it is now.
export function around(name: string, value: number): Varied {
  const [from, to] = value === 0 || !Number.isFinite(value) ? [0, 1] : value > 0 ? [value / 2, value * 2] : [value * 2, value / 2];
  return { name, from: String(Number(from.toPrecision(6))), to: String(Number(to.toPrecision(6))), count: '20', log: false };
}

export function sweepCommand(path: string, vary: string[], measures: string[], settings: [string, string][]): string {
  const word = (text: string) => (/^[\w./=:,+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
  const options = [
    ...settings.map(([name, value]) => `--set ${word(`${name}=${value}`)}`),
    ...vary.map((one) => `--vary ${word(one)}`),
    ...measures.map((one) => `--measure ${word(one)}`),
  ];
  return `cradle sweep ${word(path)} ${options.join(' ')} -o sweep.svg`;
}

export interface SweepListener {
  progress(state: RunState | null): void;
  finished(result: SweepResult): void;
  failed(message: string): void;
}

const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

export class Sweeper {
  private id: string | null = null;
  private turn = 0; // of the newest wish; what an older one brings is not wanted

  constructor(
    private client: Client,
    private listener: SweepListener,
  ) {}

  async want(request: SweepRequest) {
    this.drop();
    const turn = this.turn;
    try {
      this.listener.progress({ id: '', state: 'waiting', t: 0, until: null });
      const { id } = await this.client.startSweep(request);
      if (turn !== this.turn) return void this.client.discard(id).catch(() => {});
      this.id = id;
      for (;;) {
        const asked = Date.now();
        const state = await this.client.look(id);
        if (turn !== this.turn) return;
        if (state.state === 'failed') throw new ServerError(500, state.error ?? 'the sweep failed');
        if (state.state === 'finished' || state.state === 'cancelled') break;
        this.listener.progress(state);
        if (Date.now() - asked < 50) await wait(50);
      }
      const result = await this.client.sweep(id);
      if (turn === this.turn) this.listener.finished(result);
    } catch (error) {
      if (turn === this.turn) this.listener.failed(words(error));
    }
    if (turn !== this.turn) return;
    this.id = null;
    this.listener.progress(null);
  }

  // What was computed is kept and shown.
  cancel() {
    if (this.id !== null) void this.client.cancel(this.id).catch(() => {});
  }
  // Nothing of it is wanted.
  drop() {
    ++this.turn;
    if (this.id !== null) void this.client.discard(this.id).catch(() => {});
    this.id = null;
  }
}

function words(error: unknown): string {
  if (error instanceof ServerError) {
    const { diagnostics } = (error.body ?? {}) as { diagnostics?: Diagnostic[] };
    return diagnostics?.length ? diagnostics[0]!.message : error.message;
  }
  return error instanceof Error ? error.message : String(error);
}
