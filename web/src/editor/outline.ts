// What a text declares, read off its tokens without minding errors: so that names can be offered
// while the text is unfinished. The binary alone knows what a model means.

import { expressionEnd, words, type Token } from './scan';
import { domains, elementTypes, keywords } from './words';

export interface Thing {
  name: string; // without its indices
  kind: string; // I, C, …, GY, 0, 1, param, port, input, output, signal, bond, instance, modal
  type?: string; // of an instance: its component
  states?: string[]; // of a controlled junction: its states; of a modal model: its modes
  value?: string; // of param and input: the text of its default
  from?: number; // where that begins
}

export interface Definition {
  kind: 'model' | 'component' | 'block';
  name: string;
  from: number;
  to: number;
  things: Thing[];
}

export interface Scope {
  kind: 'file' | 'body' | 'automaton' | 'modal' | 'actions' | 'animate';
  owner: Thing | null; // of automaton and modal
}

export interface Outline {
  definitions: Definition[];
  scope: Scope; // in which the text ends
  depth: number; // of the parentheses in which it ends
}

export function outline(text: string): Outline {
  const walk = new Walk(text);
  walk.run();
  return { definitions: walk.definitions, scope: walk.scopes[walk.scopes.length - 1]!, depth: walk.depth };
}

class Walk {
  definitions: Definition[] = [];
  scopes: Scope[] = [{ kind: 'file', owner: null }];
  depth = 0;
  private all: Token[];
  private at = 0;
  private next: Scope | null = null; // what the next brace opens

  constructor(private text: string) {
    this.all = words(text);
  }

  run() {
    while (this.at < this.all.length) this.step();
  }

  private get scope() {
    return this.scopes[this.scopes.length - 1]!;
  }
  private peek(ahead = 0): string {
    return this.all[this.at + ahead]?.text ?? '';
  }
  private isName(ahead = 0) {
    const token = this.all[this.at + ahead];
    return token?.kind === 'name' && !keywords.has(token.text);
  }
  private add(thing: Thing): Thing {
    this.definitions[this.definitions.length - 1]?.things.push(thing);
    return thing;
  }

  private step() {
    const word = this.peek();
    if (word === '(' || word === '[') this.depth += 1;
    if (word === ')' || word === ']') this.depth = Math.max(0, this.depth - 1);
    if (word === '{') return this.open();
    if (word === '}') return this.close();
    if (this.depth > 0) return void this.at++;
    switch (this.scope.kind) {
      case 'file':
        return this.definition();
      case 'automaton':
        return this.states();
      case 'modal':
        return this.modalItem();
      case 'body':
        return this.item();
      default:
        this.at++;
    }
  }

  private open() {
    const inner = this.scope.kind === 'animate' ? 'animate' : 'body';
    this.scopes.push(this.next ?? { kind: this.scope.kind === 'file' ? 'file' : inner, owner: null });
    this.next = null;
    this.depth = 0;
    this.at++;
  }

  private close() {
    if (this.scopes.length > 1) this.scopes.pop();
    const last = this.definitions[this.definitions.length - 1];
    if (last && this.scopes.length === 1) last.to = this.all[this.at]!.to;
    this.depth = 0;
    this.at++;
  }

  private definition() {
    const word = this.peek();
    if ((word === 'model' || word === 'component' || word === 'block') && this.isName(1)) {
      const from = this.all[this.at]!.from;
      this.definitions.push({ kind: word, name: this.peek(1), from, to: this.text.length, things: [] });
      this.next = { kind: 'body', owner: null };
      this.at += 2;
    } else {
      this.at++;
    }
  }

  private states() {
    const word = this.peek();
    const owner = this.scope.owner!;
    if ((word === 'active' || word === 'inactive') && this.isName(1)) {
      const listed = owner.states === onOff ? [] : owner.states!;
      this.at++;
      this.list(() => listed.push(this.peek()));
      owner.states = listed;
    } else {
      this.at++;
    }
  }

  private modalItem() {
    if (this.peek() === 'mode' && this.isName(1)) {
      this.scope.owner!.states!.push(this.peek(1));
      this.next = { kind: 'body', owner: null };
      this.at += 2;
    } else if (this.peek() === 'when') {
      this.next = { kind: 'actions', owner: null };
      this.at++;
    } else if (this.peek() === 'param') {
      this.item();
    } else {
      this.at++;
    }
  }

