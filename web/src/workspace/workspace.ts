// What the studio knows and does; the components only show it. One document is in the editor, one
// run is shown (B), one may be pinned for comparison (A).

import type { Check, FileText, Folder, GalleryModel, RunState } from '../data/api';
import type { Cursor } from '../data/cursor';
import type { Place } from '../data/place';
import type { Diagnostic, Parameter } from '../data/view';
import type { Knowledge } from '../editor/completion';
import { marks, sameFile } from '../editor/diagnostics';
import type { Editor } from '../editor/editor';
import { lineStarts, rangeOf } from '../editor/places';
import { Client, ServerError } from './client';
import { dirty, diskText, docOfFile, docOfGallery, docOfGone, Drafts, fileKey, galleryKey, withEnding, type Doc } from './documents';
import { comparable } from './compare';
import { followCursor } from './follow';
import { importPath, Imports } from './imports';
import { ofParts, partsHint } from './parts';
import { keptSettings, knownOf, listsOf, ownsDefault, readSettings, withEnd, withList, withSetting, writeDefaults, writeLists, type Known, type List, type Range, type Settings, type Value } from './settings';
import { Runner, type Finished } from './runner';

export type Tab = 'files' | 'edit' | 'parameters' | 'result';

export type Question =
  | { kind: 'new' }
  | { kind: 'save-as' }
  | { kind: 'conflict'; theirs: FileText | null }; // null: it is gone

const kCheckDelay = 250; // ms behind the last key
const kRetryDelay = 3000;
const kDraftDelay = 400;
const kQuick = 300;
const kQuiet = 1000; // ms without a row

function storageOf(kind: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    return window[kind];
  } catch {
    return null;
  }
}
const storage = storageOf('localStorage');
const tabStorage = storageOf('sessionStorage');

// A reload keeps it.
function tabName(): string {
  const fresh = crypto.getRandomValues(new Uint32Array(2)).join('-');
  try {
    const known = tabStorage?.getItem('cradle-tab');
    if (!known) tabStorage?.setItem('cradle-tab', fresh);
    return known || fresh;
  } catch {
    return fresh;
  }
}

function addressed(): string {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';
  }
}

const moved = (a: RunState | null, b: RunState) => a?.id !== b.id || a.state !== b.state || a.t !== b.t || a.rows !== b.rows;

export class Workspace {
  folder: Folder | null = null;
  doc: Doc | null = null;
  check: Check | null = null; // of the text in the editor, or of one shortly before
  private checkedText = '';
  parameters: Parameter[] = []; // of the last check that knew them
  partsOnly = false; // the text has components and no model, which is no fault of it
  known: Known = knownOf(''); // of the text of the last check
  runProblems: Diagnostic[] = [];
  runError = '';
  progress: RunState | null = null;
  quiet = false; // no row has come for a while: the result is being written
  stopping = false; // it was cancelled, and ends with what it has
  shown: Finished | null = null;
  cursor: Cursor | null = null;
  pinned: Finished | null = null;
  offline: ServerError | null = null;
  notice: { text: string; action?: { label: string; do: () => void } } | null = null;
  question: Question | null = null;
  tab: Tab = 'files';
  filesOpen = true;
  galleryOpen = false;
  autoRun = storage?.getItem('cradle-auto-run') !== 'off';

  editor: Editor | null = null;
  private docs = new Map<string, Doc>();
  private tabName = tabName();
  private drafts = new Drafts('', this.tabName, storage);
  private saving = 0; // that are under way
  private lastSave: Promise<void> = Promise.resolve();
  private listeners = new Set<() => void>();
  readonly client: Client;
  private runner: Runner;
  private checkTimer: ReturnType<typeof setTimeout> | null = null;
  private checking: AbortController | null = null;
  private retryTimer: ReturnType<typeof setTimeout> | null = null;
  private draftTimer: ReturnType<typeof setTimeout> | null = null;
  private goingTimer: ReturnType<typeof setTimeout> | null = null;
  private quietTimer: ReturnType<typeof setTimeout> | null = null;
  private latest: RunState | null = null; // of the run that goes on
  private names: Knowledge['names'] = [];
  private imports = new Imports((path) => this.client.read(path));

