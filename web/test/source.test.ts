import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { tokenize, tokenizeText } from '../src/source/tokens';
import { constants, elements, functions, reserved } from '../src/source/words';

const kinds = (line: string) => tokenize(line).tokens.filter(({ kind }) => kind !== 'space').map(({ kind, text }) => `${kind} ${text}`);

test('words, elements, junctions and names', () => {
  assert.deepEqual(kinds('I body1(mass1, f = speed)').slice(0, 2), ['element I', 'name body1']);
  assert.deepEqual(kinds('0/E F23 initially on {').slice(0, 5), ['element 0', 'operator /', 'name E', 'name F23', 'word initially']);
  assert.deepEqual(kinds('1 v1, v2')[0], 'element 1');
  assert.deepEqual(kinds('x = 1 - 0')[2], 'number 1');
  assert.ok(kinds('on -> off when abs(impulse(F23.e)) > J_break').includes('function impulse'));
  assert.ok(kinds('show gear.in.f').includes('name in'), 'behind a point words are names');
  assert.ok(kinds('mode = 3').includes('name mode'));
  assert.ok(kinds('final mode gone {}').includes('word mode'));
  assert.ok(kinds('circle ball at (0, y) radius 0.2').includes('word radius'));
  assert.ok(kinds('    size (0.2, 0.14) fill green label "2"').includes('word fill'));
  assert.ok(kinds('radius = 2').includes('name radius'));
  assert.ok(kinds('from -> to when x > 1').includes('name to'));
  assert.ok(kinds('port electrical a, b').includes('word electrical'));
  assert.ok(kinds('port electrical, b').includes('name electrical'));
  assert.ok(kinds('assert always x > 2, "why"').includes('word always'));
  assert.ok(kinds('1 low follows high').includes('word follows'));
});

test('comments over several lines, strings that never end', () => {
  const [first, second, third] = tokenizeText('a /* b\nc */ d\n"x');
  assert.equal(first.at(-1)!.kind, 'comment');
  assert.deepEqual(second.map(({ kind }) => kind), ['comment', 'space', 'name']);
  assert.equal(third[0].kind, 'string');
});

test('nothing is lost, whatever stands there', () => {
  const texts = ['models/mosterman', 'models/lee', 'lib/std/electrical', 'lib/std/mechanical'].flatMap((folder) =>
    readdirSync(`../${folder}`).map((name) => readFileSync(`../${folder}/${name}`, 'utf8')),
  );
  for (const text of [...texts, '€ \u0000 §§ "\\', '1..N 2.5E6 1e 3.', '']) {
    assert.equal(tokenizeText(text).map((line) => line.map(({ text }) => text).join('')).join('\n'), text);
  }
});

test('the words are those of the tables', () => {
  assert.deepEqual(reserved.slice(0, 3), ['model', 'component', 'import']);
  assert.ok(reserved.length > 20 && functions.length > 50 && elements.includes('GY'));
  for (const word of reserved) assert.deepEqual(kinds(word), [`${/true|false/.test(word) ? 'constant' : 'word'} ${word}`]);
  for (const [name] of constants) assert.deepEqual(kinds(name), [`constant ${name}`]);
  for (const [name, call, , snippet] of functions) {
    assert.equal(kinds(`${name}(`)[0], `function ${name}`);
    assert.ok(call.startsWith(`${name}(`) && snippet.startsWith(`${name}(`), name);
  }
  for (const name of elements) assert.equal(kinds(`${name} x`)[0], `element ${name}`);
});