  private item() {
    const word = this.peek();
    if (word === 'param' || word === 'input' || word === 'output' || word === 'port') {
      this.at++;
      if (word === 'port' && domains.has(this.peek()) && this.isName(1)) this.at++;
      this.list((value, from) => this.add({ name: this.peek(), kind: word, ...(value ? { value, from } : {}) }));
    } else if (word === 'modal' && this.isName(1)) {
      const owner = this.add({ name: this.peek(1), kind: 'modal', states: [] });
      this.next = { kind: 'modal', owner };
      this.at += 2;
    } else if (word === 'animate' && this.peek(1) === '{') {
      this.next = { kind: 'animate', owner: null };
      this.at++;
    } else if ((word === '0' || word === '1') && (this.isName(1) || (this.peek(1) === '/' && /^[EF]$/.test(this.peek(2))))) {
      this.junctions(word);
    } else if (this.isName() && this.isName(1) && !this.breaksBetween()) {
      const element = elementTypes.has(word);
      this.at++;
      this.list(() => this.add(element ? { name: this.peek(), kind: word } : { name: this.peek(), kind: 'instance', type: word }));
    } else if (this.isName()) {
      this.named();
    } else {
      this.at++;
    }
  }

  private breaksBetween() {
    return this.text.slice(this.all[this.at]!.to, this.all[this.at + 1]!.from).includes('\n');
  }

  private junctions(kind: string) {
    this.at += this.peek(1) === '/' ? 3 : 1;
    while (this.isName()) {
      let owner: Thing = { name: '', kind };
      this.list(() => (owner = this.add({ name: this.peek(), kind })));
      if (this.peek() === 'initially') {
        this.at += this.isName(1) ? 2 : 1;
        owner.states = onOff;
      }
      if (this.peek() === '{') {
        owner.states = onOff;
        this.next = { kind: 'automaton', owner };
      }
      if (this.peek() !== ',') return;
      this.at++;
    }
  }

  // NAME indices : or =
  private named() {
    const name = this.peek();
    let ahead = 1;
    while (this.peek(ahead) === '[') {
      while (this.peek(ahead) && this.peek(ahead) !== ']') ahead++;
      ahead++;
    }
    const mark = this.peek(ahead);
    const before = this.all[this.at - 1]?.text;
    if (before !== '.' && mark === ':') this.add({ name, kind: 'bond' });
    if (before !== '.' && mark === '=') this.add({ name, kind: 'signal' });
    if (mark === '=') this.skipExpression(ahead + 1);
    else this.at += 1;
  }

  // NAME indices [ "(" … ")" ] [ "=" expr ] { "," … }; visits each at its name.
  private list(visit: (value: string, from: number) => void) {
    while (this.isName()) {
      let ahead = 1;
      let depth = 0;
      for (; this.peek(ahead); ahead++) {
        const word = this.peek(ahead);
        if (word === '[' || word === '(') depth++;
        else if (word === ']' || word === ')') depth--;
        else if (depth === 0 || word === '{' || word === '}') break;
      }
      const equals = this.peek(ahead) === '=' ? this.all[this.at + ahead]! : null;
      const end = equals ? expressionEnd(this.text, equals.to) : 0;
      const value = equals ? this.text.slice(equals.to, end) : '';
      visit(value.trim(), end - value.trimStart().length);
      if (equals) this.skipExpression(ahead + 1);
      else this.at += ahead;
      if (depth > 0) this.depth = this.at < this.all.length ? 0 : depth;
      if (this.peek() !== ',' || !this.isName(1)) return;
      this.at++;
    }
  }

  private skipExpression(ahead: number) {
    const begin = this.all[this.at + ahead];
    this.at += ahead;
    if (!begin) return;
    const end = expressionEnd(this.text, begin.from);
    const open = this.at;
    while (this.at < this.all.length && this.all[this.at]!.from < end) this.at++;
    if (this.at === this.all.length) {
      // The text ends in it: perhaps inside parentheses.
      for (const token of this.all.slice(open)) {
        if (token.text === '(' || token.text === '[') this.depth++;
        if (token.text === ')' || token.text === ']') this.depth = Math.max(0, this.depth - 1);
      }
    }
  }
}

const onOff: string[] = ['on', 'off'];
