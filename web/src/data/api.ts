// What the studio's server answers (src/app/studio). Every request carries the token of the page's
// address in the header X-Cradle-Token; a wrong one is 401, a foreign Host or Origin 403. An error
// answers with { error: string } and a fitting status. Paths are relative to the chosen folder, with
// '/', and never leave it.
//
// GET /?token=T answers with the page. Its policy needs default-src 'none', connect-src 'self', and
// for script-src and style-src a nonce (new for each answer) or the hashes of the page's own <script>
// and <style>. The editor makes <style> elements as it runs: style-src has to have a nonce, and the
// server writes it in place of @NONCE@ in <meta name="csp-nonce" content="@NONCE@">. There are no
// images, fonts or frames. The page takes the token out of its address at once and keeps it for its
// tab (token.ts). With the answer comes a cookie, which opens the page again and nothing else, so
// that a reload works.

import type { Diagnostic, Num, Parameter } from './view';

// GET /api/folder
export interface Folder {
  id: string; // of the folder by its whole path
  name: string; // of the folder, for the title
  files: ModelFile[]; // all .cradle files below it, sorted by path
  more: number; // beyond a bound, not listed
  gallery: GalleryModel[]; // models that travel inside the binary, read only
  library: { name: string; text: string }[]; // std/…, for reading and completion
  open: string | null; // the file that was named on the command line
}
export interface ModelFile {
  path: string;
  title: string; // first line of the opening comment, or ''
  model: string | null; // its name; null: components only, or it does not parse
}
export interface GalleryModel extends ModelFile {
  group: string; // mosterman, lee, cuijpers, circuits, mechanics
  text: string;
}

// GET /api/file?path=P
// PUT /api/file      body { path, text, stamp? }: saves in one step. With `stamp` (of the text that
//                    was read) a file that has changed on disk since is not overwritten: 409.
//                    Without: only a new file is written, 409 if it exists.
export interface FileText {
  path: string;
  text: string;
  stamp: string;
}

// POST /api/new      body { path }: a commented first model under this name; answers FileText

// POST /api/check    body { path, text }: of a text as if it stood in that file, saved or not
export interface Check {
  ok: boolean;
  model: string | null;
  diagnostics: Diagnostic[]; // places in `path` are those of the text
  names: { name: string; kind: string }[]; // what can be read: body1.p, F13.e, x1; kind: state, bond, signal, parameter, automaton, …
  parameters: Parameter[];
  until: Num | null;
}

// POST /api/format   body { path, text }; { text } or { diagnostics }

// POST /api/run      body { path, text, settings: {name, value}[], until?, select?, tab? }; 202 { id }.
// A run of the same path and tab that still waits is replaced.
// A run is a process of its own, bounded in memory and time; the studio's other work goes on.
// GET /api/run/ID    waits up to a second for news. A run about which nobody asks for 90 s is cancelled.
export interface RunState {
  id: string;
  state: 'waiting' | 'running' | 'finished' | 'cancelled' | 'failed';
  t: number; // how far
  until: number | null;
  rows?: number;
  error?: string; // failed: the process crashed, or took too much memory or time
}
// GET /api/run/ID/view      a RunView (view.ts) once it is finished or cancelled; of a model that
//                           cannot run: { diagnostics: Diagnostic[] } with status 422
// POST /api/sweep    body { path, text, settings?, until?, vary, measure?, curve?, dark?, tab? }: many
//                    runs of one model; vary: ["R=1..10:20", …], measure: ["peak(v)", …]. 202 { id };
//                    asked about as a run is, with t and until counting runs, and its view is this.
export interface SweepResult {
  format: 'cradle-sweep';
  model: string;
  names: string[]; // of what is varied
  measures: string[];
  complete: boolean; // false: it was cancelled
  runs: ({ values: Num[]; measures: (number | null)[]; ending: string; why: string } | null)[];
  picture: string; // an SVG
}
// DELETE /api/run/ID        cancels; what was computed is kept and can be read. With ?discard=yes
//                           nothing is, and it ends at once
