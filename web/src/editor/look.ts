// The editor in the theme's colours. No images: the page's policy allows none, and CodeMirror draws
// its squiggles and marks with some.

import { EditorView } from '@codemirror/view';

const wavy = (colour: string) => ({
  backgroundImage: 'none',
  textDecoration: `underline wavy ${colour}`,
  textDecorationSkipInk: 'none',
  textUnderlineOffset: '3px',
});

const gutterMark = (sign: string, colour: string) => ({
  content: 'none',
  '&::before': { content: `"${sign}"`, color: colour, fontWeight: '700' },
});

export const editorTheme = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--ground)', color: 'var(--ink)', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--dim)', borderRight: '1px solid var(--faint)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 7%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--accent) 14%, transparent)', color: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent) !important',
  },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--accent) 16%, transparent)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--mark)', outline: '1px solid var(--line)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--mark-bad)' },
  '.cm-searchMatch': { backgroundColor: 'var(--mark)', outline: '1px solid var(--line)' },
  '.cm-searchMatch-selected': { backgroundColor: 'color-mix(in srgb, var(--accent) 35%, transparent)' },
  '.cm-lintRange-error': wavy('var(--bad)'),
  '.cm-lintRange-warning': wavy('var(--string)'),
  '.cm-lintRange-info': { backgroundImage: 'none', textDecoration: 'underline dotted var(--dim)', textUnderlineOffset: '3px' },
  '.cm-gutter-lint': { width: '1.1em' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0 0.1em' },
  '.cm-lint-marker': { width: '1em', height: '1em', textAlign: 'center' },
  '.cm-lint-marker-error': gutterMark('✕', 'var(--bad)'),
  '.cm-lint-marker-warning': gutterMark('!', 'var(--string)'),
  '.cm-lint-marker-info': gutterMark('·', 'var(--dim)'),
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
    borderRadius: '5px',
    boxShadow: '0 4px 14px rgb(0 0 0 / 22%)',
    maxWidth: 'min(38rem, 92vw)',
  },
  '.cm-tooltip-lint': { padding: '0' },
  '.cm-diagnostic': { borderLeft: '4px solid var(--dim)', padding: '5px 9px', fontFamily: 'var(--sans)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--string)' },
  '.cm-tooltip.completions > ul': { fontFamily: 'var(--mono)', maxHeight: '15em', maxWidth: 'min(34rem, 90vw)' },
  '.cm-tooltip.completions > ul > li': { padding: '2px 8px', display: 'flex', gap: '1em', justifyContent: 'space-between' },
  '.cm-tooltip.completions > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionDetail': { color: 'var(--dim)', fontStyle: 'normal', overflow: 'hidden', textOverflow: 'ellipsis' },
  'li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionInfo': { padding: '5px 9px', fontFamily: 'var(--sans)', maxWidth: '20rem' },
  '.cm-snippetField': { backgroundColor: 'color-mix(in srgb, var(--accent) 18%, transparent)' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--ink)', borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search [name=close]': { fontSize: '18px', padding: '0 6px', color: 'var(--ink)' },
  '.cm-panel.cm-search': { padding: '6px 28px 6px 8px', fontFamily: 'var(--sans)', fontSize: '13px' },
  '.cm-panel.cm-search label': { fontSize: '13px' },
  '.cm-button': { backgroundImage: 'none', backgroundColor: 'var(--ground)', border: '1px solid var(--line)', borderRadius: '4px', fontSize: '13px', color: 'var(--ink)' },
  '.cm-textfield': { fontSize: '13px', backgroundColor: 'var(--ground)', border: '1px solid var(--line)', color: 'var(--ink)' },
});
