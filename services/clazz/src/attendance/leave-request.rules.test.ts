import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../policy/policy.ts';
import { exceedsQuota, isApprovedAtOnce, isInTime } from './leave-request.rules.ts';

const day = (n: number): string => new Date(Date.UTC(2026, 2, 1 + n, 9)).toISOString();

describe('the deadline', () => {
  it.each([
    ['a second before', 24, '2026-03-01T08:59:59.000Z', true],
    ['at it', 24, '2026-03-01T09:00:00.000Z', true],
    ['just after', 24, '2026-03-01T09:00:00.001Z', false],
    ['without notice needed, at the start', 0, '2026-03-02T09:00:00.000Z', true],
  ])('%s', (_what, hours, now, expected) => {
    expect(isInTime(day(1), hours, new Date(now))).toBe(expected);
  });
});

describe('policy says yes by itself', () => {
  it.each([
    ['in_time', 'scheduled', true, 1, true],
    ['in_time', 'scheduled', false, 1, false],
    ['in_time', 'scheduled', true, 3, false],
    ['in_time', 'held', true, 1, false],
    ['staff', 'scheduled', true, 1, false],
  ] as const)('%s to a lesson that is %s, in time: %s, on day %i', (approval, status, in_time, today, expected) => {
    const policy = { ...DEFAULT_POLICY, leave: { ...DEFAULT_POLICY.leave, approval } };
    const lesson = { status, starts_at: day(2) };
    expect(isApprovedAtOnce(policy, lesson, in_time, new Date(day(today)))).toBe(expected);
  });
});

describe('the quota of any 30 days', () => {
  it.each<[string, number[], number[], number | null, boolean]>([
    ['none', [1, 2, 3], [4], null, false],
    ['room left', [1], [2], 2, false],
    ['one too many', [1, 2], [3], 2, true],
    ['30 days apart', [1], [31], 1, false],
    ['29 days apart', [1], [30], 1, true],
    ['before those that were asked for', [20, 25], [1], 2, true],
    ['between two windows', [1, 40], [20], 1, true],
    ['a range that is too long by itself', [], [1, 2, 3], 2, true],
    ['zero', [], [1], 0, true],
    ['a window that was full before and has nothing new', [1, 2, 3], [50], 2, false],
  ])('%s', (_what, taken, wanted, quota, expected) => {
    expect(exceedsQuota(taken.map(day), wanted.map(day), quota)).toBe(expected);
  });
});
