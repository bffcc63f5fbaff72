// The editor: CodeMirror with the language, and what the studio hears from it.

import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  selectedCompletion,
  snippet,
  startCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic as Mark } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, Prec, type Extension, type StateEffect } from '@codemirror/state';
import {
  crosshairCursor,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view';
import { choicesAt, importEdit, numberedFields, type Choice, type Knowledge } from './completion';
import { cradleLanguage } from './language';
import { editorTheme } from './look';
import { plainName } from './names';
import { sameBesideSpace } from './places';

export interface EditorListener {
  changed(text: string): void;
  save(): void;
  run(): void;
  format(): void;
  knowledge(): Knowledge;
}

// Order in the list, where the text typed does not decide: what belongs to the model comes first.
const boosts: Record<string, number> = { argument: 4, name: 3, state: 4, element: 2, component: 1, keyword: 1, function: 0, constant: 0 };

function completionOf(choice: Choice): Completion {
  const { label, kind, detail, about } = choice;
  return {
    label,
    ...(plainName(label) === label ? {} : { displayLabel: plainName(label) }),
    type: kind,
    boost: boosts[kind] ?? 0,
    ...(detail ? { detail } : {}),
    ...(about ? { info: about } : {}),
    ...(choice.snippet ? { apply: inserting(choice.snippet, choice.import) } : {}),
  };
}

// The snippet, and the import that it needs.
function inserting(text: string, file: string | undefined) {
  const insert = snippet(numberedFields(text));
  return (view: EditorView, completion: Completion, from: number, to: number) => {
    const edit = file ? importEdit(view.state.doc.toString(), file) : null;
    if (edit) view.dispatch({ changes: { from: edit.at, insert: edit.insert } });
    const moved = edit?.insert.length ?? 0;
    insert(view, completion, from + moved, to + moved);
  };
}

// What has been typed in full needs no completion: Enter is for the next line.
function leaveComplete(view: EditorView): boolean {
  const chosen = selectedCompletion(view.state);
  const { head } = view.state.selection.main;
  if (chosen && !chosen.apply && view.state.sliceDoc(head - chosen.label.length, head) === chosen.label) closeCompletion(view);
  return false;
}

function completionSource(knowledge: () => Knowledge) {
  return (context: CompletionContext): CompletionResult | null => {
    const typed = context.matchBefore(/[\p{L}_µ][\p{L}\d_₀-₉]*$|\.$|"[^"]*$/u);
    if (!context.explicit && !typed) return null;
    const choices = choicesAt(context.state.doc.toString(), context.pos, knowledge());
    if (!choices) return null;
    return { from: choices.from, options: choices.options.map(completionOf), validFor: /^[\p{L}\d_₀-₉]*$/u };
  };
}

function extensions(listener: EditorListener, nonce: string): Extension[] {
  const does = (action: () => void) => () => {
    action();
    return true;
  };
  return [
    EditorView.cspNonce.of(nonce),
    Prec.highest(keymap.of([{ key: 'Enter', run: leaveComplete }])), // before the completion's own
    lineNumbers(),
    lintGutter(),
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    EditorState.allowMultipleSelections.of(true),
    EditorState.tabSize.of(2),
    indentUnit.of('  '),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ override: [completionSource(listener.knowledge)], icons: false, tooltipClass: () => 'completions' }),
    rectangularSelection(),
    crosshairCursor(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    search({ top: true }),
    cradleLanguage,
    editorTheme,
    Prec.high(
      keymap.of([
        { key: 'Mod-s', run: does(listener.save), preventDefault: true },
        { key: 'Mod-Enter', run: does(listener.run), preventDefault: true },
        { key: 'Shift-Alt-f', run: does(listener.format), preventDefault: true },
        { key: 'Ctrl-Space', run: startCompletion },
      ]),
    ),
    // Tab indents; CodeMirror lets go of it behind Escape, so that the keyboard gets out.
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...lintKeymap,
      indentWithTab,
    ]),
    EditorView.contentAttributes.of({ 'aria-label': 'Model text', 'data-testid': 'editor' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) listener.changed(update.state.doc.toString());
    }),
  ];
}

// One view; each document that has been open keeps its state, with its history.
export class Editor {
  private view: EditorView;
  private states = new Map<string, { state: EditorState; scroll: StateEffect<unknown> }>();
  private shown = '';
  private parts: Extension[];

  constructor(parent: HTMLElement, listener: EditorListener, nonce: string) {
    this.parts = extensions(listener, nonce);
    this.view = new EditorView({ parent, state: EditorState.create({ extensions: this.parts }) });
  }

  open(key: string, text: string) {
    if (this.shown) this.states.set(this.shown, { state: this.view.state, scroll: this.view.scrollSnapshot() });
    this.shown = key;
    const kept = this.states.get(key);
    const fits = kept?.state.doc.toString() === text;
    this.view.setState(fits ? kept!.state : EditorState.create({ doc: text, extensions: this.parts }));
    this.view.dispatch({ effects: fits ? kept!.scroll : EditorView.scrollIntoView(0) });
    if (!fits) this.view.scrollDOM.scrollTo(0, 0);
  }

  forget(key: string) {
    this.states.delete(key);
  }

  rename(key: string) {
    this.states.delete(this.shown);
    this.shown = key;
  }

  // As an edit that can be undone, of what differs only. `spaces`: nothing but these, so that the
  // cursor stays at what it stood at.
  replace(text: string, spaces = false) {
    const old = this.view.state.doc.toString();
    if (old === text) return;
    let from = 0;
    const most = Math.min(old.length, text.length);
    while (from < most && old[from] === text[from]) from += 1;
    let same = 0;
    while (same < most - from && old[old.length - 1 - same] === text[text.length - 1 - same]) same += 1;
    const { head } = this.view.state.selection.main;
    this.view.dispatch({
      changes: { from, to: old.length - same, insert: text.slice(from, text.length - same) },
      ...(spaces ? { selection: { anchor: sameBesideSpace(old, text, head) }, scrollIntoView: true } : {}),
      userEvent: 'input',
    });
  }

  mark(diagnostics: Mark[]) {
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
  }

  select(from: number, to: number) {
    const end = this.view.state.doc.length;
    const [anchor, head] = [Math.min(from, end), Math.min(to, end)];
    this.view.dispatch({ selection: { anchor, head }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    this.view.focus();
  }

  focus() {
    this.view.focus();
  }

  get text() {
    return this.view.state.doc.toString();
  }

  destroy() {
    this.view.destroy();
  }
}
