import type { LeaveQuote } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { leaveEntryOf, markedLesson } from './leave-entry.rules.ts';

const DEADLINE = '2026-11-23T09:00:00.000Z';
const quote = (more: Partial<LeaveQuote> = {}): LeaveQuote => ({
  allowed: true,
  refusal: null,
  deadline: DEADLINE,
  in_time: true,
  at_once: false,
  charge_hours: '0.00',
  absent_hours: '1.00',
  quota: { limit: 2, used: 1 },
  make_up: null,
  policy_version: 1,
  ...more,
});
const late = quote({ allowed: false, refusal: 'leave_too_late', in_time: false, charge_hours: '0.50' });

describe('Leave from a lesson that has begun', () => {
  it('is approved with a reason only, if the student attended or the edit window of the held lesson is over', () => {
    const at = (mark: 'present' | 'late' | 'absent' | null, status: 'held' | 'scheduled', now: string) =>
      markedLesson(
        { lesson: { status }, marks: [{ student_id: 'tom', mark }], closes_at: DEADLINE },
        'tom',
        Date.parse(now),
      );
    const after = '2026-11-23T09:00:00.001Z';
    expect(at('present', 'scheduled', DEADLINE)).toEqual({ mark: 'present', reasonFor: 'attended' });
    expect(at('late', 'held', after)).toEqual({ mark: 'late', reasonFor: 'attended' });
    expect(at('absent', 'held', after)).toEqual({ mark: 'absent', reasonFor: 'window' });
    expect(at('absent', 'held', DEADLINE)).toEqual({ mark: 'absent', reasonFor: undefined });
    expect(at(null, 'scheduled', after)).toEqual({ mark: null, reasonFor: undefined });
  });
});

describe('Leave that the office enters', () => {
  it('needs nothing more when it is in time and below the limit', () => {
    const expected = { in_time: true, charge_hours: '0.00', override: undefined, refusal: undefined };
    expect(leaveEntryOf(quote(), undefined)).toEqual(expected);
  });

  it('needs a reason after the deadline where the policy refuses it, unless a call was in time', () => {
    expect(leaveEntryOf(late, undefined)).toMatchObject({ override: 'leave_too_late', charge_hours: '0.50' });
    expect(leaveEntryOf(late, '2026-11-23T09:01:00.000Z')).toMatchObject({ override: 'leave_too_late' });
    const timely = { in_time: true, charge_hours: undefined, override: undefined };
    expect(leaveEntryOf(late, DEADLINE)).toMatchObject(timely);
    const accepted = quote({ in_time: false, charge_hours: '0.50' });
    expect(leaveEntryOf(accepted, undefined)).toMatchObject({ in_time: false, override: undefined });
  });

  it('needs a reason beyond the limit, also if the deadline is the first refusal', () => {
    const full = { limit: 2, used: 3 };
    const beyond = quote({ allowed: false, refusal: 'leave_quota', quota: full });
    expect(leaveEntryOf(beyond, undefined)).toMatchObject({ override: 'leave_quota', refusal: undefined });
    expect(leaveEntryOf({ ...late, quota: full }, DEADLINE)).toMatchObject({ override: 'leave_quota' });
  });

  it('is impossible for a closed class or where leave exists', () => {
    for (const refusal of ['clazz_closed', 'leave_exists', 'invalid_transition'] as const)
      expect(leaveEntryOf(quote({ allowed: false, refusal }), undefined).refusal).toBe(refusal);
  });
});