  constructor(token: string) {
    this.client = new Client(token, this.tabName, (error) => this.hear(error));
    this.runner = new Runner(this.client, {
      progress: (state) => this.going(state),
      finished: (result) => this.finish(result),
      failed: (message, diagnostics) => {
        this.set({ runError: message, runProblems: diagnostics });
        this.mark();
      },
    });
  }

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  set(changes: Partial<Workspace>) {
    Object.assign(this, changes);
    for (const listener of this.listeners) listener();
  }

  // ── the server ──

  private hear(error: ServerError | null) {
    if (error?.status === this.offline?.status) return;
    this.set({ offline: error });
    if (error?.unreachable) this.retryLater();
    if (!error) this.checkSoon(0);
  }

  private retryLater() {
    this.retryTimer ??= setTimeout(() => {
      this.retryTimer = null;
      void this.retry();
    }, kRetryDelay);
  }

  async retry() {
    await this.loadFolder();
    if (this.offline?.unreachable) this.retryLater();
  }

  async loadFolder() {
    try {
      const folder = await this.client.folder();
      if (this.folder?.id !== folder.id) this.drafts = new Drafts(folder.id, this.tabName, storage);
      this.set({ folder });
    } catch (error) {
      this.tell(error);
    }
  }

  private tell(error: unknown) {
    // What cannot be reached is said in the banner.
    if (error instanceof ServerError && (error.unreachable || error.refused)) return;
    this.set({ notice: { text: error instanceof Error ? error.message : String(error) } });
  }

  // The file in the address comes first: it is what was open before a reload.
  async begin() {
    await this.loadFolder();
    const wanted = addressed();
    const model = this.folder?.gallery.find((m) => wanted === galleryKey(m.path));
    if (model) this.openGallery(model);
    else if (wanted.startsWith('file:')) await this.openFile(wanted.slice(5));
    else if (this.folder?.open) await this.openFile(this.folder.open);
  }

  // ── documents ──

  async openFile(path: string) {
    const kept = this.docs.get(fileKey(path));
    if (kept) {
      this.show(kept);
      return this.reread(kept);
    }
    try {
      this.add(docOfFile(await this.client.read(path)));
    } catch (error) {
      const draft = error instanceof ServerError && error.status === 404 ? this.drafts.text(fileKey(path)) : null;
      if (draft === null) this.tell(error);
      else this.addGone(docOfGone(path, draft));
    }
  }

  // Drafts of files that are no longer listed.
  get goneFiles(): string[] {
    const { folder } = this;
    if (!folder || folder.more > 0) return [];
    const listed = new Set(folder.files.map((file) => fileKey(file.path)));
    const kept = [...this.docs.values()].filter((doc) => doc.origin === 'file' && doc.stamp === null).map((doc) => doc.key);
    const keys = new Set([...this.drafts.keys().filter((key) => key.startsWith('file:')), ...kept]);
    return [...keys].filter((key) => !listed.has(key)).map((key) => key.slice('file:'.length)).sort();
  }

  private addGone(doc: Doc) {
    this.drafts.restore(doc);
    doc.stamp = null;
    doc.ranges = this.keptRanges(doc);
    doc.settings = this.settingsBefore(doc);
    this.docs.set(doc.key, doc);
    this.show(doc);
    this.set({ notice: { text: `${doc.path} is no longer in the folder. This is your unsaved text of it: saving writes it again.`, action: { label: 'Discard it', do: () => this.discard(doc) } } });
  }

  // The window is looked at again: others may have written in the meantime.
  async lookAgain() {
    if (!this.folder || this.offline) return;
    this.imports.forget();
    void this.loadFolder();
    if (this.doc) await this.reread(this.doc);
  }

  // What is open follows its file, unless it was changed here too.
  private async reread(doc: Doc) {
    if (doc.origin !== 'file' || this.saving > 0) return;
    const { stamp } = doc;
    let theirs: FileText | null = null;
    try {
      theirs = await this.client.read(doc.path);
    } catch (error) {
      if (!(error instanceof ServerError) || error.status !== 404) return this.tell(error);
    }
    if (this.saving > 0 || doc.stamp !== stamp || this.docs.get(doc.key) !== doc || theirs?.stamp === stamp) return;
    if (!theirs) return this.lost(doc);
    const read = docOfFile(theirs);
    if (dirty(doc) && read.text !== doc.text) {
      if (this.doc !== doc) return;
      const load = { label: 'Load theirs', do: () => this.doc === doc && this.loadTheirs(theirs) };
      return this.set({ notice: { text: `${doc.path} has changed on disk. Here it has your unsaved changes.`, action: load } });
    }
    Object.assign(doc, { saved: read.text, stamp: read.stamp, crlf: read.crlf, bom: read.bom });
    if (this.doc === doc) this.editor?.replace(read.text);
    doc.text = read.text;
    this.drafts.keep(doc);
    this.set({});
  }

