// Does the page about the command line name every command and every option that the program has?
import { plain } from './markdown.mjs';

/** The text below each heading of the second rank, by the heading. */
function sections(tokens) {
  const found = new Map();
  let text = null;
  for (const token of tokens) {
    if (token.type === 'heading' && token.depth <= 2) found.set(plain(token.text), (text = { line: token.line, text: '' }));
    else if (text) text.text += token.raw;
  }
  return found;
}

/** Fails for what `--help` says and the page does not. A section may take over the options of another. */
export async function check_reference(site, page) {
  const described = sections(page.tokens);
  const names = (option, command, seen = new Set()) => {
    const text = described.get(command)?.text ?? '';
    seen.add(command);
    if (new RegExp(`(^|[\\s\`])${option}(?![\\w-])`, 'm').test(text)) return true;
    return [...text.matchAll(/options of `(\w+)`/g)].some(([, other]) => !seen.has(other) && names(option, other, seen));
  };
  for (const command of await site.cradle.commands()) {
    const section = described.get(command);
    if (!section) {
      site.fail(page.source, 1, `the command ${command} is missing`);
      continue;
    }
    for (const option of await site.cradle.options(command))
      if (!names(option, command)) site.fail(page.source, section.line, `${command} ${option} is missing`);
  }
}
