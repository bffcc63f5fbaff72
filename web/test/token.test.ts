import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeToken } from '../src/data/token';

function tab() {
  const kept = new Map<string, string>();
  const shown: string[] = [];
  return {
    shown,
    storage: { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value) },
    history: { state: null, replaceState: (_state: unknown, _title: string, address?: string | URL | null) => void shown.push(String(address)) },
  };
}

test('the token leaves the address, and a reload finds it', () => {
  const { shown, storage, history } = tab();
  assert.equal(takeToken({ search: '?token=abc', hash: '#a.cradle', pathname: '/' }, history, storage), 'abc');
  assert.deepEqual(shown, ['/#a.cradle']);
  assert.equal(takeToken({ search: '', hash: '#a.cradle', pathname: '/' }, history, storage), 'abc');
  assert.equal(shown.length, 1);
});

test('another tab knows nothing', () => {
  const { storage, history } = tab();
  assert.equal(takeToken({ search: '', hash: '', pathname: '/' }, history, storage), '');
});

test('where nothing can be kept, the address keeps the token', () => {
  const { shown, history } = tab();
  const storage = {
    getItem: (): string | null => {
      throw new Error('denied');
    },
    setItem: () => {
      throw new Error('denied');
    },
  };
  assert.equal(takeToken({ search: '?token=abc', hash: '', pathname: '/' }, history, storage), 'abc');
  assert.deepEqual(shown, []);
  assert.equal(takeToken({ search: '', hash: '', pathname: '/' }, history, storage), '');
});
