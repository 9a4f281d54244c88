import { FIGURES } from '@teaching/contracts';
import { expect, it } from 'vitest';
import { RECORD_KINDS } from './record-kinds.ts';

const explained = RECORD_KINDS.flatMap(({ explanations = [] }) => explanations);

it('each figure of a kind of subject has one explanation', () => {
  const names = explained.map(({ figure, subject }) => `${figure} of ${subject}`);
  expect(names).toEqual([...new Set(names)]);
});

it('every figure has an explanation', () => {
  expect(new Set(explained.map(({ figure }) => figure))).toEqual(new Set(FIGURES));
});
