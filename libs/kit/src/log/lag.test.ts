import { expect, it } from 'vitest';
import { Lag } from './lag.ts';

const NOON = Date.parse('2026-01-05T12:00:00Z');

it('counts from the time when the follower learned of the oldest missing entry', () => {
  const lag = new Lag();
  expect(lag.measure(5, 5, NOON)).toBe(0);
  expect(lag.measure(5, 7, NOON + 1_000)).toBe(0);
  expect(lag.measure(5, 9, NOON + 61_000)).toBe(60_000);
  expect(lag.measure(7, 9, NOON + 62_000)).toBe(1_000);
  expect(lag.measure(9, 9, NOON + 63_000)).toBe(0);
});

it('stays short for a follower that is never at the end because new entries always arrive', () => {
  const lag = new Lag();
  const seen = Array.from({ length: 3_000 }, (_, n) => lag.measure(n * 4, n * 4 + 20, NOON + n * 100));
  expect(Math.max(...seen)).toBeLessThan(2_000);
});

it('grows for a follower that is slower than its source, and for one that is stopped', () => {
  const slow = new Lag();
  const lags = Array.from({ length: 3_000 }, (_, n) => slow.measure(n * 5, n * 10, NOON + n * 100));
  // The oldest missing entry was published after half of the elapsed time.
  expect(lags.at(-1)).toBeGreaterThan(145_000);
  expect(lags.at(-1)).toBeLessThan(155_000);
  const still = new Lag();
  const none = Array.from({ length: 20_000 }, (_, n) => still.measure(0, n + 1, NOON + n * 1_000));
  expect(none.at(-1)).toBe(19_999_000);
  // Half of the entries are applied at once: the lag halves, within the precision of the stored marks.
  const half = still.measure(10_000, 20_000, NOON + 20_000_000);
  expect(half).toBeGreaterThan(9_900_000);
  expect(half).toBeLessThan(10_100_000);
});

it('ends when a restored log ends before the number that was published earlier', () => {
  const lag = new Lag();
  expect(lag.measure(5, 9, NOON)).toBe(0);
  expect(lag.measure(5, 5, NOON + 60_000)).toBe(0);
  expect(lag.measure(5, 7, NOON + 61_000)).toBe(0);
  expect(lag.measure(5, 6, NOON + 62_000)).toBe(0);
  expect(lag.measure(5, 6, NOON + 72_000)).toBe(10_000);
});
