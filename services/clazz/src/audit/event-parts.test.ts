import { expect, it } from 'vitest';
import { inBatches } from './event-batches.ts';

const text = (bytes: number): string => 'x'.repeat(bytes - 2);

it.each([
  ['nothing', [], []],
  ['one row', [10], [[10]]],
  ['one row that is too large by itself', [150], [[150]]],
  ['what just fits', [40, 60], [[40, 60]]],
  ['one byte more', [40, 61], [[40], [61]]],
  ['a large row among small ones', [10, 150, 10, 10], [[10], [150], [10, 10]]],
])('parts of at most 100 bytes: %s', (_case, sizes, wanted) => {
  const rows = sizes.map(text);
  const parts = inBatches(rows, 100);
  expect(parts.map((part) => part.map((row) => row.length + 2))).toEqual(wanted);
  expect(parts.flat()).toEqual(rows);
});

it('counts bytes, not characters', () => expect(inBatches(['\u4e2d'.repeat(30), 'x'], 93)).toHaveLength(2));

it('thousands of usual rows stay together', () => {
  const rows = Array.from({ length: 2_000 }, (_, n) => ({ id: crypto.randomUUID(), student_id: `student-${n}` }));
  expect(inBatches(rows)).toHaveLength(1);
});
