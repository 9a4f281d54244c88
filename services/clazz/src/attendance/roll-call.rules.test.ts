import { LessonFields, type Mark, Problem, type ROLES } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import type { LessonState, Seat } from '../cascade/cascade.rules.ts';
import { DEFAULT_POLICY } from '../policy/policy.ts';
import { requireNewestRevision, requireRollCallTime, requireWithdrawer, type MarkInput } from './roll-call.rules.ts';

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
  marks: [{ student_id: 'ann', mark: 'present' as const }],
});
const WITHDRAWAL = [{ student_id: 'ann', mark: null }];
const TEACHER = as('TEACHER');
const SUPERVISOR = as('SUPERVISOR');

describe('The time of a roll call', () => {
  it.each([
    ['is too early 16 minutes before the lesson', '2026-03-02T08:44:00.000Z', TEACHER, 'roll_call_too_early'],
    [
      'is too early for a supervisor with a reason as well',
      '2026-03-02T08:44:00.000Z',
      { ...SUPERVISOR, reason: 'x' },
      'roll_call_too_early',
    ],
    ['is never too early for a withdrawal', '2026-03-02T08:44:00.000Z', { ...TEACHER, marks: WITHDRAWAL }, undefined],
    [
      'is too early for a withdrawal with another mark',
      '2026-03-02T08:44:00.000Z',
      { ...TEACHER, marks: [...WITHDRAWAL, ...TEACHER.marks] },
      'roll_call_too_early',
    ],
    [
      'is too late for a withdrawal by a teacher after the edit window',
      '2026-03-09T10:00:00.001Z',
      { ...TEACHER, marks: WITHDRAWAL },
      'edit_window_over',
    ],
    ['is allowed 15 minutes before the lesson', '2026-03-02T08:45:00.000Z', TEACHER, undefined],
    ['is allowed at the end of the edit window', '2026-03-09T10:00:00.000Z', TEACHER, undefined],
    ['is too late for a teacher after the edit window', '2026-03-09T10:00:00.001Z', TEACHER, 'edit_window_over'],
    [
      'is too late for a teacher with a reason',
      '2026-03-09T10:00:00.001Z',
      { ...TEACHER, reason: 'x' },
      'edit_window_over',
    ],
    ['needs a reason of a supervisor after the edit window', '2026-03-09T10:00:00.001Z', SUPERVISOR, 'invalid_request'],
    [
      'is allowed to a supervisor with a reason after the edit window',
      '2027-03-09T10:00:00.001Z',
      { ...SUPERVISOR, reason: 'x' },
      undefined,
    ],
  ])('%s', (_what, now, editor, expected) => {
    let code: string | undefined;
    try {
      requireRollCallTime(state('scheduled'), DEFAULT_POLICY, editor, new Date(now));
    } catch (error) {
      code = error instanceof Problem ? error.code : String(error);
    }
    expect(code).toBe(expected);
  });

  it('is refused for a cancelled lesson', () => {
    const now = new Date('2026-03-02T09:30:00.000Z');
    expect(() => requireRollCallTime(state('cancelled'), DEFAULT_POLICY, TEACHER, now)).toThrow(/cancelled/);
  });
});

const seat = (
  mark: Mark | null,
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

describe('The withdrawal of a mark', () => {
  const own = seat('present', { marked_by: 'li' });
  const ofOther = { ...seat('late'), student_id: 'bob' };
  const bothWithdrawn = [...WITHDRAWAL, { student_id: 'bob', mark: null }];
  const AFTER_10_MINUTES = '2026-03-02T09:20:00.000Z';
  const LATER = '2026-03-02T09:20:00.001Z';
  it.each([
    ['is allowed to the teacher who set it, 10 minutes later', [own], WITHDRAWAL, AFTER_10_MINUTES, TEACHER, undefined],
    ['is not allowed to that teacher after 10 minutes', [own], WITHDRAWAL, LATER, TEACHER, 'forbidden'],
    [
      'is not allowed to a teacher with a reason after 10 minutes',
      [own],
      WITHDRAWAL,
      LATER,
      { ...TEACHER, reason: 'x' },
      'forbidden',
    ],
    [
      'needs a reason of a supervisor, also of the one who set it a moment ago',
      [own],
      WITHDRAWAL,
      AFTER_10_MINUTES,
      SUPERVISOR,
      'invalid_request',
    ],
    ['is not allowed to another teacher', [seat('present')], WITHDRAWAL, AFTER_10_MINUTES, TEACHER, 'forbidden'],
    [
      'is refused as a whole for one mark of another person',
      [own, ofOther],
      bothWithdrawn,
      AFTER_10_MINUTES,
      TEACHER,
      'forbidden',
    ],
    [
      'needs a reason of a supervisor for a mark of another person',
      [own, ofOther],
      bothWithdrawn,
      LATER,
      SUPERVISOR,
      'invalid_request',
    ],
    [
      'is allowed to a supervisor with a reason',
      [own, ofOther],
      bothWithdrawn,
      LATER,
      { ...SUPERVISOR, reason: 'x' },
      undefined,
    ],
    ['ignores marks that stay', [own, ofOther], WITHDRAWAL, AFTER_10_MINUTES, TEACHER, undefined],
    ['again is allowed', [seat(null)], WITHDRAWAL, LATER, TEACHER, undefined],
  ])('%s', (_what, seats, marks, now, { caller, reason }, expected) => {
    let code: string | undefined;
    try {
      requireWithdrawer(seats, { marks, reason }, { caller, actor_id: 'li', now: new Date(now) });
    } catch (error) {
      code = error instanceof Problem ? error.code : String(error);
    }
    expect(code).toBe(expected);
  });
});

describe('A mark that another person changed meanwhile', () => {
  const markInput = (fields: Partial<MarkInput>): MarkInput => ({
    student_id: 'ann',
    mark: 'present',
    revision: 1,
    ...fields,
  });
  const refused = (current: Seat, input: MarkInput): string | undefined => {
    try {
      requireNewestRevision([current], [input], 'li');
      return undefined;
    } catch (error) {
      return error instanceof Problem ? error.code : String(error);
    }
  };

  it('refuses a mark with an older revision', () =>
    expect(refused(seat('absent'), markInput({}))).toBe('mark_changed'));
  it('accepts a mark with the newest revision', () =>
    expect(refused(seat('absent'), markInput({ revision: 2 }))).toBeUndefined());
  it('accepts a mark without a revision', () =>
    expect(refused(seat('absent'), markInput({ revision: undefined }))).toBeUndefined());
  it('accepts the same mark with an older revision', () =>
    expect(refused(seat('present'), markInput({}))).toBeUndefined());
  it('refuses the same mark with another note and an older revision', () =>
    expect(refused(seat('present', { note: 'early' }), markInput({}))).toBe('mark_changed'));
  it('accepts an older revision when the caller set the current mark', () =>
    expect(refused(seat('absent', { marked_by: 'li' }), markInput({}))).toBeUndefined());
});
