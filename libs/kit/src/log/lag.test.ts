import { expect, it } from 'vitest';
import { Lag } from './lag.ts';

const NOON = Date.parse('2026-01-05T12:00:00Z');

it('counts from when the oldest entry was told that is lacking', () => {
  const behind = new Lag();
  expect(behind.look(5, 5, NOON)).toBe(0);
  expect(behind.look(5, 7, NOON + 1_000)).toBe(0);
  expect(behind.look(5, 9, NOON + 61_000)).toBe(60_000);
  expect(behind.look(7, 9, NOON + 62_000)).toBe(1_000);
  expect(behind.look(9, 9, NOON + 63_000)).toBe(0);
});

it('is short for one that is never at the end, since there is always something new', () => {
  const behind = new Lag();
  const seen = Array.from({ length: 3_000 }, (_, n) => behind.look(n * 4, n * 4 + 20, NOON + n * 100));
  expect(Math.max(...seen)).toBeLessThan(2_000);
});

it('grows for one that is slower than what comes, and for one that stands still', () => {
  const slow = new Lag();
  const lags = Array.from({ length: 3_000 }, (_, n) => slow.look(n * 5, n * 10, NOON + n * 100));
  // What it lacks first was told half as long ago as it has been at work.
  expect(lags.at(-1)).toBeGreaterThan(145_000);
  expect(lags.at(-1)).toBeLessThan(155_000);
  const still = new Lag();
  const none = Array.from({ length: 20_000 }, (_, n) => still.look(0, n + 1, NOON + n * 1_000));
  expect(none.at(-1)).toBe(19_999_000);
  // Of what was told in the meantime half is applied at once: the rest is half as old, as exactly as is kept.
  const half = still.look(10_000, 20_000, NOON + 20_000_000);
  expect(half).toBeGreaterThan(9_900_000);
  expect(half).toBeLessThan(10_100_000);
});

it('is over when the log ends before what was told earlier, since it was put back', () => {
  const behind = new Lag();
  expect(behind.look(5, 9, NOON)).toBe(0);
  expect(behind.look(5, 5, NOON + 60_000)).toBe(0);
  expect(behind.look(5, 7, NOON + 61_000)).toBe(0);
  expect(behind.look(5, 6, NOON + 62_000)).toBe(0);
  expect(behind.look(5, 6, NOON + 72_000)).toBe(10_000);
});