  private lost(doc: Doc) {
    if (doc.stamp === null) return;
    Object.assign(doc, { saved: '', stamp: null });
    this.drafts.keep(doc);
    this.set(this.doc === doc ? { notice: { text: `${doc.path} is gone from the folder. Saving writes it again.` } } : {});
  }

  openGallery(model: GalleryModel) {
    const kept = this.docs.get(galleryKey(model.path));
    if (kept) this.show(kept);
    else this.add(docOfGallery(model));
  }

  // What is open stands in the address, so that a reload finds it.
  address() {
    if (this.doc) history.replaceState(null, '', `#${encodeURIComponent(this.doc.key)}`);
  }

  private add(doc: Doc) {
    const restored = this.drafts.restore(doc);
    doc.ranges = this.keptRanges(doc);
    doc.settings = this.settingsBefore(doc);
    this.docs.set(doc.key, doc);
    this.show(doc);
    if (!restored) return;
    this.set({ notice: { text: 'Your unsaved changes from before are back.', action: { label: 'Discard them', do: () => this.discard(doc) } } });
  }

  private show(doc: Doc) {
    this.keepDraft();
    this.runner.drop();
    this.set({
      doc,
      check: null,
      parameters: [],
      partsOnly: false,
      shown: null,
      cursor: null,
      runError: '',
      runProblems: [],
      notice: null,
      galleryOpen: false,
      filesOpen: window.innerWidth > 1600,
      tab: 'edit',
    });
    this.names = [];
    this.address();
    this.editor?.open(doc.key, doc.text);
    // What was pressed may be gone now. Not where a keyboard would pop up.
    if (matchMedia('(pointer: fine)').matches) requestAnimationFrame(() => this.editor?.focus());
    this.checkSoon(0, true);
  }

  private discard(doc: Doc) {
    doc.text = doc.saved;
    this.drafts.keep(doc);
    this.docs.delete(doc.key);
    this.editor?.forget(doc.key);
    if (doc.origin === 'file' && doc.stamp === null) this.close();
    else if (doc.origin === 'file') void this.openFile(doc.path);
    else {
      const model = this.folder?.gallery.find((m) => galleryKey(m.path) === doc.key);
      if (model) this.openGallery(model);
    }
  }

  private close() {
    this.runner.drop();
    history.replaceState(null, '', '#');
    this.set({ doc: null, check: null, parameters: [], partsOnly: false, shown: null, cursor: null, runError: '', runProblems: [], notice: null, tab: 'files' });
  }

  isDirty(key: string) {
    const doc = this.docs.get(key);
    return doc !== undefined && dirty(doc);
  }
  get anyDirty() {
    return [...this.docs.values()].some(dirty);
  }

  edited(text: string) {
    if (!this.doc || this.doc.text === text) return;
    this.doc.text = text;
    this.draftTimer ??= setTimeout(() => this.keepDraft(), kDraftDelay);
    this.checkSoon(kCheckDelay);
    this.set({});
  }

  keepDraft() {
    if (this.draftTimer === null) return;
    clearTimeout(this.draftTimer);
    this.draftTimer = null;
    if (this.doc) this.drafts.keep(this.doc);
  }

  async create(path: string): Promise<string | null> {
    try {
      const file = await this.client.create(withEnding(path));
      this.set({ question: null });
      this.add(docOfFile(file));
      void this.loadFolder();
      return null;
    } catch (error) {
      return error instanceof ServerError && error.status === 409 ? 'a file of this name exists' : String((error as Error).message);
    }
  }

  // One behind the other: each needs the stamp that the one before it has left.
  async save(): Promise<void> {
    const { doc } = this;
    if (!doc) return;
    if (doc.origin === 'gallery') return this.set({ question: { kind: 'save-as' } });
    this.lastSave = this.lastSave.then(() => this.write(doc));
    return this.lastSave;
  }

