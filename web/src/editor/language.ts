// The language for CodeMirror: the tokens of the pages' sources, in the theme's colours.

import { HighlightStyle, indentService, LanguageSupport, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { Tag, tags } from '@lezer/highlight';
import { tokenize, type Token } from '../source/tokens';

interface State {
  line: Token[]; // what is left of the line
  inComment: boolean;
}

const element = Tag.define();

const cradle = StreamLanguage.define<State>({
  name: 'cradle',
  startState: () => ({ line: [], inComment: false }),
  copyState: (state) => ({ ...state, line: [...state.line] }),
  token(stream, state) {
    if (stream.sol()) {
      const { tokens, inComment } = tokenize(stream.string, state.inComment);
      state.line = tokens;
      state.inComment = inComment;
    }
    const token = state.line.shift();
    if (!token) {
      stream.skipToEnd();
      return null;
    }
    stream.pos += token.text.length;
    return token.kind in names ? token.kind : null;
  },
  languageData: {
    commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
    closeBrackets: { brackets: ['(', '[', '{', '"'] },
    indentOnInput: /^\s*\}$/,
  },
  tokenTable: {
    comment: tags.comment,
    string: tags.string,
    number: tags.number,
    word: tags.keyword,
    element,
    function: tags.function(tags.variableName),
    constant: tags.atom,
    operator: tags.operator,
  },
});

const names = { comment: 1, string: 1, number: 1, word: 1, element: 1, function: 1, constant: 1, operator: 1 };

const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--comment)', fontStyle: 'italic' },
  { tag: tags.string, color: 'var(--string)' },
  { tag: [tags.number, tags.atom], color: 'var(--number)' },
  { tag: tags.keyword, color: 'var(--word)', fontWeight: '600' },
  { tag: element, color: 'var(--element)', fontWeight: '600' },
  { tag: tags.function(tags.variableName), color: 'var(--word)' },
  { tag: tags.operator, color: 'var(--dim)' },
]);

// As the line before, one step further in behind an open brace.
const indentation = indentService.of((context, pos) => {
  const { doc } = context.state;
  const line = doc.lineAt(pos);
  // The context says nothing of it between two braces, where Enter makes two lines.
  let text = context.simulatedBreak === pos ? line.text.slice(0, pos - line.from) : '';
  for (let n = line.number - 1; text.trim() === '' && n > 0; --n) text = doc.line(n).text;
  const opens = /[{(]\s*(\/\/.*)?$/.test(text) ? context.unit : 0;
  const closes = /^\s*[})]/.test(context.textAfterPos(pos)) ? context.unit : 0;
  return Math.max(0, context.countColumn(text, text.search(/\S|$/)) + opens - closes);
});

export const cradleLanguage = new LanguageSupport(cradle, [syntaxHighlighting(colours), indentation]);
