import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../policy/policy.ts';
import { exceedsQuota, isApprovedAtOnce, isInTime } from './leave-request.rules.ts';

const day = (n: number): string => new Date(Date.UTC(2026, 2, 1 + n, 9)).toISOString();

describe('Leave requested before its deadline is in time', () => {
  it.each([
    ['one second before the deadline', 24, '2026-03-01T08:59:59.000Z', true],
    ['at the deadline', 24, '2026-03-01T09:00:00.000Z', true],
    ['one millisecond after the deadline', 24, '2026-03-01T09:00:00.001Z', false],
    ['with a deadline of 0 hours, at the start of the lesson', 0, '2026-03-02T09:00:00.000Z', true],
  ])('%s', (_what, hours, now, expected) => {
    expect(isInTime(day(1), hours, new Date(now))).toBe(expected);
  });
});

describe('Whether the policy approves leave at once', () => {
  it.each([
    ['in_time', 'scheduled', true, 1, true],
    ['in_time', 'scheduled', false, 1, false],
    ['in_time', 'scheduled', true, 3, false],
    ['in_time', 'held', true, 1, false],
    ['staff', 'scheduled', true, 1, false],
  ] as const)(
    'approval `%s`, lesson %s, in time %s, requested on day %i: %s',
    (approval, status, in_time, today, expected) => {
      const policy = { ...DEFAULT_POLICY, leave: { ...DEFAULT_POLICY.leave, approval } };
      const lesson = { status, starts_at: day(2) };
      expect(isApprovedAtOnce(policy, lesson, in_time, new Date(day(today)))).toBe(expected);
    },
  );
});

describe('The quota of leave in any 30 days', () => {
  it.each<[string, number[], number[], number | null, boolean]>([
    ['is not exceeded without a quota', [1, 2, 3], [4], null, false],
    ['is not exceeded while leave is left', [1], [2], 2, false],
    ['is exceeded by one lesson too many', [1, 2], [3], 2, true],
    ['does not count lessons that are 30 days apart', [1], [31], 1, false],
    ['counts lessons that are 29 days apart', [1], [30], 1, true],
    ['counts existing leave after the requested lesson', [20, 25], [1], 2, true],
    ['is exceeded by a lesson between two others', [1, 40], [20], 1, true],
    ['is exceeded by one request for too many lessons', [], [1, 2, 3], 2, true],
    ['of zero refuses every request', [], [1], 0, true],
    ['ignores a full window without a requested lesson', [1, 2, 3], [50], 2, false],
  ])('%s', (_what, taken, wanted, quota, expected) => {
    expect(exceedsQuota(taken.map(day), wanted.map(day), quota, 'UTC')).toBe(expected);
  });

  it.each([
    // 30 days apart by local date, but less than 30 times 24 hours: the clocks go forward on March 29.
    ['does not count the 30th day after', '2026-03-10T17:00:00Z', '2026-04-09T16:00:00Z', 'Europe/Berlin', false],
    ['counts a lesson late on the 29th day', '2026-03-10T08:00:00Z', '2026-04-08T20:00:00Z', 'Europe/Berlin', true],
    // March 31 in Auckland is 30 days after March 1, but March 30 in UTC.
    [
      'counts days of the zone of the organization',
      '2026-03-01T09:00:00Z',
      '2026-03-30T12:00:00Z',
      'Pacific/Auckland',
      false,
    ],
    ['counts days of UTC in UTC', '2026-03-01T09:00:00Z', '2026-03-30T12:00:00Z', 'UTC', true],
  ])('%s', (_what, taken, wanted, zone, expected) => {
    expect(exceedsQuota([taken], [wanted], 1, zone)).toBe(expected);
  });
});
