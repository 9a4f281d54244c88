import { describe, expect, it } from 'vitest';
import { caller } from '../../../../tools/proofs/test/caller.ts';
import { refusalOf } from '../../../../tools/proofs/test/refusal-of.ts';
import { toConflicts } from '../record/conflict.rules.ts';
import { cancellation, checkTimes, checkOverride, requireCancellable } from './lesson.rules.ts';

describe('Rules of a lesson', () => {
  it.each([
    ['one hour', '2030-01-01T11:00:00.000Z', 'fine'],
    ['24 hours', '2030-01-02T10:00:00.000Z', 'fine'],
    ['more than 24 hours', '2030-01-02T10:00:00.001Z', 'invalid_request'],
    ['no duration', '2030-01-01T10:00:00.000Z', 'invalid_request'],
    ['a negative duration', '2030-01-01T09:00:00.000Z', 'invalid_request'],
  ])('a lesson of %s, ending at %s: %s', (_name, ends_at, expected) => {
    expect(refusalOf(() => checkTimes({ starts_at: '2030-01-01T10:00:00.000Z', ends_at }))).toBe(expected);
  });

  it('may override a clash only for a supervisor', () => {
    expect(checkOverride(caller('u', 'SUPERVISOR'), { override: true })).toBe(true);
    expect(checkOverride(caller('u', 'TEACHER'), {})).toBe(false);
    expect(refusalOf(() => checkOverride(caller('u', 'TEACHER'), { override: true }))).toBe('forbidden');
  });

  it.each([
    ['SUPERVISOR', 'held', 'why', 'fine'],
    ['SUPERVISOR', 'held', null, 'invalid_request'],
    ['TEACHER', 'held', 'why', 'forbidden'],
    ['TEACHER', 'scheduled', null, 'fine'],
    ['SUPERVISOR', 'cancelled', 'why', 'invalid_transition'],
  ] as const)('a %s cancels a lesson that is %s with the reason %s: %s', (role, status, reason, expected) => {
    expect(refusalOf(() => requireCancellable(caller('u', role), { status }, reason))).toBe(expected);
  });

  it('is cancelled by the teacher for a teacher, by the org for a supervisor, or as the request says', () => {
    expect(cancellation(caller('u', 'TEACHER'), undefined)).toEqual({
      by: 'teacher',
      reason: null,
      reason_public: false,
    });
    expect(cancellation(caller('u', 'SUPERVISOR'), {})).toEqual({ by: 'org', reason: null, reason_public: false });
    expect(cancellation(caller('u', 'SUPERVISOR'), { by: 'teacher', reason: 'ill' })).toEqual({
      by: 'teacher',
      reason: 'ill',
      reason_public: false,
    });
  });
});

describe('Conflicts', () => {
  const NOBODY = { clazz_name: 'Class', teacher_name: null, student_name: null };
  const row = {
    n: 1,
    clazz_id: 'c',
    ends_at: '',
    teacher_id: null,
    room: null,
    student_id: null,
    override: false,
    ...NOBODY,
  };
  it('are one for each clashing lesson, with all reasons, ordered by start', () => {
    const found = toConflicts([
      { ...row, lesson_id: 'late', starts_at: '2', teacher_id: 't', teacher_name: 'Tom' },
      { ...row, lesson_id: 'early', starts_at: '1', student_id: 'b', student_name: 'Bo' },
      { ...row, lesson_id: 'late', starts_at: '2', room: 'R' },
      { ...row, lesson_id: 'early', starts_at: '1', student_id: 'a' },
      { ...row, lesson_id: 'early', starts_at: '1', student_id: 'a' },
    ]);
    expect(found.map((it) => [it.lesson_id, it.teacher_id, it.room, it.student_ids])).toEqual([
      ['early', null, null, ['a', 'b']],
      ['late', 't', 'R', []],
    ]);
    expect(found.map((it) => [it.teacher_name, it.student_names])).toEqual([
      [null, [null, 'Bo']],
      ['Tom', []],
    ]);
  });
});
