import { expect, it } from 'vitest';
import { createAddressPace } from './address-pace.ts';

const pace = (most_ms = 1_000) => {
  let now = 0;
  const waitOf = createAddressPace(most_ms, () => now);
  return { waitOf, after: (ms: number) => void (now += ms) };
};

it('lets an address do a burst of 64 units at once, and then one a millisecond', () => {
  const { waitOf, after } = pace();
  after(64);
  const waits = Array.from({ length: 67 }, () => waitOf('a', 1));
  expect(waits).toEqual([...Array.from({ length: 65 }, () => 0), 1, 2]);
  // Another address does not wait for it.
  expect(waitOf('b', 1)).toBe(0);
  after(3);
  expect([waitOf('a', 10), waitOf('a', 1)]).toEqual([0, 10]);
});

it('delays no work for longer than the configured time', () => {
  const { waitOf } = pace(100);
  expect([waitOf('a', 5_000), waitOf('a', 5_000), waitOf('a', 1)]).toEqual([0, 100, 100]);
});

it('gives an address that was silent no more than one burst', () => {
  const { waitOf, after } = pace();
  waitOf('a', 1);
  after(60_000);
  expect([waitOf('a', 64), waitOf('a', 1), waitOf('a', 1)]).toEqual([0, 0, 1]);
});
