import { expect, it } from 'vitest';
import { orderOf, offsetOf, sequenceOf, sequenceText } from './offset.ts';

it('orders offsets by epoch, then by number, and converts each order back to its offset', () => {
  const offsets = [
    { epoch: 0, no: 0 },
    { epoch: 0, no: 999_999_999_999 },
    { epoch: 1, no: 1 },
    { epoch: 9_000, no: 123_456_789_012 },
  ];
  const orders = offsets.map(orderOf);
  expect(orders.toSorted((a, b) => a - b)).toEqual(orders);
  expect(orders.map(offsetOf)).toEqual(offsets);
  const texts = offsets.map(sequenceText);
  expect(texts.toSorted()).toEqual(texts);
  expect(texts.map((text) => text.length)).toEqual([16, 16, 16, 16]);
  expect(texts.map((sequence) => sequenceOf({ sequence }))).toEqual(orders);
});
