import { expect, it } from 'vitest';
import { readable } from './shorten-json.ts';

it('keeps what is short as it is', () => {
  expect(readable({ a: 1, b: ['x'], c: null }, '')).toBe('{"a":1,"b":["x"],"c":null}');
});

it('says what it left out of a list and a text', () => {
  expect(readable({ list: [1, 2, 3, 4, 5] }, '')).toBe('{"list":[1,2,"… 3 more"]}');
  expect(readable('y'.repeat(61), '')).toBe(`"${'y'.repeat(60)}…"`);
});

it('leaves out what every answer repeats', () => {
  expect(readable({ items: [{ id: 'i', org_id: 'o', created_at: 't' }], next_cursor: null }, '')).toBe(
    '{"items":[{"id":"i"}]}',
  );
});

it('breaks what is wide, and fills the lines', () => {
  const [x, y] = ['x'.repeat(60), 'y'.repeat(60)];
  expect(readable({ a: 1, b: 2, x, y }, '').split('\n')).toEqual([
    '{',
    `  "a":1, "b":2, "x":"${x}",`,
    `  "y":"${y}"`,
    '}',
  ]);
});
