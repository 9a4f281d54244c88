import { FIGURES } from '@teaching/contracts';
import { expect, it } from 'vitest';
import { RECORDS } from './record-kinds.ts';

const explained = RECORDS.flatMap(({ explains = [] }) => explains);

it('explains each figure of a kind of subject by one list', () => {
  const names = explained.map(({ figure, subject }) => `${figure} of ${subject}`);
  expect(names).toEqual([...new Set(names)]);
});

it('explains every figure', () => {
  expect(new Set(explained.map(({ figure }) => figure))).toEqual(new Set(FIGURES));
});
