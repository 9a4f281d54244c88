import { expect, it } from 'vitest';
import { toBatches } from './event-batches.ts';

const text = (bytes: number): string => 'x'.repeat(bytes - 2);

it.each([
  ['an empty list', [], []],
  ['one row', [10], [[10]]],
  ['one row that is larger than a part', [150], [[150]]],
  ['two rows that fill a part exactly', [40, 60], [[40, 60]]],
  ['two rows that exceed a part by one byte', [40, 61], [[40], [61]]],
  ['a large row among small ones', [10, 150, 10, 10], [[10], [150], [10, 10]]],
])('splits a list into parts of at most 100 bytes: %s', (_case, sizes, wanted) => {
  const rows = sizes.map(text);
  const parts = toBatches(rows, 100);
  expect(parts.map((part) => part.map((row) => row.length + 2))).toEqual(wanted);
  expect(parts.flat()).toEqual(rows);
});

it('counts bytes, not characters', () => expect(toBatches(['\u4e2d'.repeat(30), 'x'], 93)).toHaveLength(2));

it('keeps thousands of ordinary rows in one part', () => {
  const rows = Array.from({ length: 2_000 }, (_, n) => ({ id: crypto.randomUUID(), student_id: `student-${n}` }));
  expect(toBatches(rows)).toHaveLength(1);
});
