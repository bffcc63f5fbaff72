// A page's text: lexed with the lines on which things stand, its headings, links and directives.
import { marked, Renderer } from 'marked';
import { escape, slug } from './html.mjs';
import { highlight } from './highlight.mjs';

/** Words without marks, of a heading or a paragraph. */
export function plain(text) {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]|(?<!\w)_|_(?!\w)/g, '');
}

const lines_in = (text) => text.split('\n').length - 1;

/** Tokens of a text, each with the file and the line that it stands on. */
export function lex(text, file, first_line = 1) {
  const source = text.replaceAll('\r\n', '\n');
  const tokens = marked.lexer(source);
  let line = first_line;
  for (const block of tokens) {
    let cursor = 0;
    marked.walkTokens([block], (token) => {
      // What is nested stands where its first line is found, in order.
      const head = (token.raw ?? '').split('\n')[0];
      const at = token === block ? 0 : block.raw.indexOf(head, cursor);
      if (at >= 0 && token !== block && /^(link|image|code)$/.test(token.type)) cursor = at;
      token.file = file;
      token.line = line + lines_in(block.raw.slice(0, at < 0 ? cursor : at));
    });
    line += lines_in(block.raw);
  }
  return tokens;
}

/** Gives headings their anchors; returns [{depth, text, anchor, line}]. */
export function number_headings(tokens) {
  const taken = new Map();
  const headings = [];
  for (const token of tokens) {
    if (token.type !== 'heading') continue;
    const text = plain(token.text);
    token.anchor = slug(text, taken);
    headings.push({ depth: token.depth, text, anchor: token.anchor, line: token.line });
  }
  return headings;
}

/** The tokens below the heading with this anchor, up to the next one of its rank; null if none. */
export function section(tokens, anchor) {
  number_headings(tokens);
  const start = tokens.findIndex((t) => t.type === 'heading' && t.anchor === anchor);
  if (start < 0) return null;
  let end = start + 1;
  while (end < tokens.length && !(tokens[end].type === 'heading' && tokens[end].depth <= tokens[start].depth)) end++;
  return tokens.slice(start + 1, end);
}

/** ```picture status=3 … → {name: 'picture', rest: ['status=3'], attributes: {status: '3'}} */
export function read_info(info) {
  const [name = '', ...rest] = (info ?? '').trim().split(/\s+/);
  const attributes = {};
  for (const word of rest) {
    const match = /^(\w+)=(.*)$/.exec(word);
    if (match) attributes[match[1]] = match[2];
  }
  return { name, rest, attributes };
}

export function walk(tokens, visit) {
  marked.walkTokens(tokens, visit);
}

export function code_block(text, language, { copy = null, title = '' } = {}) {
  const copied = copy === null ? '' : ` data-copy="${escape(copy)}"`;
  const head = title ? `<div class="code-title">${title}</div>` : '';
  return `<div class="code">${head}<pre tabindex="0"${copied}><code>${highlight(text, language)}</code></pre></div>`;
}

/** HTML of tokens; `link` gives the address for a link token; directives bring their own html. */
export function render(tokens, link) {
  const renderer = new Renderer();
  renderer.heading = function (token) {
    const inner = this.parser.parseInline(token.tokens);
    if (!token.anchor) return `<h${token.depth}>${inner}</h${token.depth}>\n`;
    const label = `Link to ${plain(token.text)}`;
    return `<h${token.depth} id="${token.anchor}">${inner} <a class="anchor" href="#${token.anchor}" aria-label="${escape(label)}">#</a></h${token.depth}>\n`;
  };
  renderer.link = function (token) {
    const outside = /^[a-z][a-z0-9+.-]*:/i.test(token.href);
    const extra = outside ? ' rel="noopener"' : '';
    return `<a href="${escape(link(token))}"${extra}>${this.parser.parseInline(token.tokens)}</a>`;
  };
  renderer.image = (token) => `<img src="${escape(link(token))}" alt="${escape(token.text)}" loading="lazy">`;
  // What is short stays on one line, so that no option breaks behind its first hyphen.
  renderer.codespan = ({ text }) => `<code${text.length <= 28 ? ' class="whole"' : ''}>${escape(text)}</code>`;
  renderer.code = (token) => {
    if (token.html !== undefined) return token.html;
    const { name } = read_info(token.lang);
    return code_block(token.text, name === 'cradle' ? 'cradle' : name && name !== 'text' ? 'plain' : '');
  };
  renderer.table = function (token) {
    return `<div class="scroll" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
  };
  // Pages have no HTML of their own: what looks like it is text.
  renderer.html = (token) => escape(token.raw ?? token.text);
  return marked.parser(tokens, { renderer });
}