  private async write(doc: Doc) {
    const text = doc.text;
    this.saving += 1;
    try {
      this.wrote(doc, text, await this.client.save(doc.path, diskText(doc), doc.stamp));
    } catch (error) {
      if (error instanceof ServerError && error.status === 409) await this.askConflict(doc);
      else this.tell(error);
    } finally {
      this.saving -= 1;
    }
  }

  private async askConflict(doc: Doc) {
    let theirs: FileText | null = null;
    try {
      theirs = await this.client.read(doc.path);
    } catch (error) {
      if (!(error instanceof ServerError) || error.status !== 404) return this.tell(error);
    }
    if (theirs?.text === diskText(doc)) return this.wrote(doc, doc.text, theirs);
    this.set({ question: { kind: 'conflict', theirs } });
  }

  async keepMine(theirs: FileText | null) {
    this.set({ question: null });
    if (!this.doc) return;
    this.doc.stamp = theirs?.stamp ?? null;
    await this.save();
  }

  // As an edit: mine can be had back with undo.
  loadTheirs(theirs: FileText | null) {
    this.set({ question: null, notice: null });
    const { doc } = this;
    if (!doc || !theirs) return;
    const read = docOfFile(theirs);
    Object.assign(doc, { saved: read.text, stamp: read.stamp, crlf: read.crlf, bom: read.bom });
    this.editor?.replace(read.text);
    this.drafts.keep(doc);
    this.set({});
  }

  private wrote(doc: Doc, text: string, file: FileText) {
    Object.assign(doc, { saved: text, stamp: file.stamp });
    this.imports.forget(doc.path);
    this.drafts.keep(doc);
    this.set(this.doc === doc ? { notice: null } : {}); // what it says was before
    void this.loadFolder();
  }

  async saveAs(path: string): Promise<string | null> {
    const { doc } = this;
    if (!doc) return null;
    const target = withEnding(path);
    try {
      const file = await this.client.save(target, diskText(doc), null);
      const old = { ...doc, text: doc.saved };
      this.drafts.keep(old); // no draft of the gallery's is left
      this.docs.delete(doc.key);
      Object.assign(doc, { key: fileKey(file.path), path: file.path, origin: 'file', stamp: file.stamp, saved: doc.text });
      this.docs.set(doc.key, doc);
      this.keepSettings(doc);
      this.editor?.rename(doc.key);
      this.address();
      this.set({ question: null });
      void this.loadFolder();
      this.checkSoon(0);
      return null;
    } catch (error) {
      return error instanceof ServerError && error.status === 409 ? 'a file of this name exists' : String((error as Error).message);
    }
  }

  async format() {
    const { doc } = this;
    if (!doc) return;
    const { text } = doc;
    try {
      const answer = await this.client.format(doc.path, text);
      if (this.doc !== doc || doc.text !== text) return;
      if (answer.text !== undefined) this.editor?.replace(answer.text.replace(/\r\n?/g, '\n'), true);
      else this.set({ notice: { text: 'What does not parse cannot be formatted: see the problems.' } });
    } catch (error) {
      this.tell(error);
    }
  }

  // ── diagnostics ──

  private checkSoon(delay: number, opened = false) {
    if (this.checkTimer !== null) clearTimeout(this.checkTimer);
    this.checkTimer = setTimeout(() => void this.checkNow(opened), delay);
  }

  private async checkNow(opened: boolean) {
    const { doc } = this;
    if (!doc) return;
    this.checking?.abort();
    const checking = new AbortController();
    this.checking = checking;
    const { text } = doc;
    try {
      const check = await this.client.check(doc.path, text, checking.signal);
      if (this.doc !== doc || checking.signal.aborted) return;
      this.checked(doc, text, ofParts(check, text), opened);
    } catch (error) {
      if (!checking.signal.aborted) this.tell(error);
    }
  }

  private checked(doc: Doc, text: string, { check, partsOnly }: { check: Check; partsOnly: boolean }, opened: boolean) {
    if (check.names.length > 0) this.names = check.names;
    // Sliders stay while something else is being typed.
    const parameters = check.ok || check.parameters.length > 0 ? check.parameters : this.parameters;
    if (check.ok && check.model !== null) {
      doc.settings = keptSettings(doc.settings, parameters, listsOf(text));
      this.keepSettings(doc);
    }
    this.checkedText = text;
    this.set({ check, parameters, partsOnly, known: knownOf(text) });
    void this.imports.load(doc.path, text, new Set(this.folder?.files.map((file) => file.path)));
    if (doc.text !== text) return;
    this.mark();
    const ran = this.shown?.wish;
    if (check.ok && check.model !== null && this.autoRun && (opened || ran?.text !== text)) this.run();
  }

