import { describe, expect, it } from 'vitest';
import { shownLesson } from '../../test/shown-lesson.ts';
import { conflictsByLesson, placesOf, rollCallOf } from './lesson.rules.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const nobody = { present: 0, late: 0, absent: 0, leave: 0, makeup: 0, trial: 0, unmarked: 0 };
const lesson = {
  status: 'scheduled' as const,
  ends_at: '2026-11-23T11:00:00Z',
  enrolled: 3,
  guests: 1,
  capacity: 6,
  free: 2,
  marks: nobody,
};

describe('The marks shown on a lesson', () => {
  it.each([
    ['missing', { marks: { ...nobody, unmarked: 3 } }],
    ['incomplete', { marks: { ...nobody, unmarked: 2, late: 1 } }],
    ['done', { marks: { ...nobody, absent: 3 } }],
    [undefined, { marks: nobody }],
    [undefined, { marks: { ...nobody, unmarked: 3 }, ends_at: '2026-11-23T13:00:00Z' }],
    [undefined, { marks: { ...nobody, unmarked: 3 }, status: 'cancelled' as const }],
  ])('returns the roll call state %s', (state, of) => {
    expect(rollCallOf({ ...lesson, ...of }, NOW)).toBe(state);
  });

  it('counts taken places, including those of suspended students', () => {
    expect(placesOf(lesson)).toEqual({ taken: 4, of: 6, isFull: false });
    expect(placesOf({ ...lesson, free: 0 })).toEqual({ taken: 6, of: 6, isFull: true });
    expect(placesOf({ ...lesson, capacity: null, free: null })).toEqual({ taken: 4, of: null, isFull: false });
  });
});

describe('Accepted conflicts', () => {
  const [a, b] = [shownLesson('a', '2026-11-23T10:00:00Z'), shownLesson('b', '2026-11-23T10:30:00Z')];
  const conflictWith = ({ id: lesson_id, clazz_id, clazz_name, starts_at, ends_at }: typeof a) => ({
    lesson_id,
    clazz_id,
    clazz_name,
    starts_at,
    ends_at,
    teacher_id: null,
    teacher_name: null,
    room: 'Lab',
    student_ids: [],
    student_names: [],
  });

  it('are known for both lessons, once, whether one or both were accepted', () => {
    const both = new Map([
      ['a', [conflictWith(b)]],
      ['b', [conflictWith(a)]],
    ]);
    const accepted = { ...a, conflicts: [conflictWith(b)] };
    expect(conflictsByLesson([accepted])).toEqual(both);
    expect(conflictsByLesson([accepted, { ...b, conflicts: [conflictWith(a)] }])).toEqual(both);
    expect(conflictsByLesson([])).toEqual(new Map());
  });
});
