import { LessonFields, Problem, type ROLES } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../policy/policy-in-force.ts';
import type { LessonState } from '../cascade/lesson-state.ts';
import { requireTime } from './roll-call.rules.ts';

const TIMES = { starts_at: '2026-03-02T09:00:00.000Z', ends_at: '2026-03-02T10:00:00.000Z' };
const state = (status: 'scheduled' | 'held' | 'cancelled'): LessonState => ({
  lesson: {
    ...LessonFields.filled(TIMES, { teacher_id: 'li', zone: 'UTC' }),
    id: 'lesson',
    org_id: 'org',
    clazz_id: 'clazz',
    series_id: null,
    status,
    cancelled_by: null,
    cancel_reason: null,
    reason_public: false,
    version: 1,
    created_at: '2026-03-01T09:00:00.000Z',
    updated_at: '2026-03-01T09:00:00.000Z',
  },
  clazz: {
    id: 'clazz',
    name: 'Class',
    status: 'active',
    course_id: null,
    lead_teacher_id: 'li',
    assistant_ids: [],
    capacity: null,
  },
  seats: [],
});
const as = (role: (typeof ROLES)[number]) => ({
  caller: { user_id: 'li', org_id: 'org', roles: [role], request_id: 'r', ip: undefined },
  reason: null,
});
const TEACHER = as('TEACHER');
const SUPERVISOR = as('SUPERVISOR');

describe('when roll call may be taken', () => {
  it.each([
    ['16 minutes before', '2026-03-02T08:44:00.000Z', TEACHER, 'roll_call_too_early'],
    [
      'also too early for supervisors',
      '2026-03-02T08:44:00.000Z',
      { ...SUPERVISOR, reason: 'x' },
      'roll_call_too_early',
    ],
    ['15 minutes before', '2026-03-02T08:45:00.000Z', TEACHER, undefined],
    ['at the end of the window', '2026-03-09T10:00:00.000Z', TEACHER, undefined],
    ['after the window', '2026-03-09T10:00:00.001Z', TEACHER, 'edit_window_over'],
    ['a teacher with a reason', '2026-03-09T10:00:00.001Z', { ...TEACHER, reason: 'x' }, 'edit_window_over'],
    ['a supervisor without a reason', '2026-03-09T10:00:00.001Z', SUPERVISOR, 'invalid_request'],
    ['a supervisor with a reason', '2027-03-09T10:00:00.001Z', { ...SUPERVISOR, reason: 'x' }, undefined],
  ])('%s', (_what, now, who, expected) => {
    let code: string | undefined;
    try {
      requireTime(state('scheduled'), DEFAULT_POLICY, who, new Date(now));
    } catch (error) {
      code = error instanceof Problem ? error.code : String(error);
    }
    expect(code).toBe(expected);
  });

  it('never for a cancelled lesson', () => {
    const now = new Date('2026-03-02T09:30:00.000Z');
    expect(() => requireTime(state('cancelled'), DEFAULT_POLICY, TEACHER, now)).toThrow(/cancelled/);
  });
});
