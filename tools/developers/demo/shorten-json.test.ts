import { expect, it } from 'vitest';
import { readable } from './shorten-json.ts';

it('keeps short values unchanged', () => {
  expect(readable({ a: 1, b: ['x'], c: null }, '')).toBe('{"a":1,"b":["x"],"c":null}');
});

it('marks what it omits from a list and a text', () => {
  expect(readable({ list: [1, 2, 3, 4, 5] }, '')).toBe('{"list":[1,2,"… 3 more"]}');
  expect(readable('y'.repeat(61), '')).toBe(`"${'y'.repeat(60)}…"`);
});

it('omits fields that every answer repeats', () => {
  expect(readable({ items: [{ id: 'i', org_id: 'o', created_at: 't' }], next_cursor: null }, '')).toBe(
    '{"items":[{"id":"i"}]}',
  );
});

it('wraps wide values and fills the lines', () => {
  const [x, y] = ['x'.repeat(60), 'y'.repeat(60)];
  expect(readable({ a: 1, b: 2, x, y }, '').split('\n')).toEqual([
    '{',
    `  "a":1, "b":2, "x":"${x}",`,
    `  "y":"${y}"`,
    '}',
  ]);
});
