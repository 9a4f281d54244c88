import { LessonFields, type Mark, Problem, type ROLES } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import type { LessonState, Seat } from '../cascade/cascade.rules.ts';
import { DEFAULT_POLICY } from '../policy/policy.ts';
import { requireRead, requireTime, type MarkInput } from './roll-call.rules.ts';

const TIMES = { starts_at: '2026-03-02T09:00:00.000Z', ends_at: '2026-03-02T10:00:00.000Z' };
const state = (status: 'scheduled' | 'held' | 'cancelled'): LessonState => ({
  lesson: {
    ...LessonFields.withDefaults(TIMES, { teacher_id: 'li', zone: 'UTC' }),
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

describe('a mark that somebody else gave meanwhile', () => {
  const seat = (
    mark: Mark,
    fields: Partial<Pick<NonNullable<Seat['mark']>, 'marked_by' | 'note' | 'revision'>> = {},
  ): Seat => ({
    student_id: 'ann',
    enrolled: true,
    guest: false,
    leave: null,
    mark: {
      mark,
      note: null,
      late_minutes: null,
      charge_rule: mark,
      lesson_hours: 100,
      charged_hours: 100,
      policy_version: 1,
      revision: 2,
      marked_by: 'wu',
      marked_at: '2026-03-02T09:10:00.000Z',
      ...fields,
    } as unknown as NonNullable<Seat['mark']>,
  });
  const said = (fields: Partial<MarkInput>): MarkInput => ({
    student_id: 'ann',
    mark: 'present',
    revision: 1,
    ...fields,
  });
  const refused = (stands: Seat, word: MarkInput): string | undefined => {
    try {
      requireRead([stands], [word], 'li');
      return undefined;
    } catch (error) {
      return error instanceof Problem ? error.code : String(error);
    }
  };

  it('is not written over', () => expect(refused(seat('absent'), said({}))).toBe('mark_changed'));
  it('is written over by who has read it', () =>
    expect(refused(seat('absent'), said({ revision: 2 }))).toBeUndefined());
  it('is written over by who does not say what they read', () =>
    expect(refused(seat('absent'), said({ revision: undefined }))).toBeUndefined());
  it('says the same', () => expect(refused(seat('present'), said({}))).toBeUndefined());
  it('says the same with another note', () =>
    expect(refused(seat('present', { note: 'early' }), said({}))).toBe('mark_changed'));
  it('is the own one', () => expect(refused(seat('absent', { marked_by: 'li' }), said({}))).toBeUndefined());
});