  // Of the text, and of its run if that is of this text.
  get problems(): Diagnostic[] {
    const ofText = this.check?.diagnostics ?? [];
    const ofRun = this.shown && this.doc && this.shown.wish.text === this.doc.text ? this.shown.run.view.diagnostics : [];
    const out = new Map<string, Diagnostic>();
    for (const diagnostic of [...ofText, ...this.runProblems, ...ofRun]) {
      const key = `${diagnostic.kind} ${diagnostic.file} ${diagnostic.line}:${diagnostic.column} ${diagnostic.message}`;
      if (!out.has(key)) out.set(key, diagnostic);
    }
    return [...out.values()].sort((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'));
  }

  private mark() {
    if (this.doc) this.editor?.mark(marks(this.doc.text, this.doc.path, this.problems, (diagnostic) => this.jump(diagnostic)));
  }

  // To a place in the text, or in another file of the folder.
  async goTo(place: Place) {
    if (!this.doc) return;
    if (!sameFile(place.file, this.doc.path)) {
      const known = this.folder?.files.find((file) => sameFile(place.file, file.path));
      if (!known) return this.set({ notice: { text: `${place.file} is not a file of this folder.` } });
      await this.openFile(known.path);
      if (this.doc.path !== known.path) return;
    }
    this.set({ tab: 'edit' });
    const { text } = this.doc;
    const { from, to } = rangeOf(text, lineStarts(text), place);
    requestAnimationFrame(() => this.editor?.select(from, to));
  }

  jump(diagnostic: Diagnostic) {
    if (diagnostic.line !== undefined) void this.goTo({ ...diagnostic, file: diagnostic.file ?? this.doc!.path, line: diagnostic.line });
  }

  knowledge(): Knowledge {
    const here = this.doc?.path ?? '';
    const parts = this.folder?.files.filter((file) => file.model === null && file.path !== here) ?? [];
    const imported = this.imports.of(here, this.doc?.text ?? '');
    return { names: this.names, library: this.folder?.library ?? [], imported, files: parts.map((file) => importPath(here, file.path)) };
  }

  // ── parameters ──

  setParameter(parameter: Parameter, value: Value) {
    if (!this.doc || !Number.isFinite(Number(value))) return;
    this.doc.settings = withSetting(this.doc.settings, parameter, value);
    this.keepSettings(this.doc);
    this.run();
  }

  setList(list: List, value: string) {
    if (!this.doc) return;
    this.doc.settings = withList(this.doc.settings, list, value);
    this.keepSettings(this.doc);
    this.run();
  }

  resetParameters() {
    if (!this.doc || Object.keys(this.doc.settings).length === 0) return;
    this.doc.settings = {};
    this.keepSettings(this.doc);
    this.run();
  }

  setRange(parameter: Parameter, range: Range) {
    if (!this.doc) return;
    this.doc.ranges = { ...this.doc.ranges, [parameter.name]: range };
    try {
      storage?.setItem(`cradle-ranges:${this.folder?.id}:${this.doc.key}`, JSON.stringify(this.doc.ranges));
    } catch {
      // they hold for this page only
    }
    this.set({});
  }

  // For this tab: a reload has them, another look at the model begins with its defaults.
  private keepSettings(doc: Doc) {
    const place = `cradle-settings:${this.folder?.id}:${doc.key}`;
    try {
      if (Object.keys(doc.settings).length > 0) tabStorage?.setItem(place, JSON.stringify(doc.settings));
      else tabStorage?.removeItem(place);
    } catch {
      // they hold for this page only
    }
  }

  private settingsBefore(doc: Doc): Settings {
    try {
      return readSettings(tabStorage?.getItem(`cradle-settings:${this.folder?.id}:${doc.key}`) ?? null);
    } catch {
      return {};
    }
  }

  private keptRanges(doc: Doc): Record<string, Range> {
    try {
      return JSON.parse(storage?.getItem(`cradle-ranges:${this.folder?.id}:${doc.key}`) ?? '{}') as Record<string, Range>;
    } catch {
      return {};
    }
  }

  // Those whose default stands in the text that is open.
  get writable(): Parameter[] {
    const { doc } = this;
    if (!doc) return [];
    const set = this.parameters.filter((p) => p.name in doc.settings);
    return set.filter((p) => p.place && sameFile(p.place.file, doc.path) && ownsDefault(this.known, p));
  }

  get writableLists(): List[] {
    return this.known.lists.filter(({ name }) => this.doc && name in this.doc.settings);
  }

  writeSettings() {
    const { doc } = this;
    if (!doc) return;
    const wanted: Settings = Object.fromEntries(this.writable.map((p) => [p.name, doc.settings[p.name]!]));
    const { text, written, left } = writeDefaults(doc.text, this.writable, wanted);
    const lists = this.writableLists.map(({ name }) => name);
    const next = writeLists(text, doc.settings);
    for (const name of [...written, ...lists]) delete doc.settings[name];
    this.keepSettings(doc);
    this.editor?.replace(next);
    // Undo is of the text now, not of a field that was left.
    if (matchMedia('(pointer: fine)').matches) this.editor?.focus();
    const others = Object.keys(doc.settings).filter((name) => !left.includes(name));
    const told = [
      left.length > 0 ? `An expression stands in the text, so still set: ${left.join(', ')}.` : '',
      others.length > 0 ? `Not in this text, so still set: ${others.join(', ')}.` : '',
    ];
    this.set({ notice: left.length + others.length > 0 ? { text: told.join(' ').trim() } : null });
  }

  // ── runs ──

  setAutoRun(autoRun: boolean) {
    storage?.setItem('cradle-auto-run', autoRun ? 'on' : 'off');
    this.set({ autoRun });
    if (autoRun && this.check?.ok && this.stale) this.run();
  }

  run() {
    const { doc } = this;
    if (!doc) return;
    if (this.partsOnly) return this.set({ notice: { text: partsHint } });
    if (this.endless) return this.set({ runError: `${this.check!.model} does not say when it ends.`, runProblems: [] });
    this.set({ runError: '', runProblems: [] });
    this.runner.want({ path: doc.path, text: doc.text, settings: { ...doc.settings } });
  }

  // Where there is one part at a time, that of the result.
  runAndLook() {
    this.set({ tab: 'result' });
    this.run();
  }

  // The model has no end time, which a run needs.
  get endless(): boolean {
    const { check, doc } = this;
    return check !== null && check.ok && check.model !== null && check.until === null && this.checkedText === doc?.text;
  }

  writeEnd() {
    const text = this.doc && withEnd(this.doc.text);
    if (text) this.editor?.replace(text);
  }

  cancel() {
    this.set({ stopping: true });
    this.runner.cancel();
  }

  // Nobody would see its result.
  leave() {
    this.runner.drop();
  }

  // A run that is over in a moment does not show that it was going on.
  private going(state: RunState | null) {
    const before = this.latest;
    this.latest = state;
    if (!state || moved(before, state)) this.hush(state);
    if (state && this.progress) return this.set({ progress: state });
    if (state && !before) this.goingTimer = setTimeout(() => this.set({ progress: this.latest }), kQuick);
    if (state) return;
    if (this.goingTimer !== null) clearTimeout(this.goingTimer);
    this.set({ progress: null, stopping: false });
  }

  private hush(state: RunState | null) {
    if (this.quietTimer !== null) clearTimeout(this.quietTimer);
    this.quiet = false;
    this.quietTimer = state?.state === 'running' && state.rows ? setTimeout(() => this.set({ quiet: true }), kQuiet) : null;
  }

  private finish(result: Finished) {
    this.set({ shown: result, cursor: followCursor(this.cursor, result.run), runError: '', runProblems: [] });
    this.mark();
  }

  // What is shown is of another text or of other settings.
  get stale(): boolean {
    const { doc, shown } = this;
    if (!doc || !shown) return true;
    return shown.wish.text !== doc.text || JSON.stringify(shown.wish.settings) !== JSON.stringify(doc.settings);
  }

  // Run A, where it has something in common with what is shown. It stays while another model is
  // looked at.
  get compared(): Finished | null {
    const { pinned, shown } = this;
    return pinned && shown && comparable(pinned.run, shown.run) ? pinned : null;
  }

  pin() {
    this.set({ pinned: this.shown });
  }
  unpin() {
    this.set({ pinned: null });
  }
}
