import { describe, expect, it } from 'vitest';
import { ONE_UNMARKED, shownLesson } from '../../test/shown-lesson.ts';
import type { Child } from './child.rules.ts';
import {
  type LessonActions,
  lessonActionsOf,
  byDay,
  type ClassTeachers,
  type Leave,
  type Lesson,
  isOver,
  markOf,
  nextOf,
  withLeave,
} from './lesson-days.rules.ts';

const CHILD: Child = { id: 'mia', name: 'Mia', isSelf: true };
const lesson = (id: string, starts_at: string, more: Partial<Lesson> = {}): Lesson => ({
  ...shownLesson(id, starts_at),
  clazz_id: 'c',
  zone: 'Europe/Madrid',
  series_id: 's',
  room: 'A',
  ...more,
});
const leave = (lesson_id: string, more: Partial<Leave> = {}): Leave => ({
  id: `leave of ${lesson_id}`,
  clazz_id: 'c',
  clazz_name: 'Algebra',
  lesson_id,
  student_id: 'mia',
  student_name: 'Mia',
  status: 'approved',
  in_time: true,
  reason: 'ill',
  requested_by: 'mia',
  requested_by_name: 'Mia',
  requested_at: '2026-11-20T00:00:00.000Z',
  decided_by: null,
  decided_by_name: null,
  decided_at: null,
  decision_reason: null,
  cancelled_by: null,
  cancelled_by_name: null,
  cancelled_at: null,
  called_at: null,
  called_by: null,
  called_by_name: null,
  override_reason: null,
  policy_version: 1,
  lesson_starts_at: '2026-11-24T15:00:00.000Z',
  lesson_ends_at: '2026-11-24T16:00:00.000Z',
  make_up: null,
  version: 1,
  ...more,
});
const NOW = Date.parse('2026-11-23T18:00:00.000Z');
const credit = { expires_at: '2027-01-01T00:00:00.000Z', lesson_ends_at: null };
const lessonWith = (item: Lesson, ...leaves: Leave[]) => {
  const [found] = withLeave(CHILD, [item], { leaves, entries: [], clazzes: [] });
  if (found === undefined) throw new Error('no lesson');
  return found;
};

describe('Grouping lessons by day', () => {
  it('uses local days of the zone, oldest or newest first', () => {
    const all = [lesson('b', '2026-11-23T23:30:00Z'), lesson('a', '2026-11-23T22:30:00Z')].map((item) =>
      lessonWith(item),
    );
    const idsByDay = (backwards: boolean) =>
      byDay(all, 'Europe/Madrid', backwards).map(([date, dayLessons]) => [
        date,
        ...dayLessons.map(({ lesson: { id } }) => id),
      ]);
    expect(idsByDay(false)).toEqual([
      ['2026-11-23', 'a'],
      ['2026-11-24', 'b'],
    ]);
    expect(idsByDay(true)).toEqual(idsByDay(false).toReversed());
  });
});

describe('A substitute', () => {
  const clazz = { id: 'c', lead_teacher_id: 'li', assistant_ids: ['wu'] };
  const isSubstituted = (teacher_id: string, clazzes: ClassTeachers[], clazz_id = 'c') =>
    withLeave(CHILD, [lesson('l', '2026-11-24T15:00:00.000Z', { teacher_id, clazz_id })], {
      leaves: [],
      entries: [],
      clazzes,
    })[0]?.isSubstituted;
  it('is a teacher who neither leads nor assists the class of the lesson', () => {
    expect(['li', 'wu', 'rossi'].map((teacher) => isSubstituted(teacher, [clazz]))).toEqual([false, false, true]);
  });
  it('is not stated where the teachers of the class are not known', () => {
    expect([isSubstituted('rossi', []), isSubstituted('rossi', [clazz], 'other')]).toEqual([false, false]);
  });
});

describe('Actions on a lesson', () => {
  const ahead = lesson('l', '2026-11-24T15:00:00.000Z');
  const NOTHING: LessonActions = {
    canRequestLeave: false,
    canWithdrawLeave: false,
    canChooseMakeUp: false,
    canUndoMakeUp: false,
  };
  it('offers leave before the lesson begins, and again after a rejection', () => {
    expect(lessonActionsOf(lessonWith(ahead), NOW)).toEqual<LessonActions>({ ...NOTHING, canRequestLeave: true });
    expect(lessonActionsOf(lessonWith(ahead, leave('l', { status: 'rejected' })), NOW)).toEqual<LessonActions>({
      ...NOTHING,
      canRequestLeave: true,
    });
    expect(lessonActionsOf(lessonWith(ahead), Date.parse(ahead.starts_at))).toEqual(NOTHING);
    expect(lessonActionsOf(lessonWith({ ...ahead, status: 'cancelled' }), NOW)).toEqual(NOTHING);
  });
  it('offers to withdraw leave, and to choose a make-up once leave is approved', () => {
    expect(lessonActionsOf(lessonWith(ahead, leave('l', { status: 'pending' })), NOW)).toEqual<LessonActions>({
      ...NOTHING,
      canWithdrawLeave: true,
    });
    const make_up = { ...credit, status: 'available', lesson_id: null, lesson_starts_at: null } as const;
    expect(lessonActionsOf(lessonWith(ahead, leave('l', { make_up })), NOW)).toEqual<LessonActions>({
      ...NOTHING,
      canWithdrawLeave: true,
      canChooseMakeUp: true,
    });
  });
  it('offers to undo a booked make-up on the make-up lesson, before the leave can be withdrawn', () => {
    const make_up = {
      ...credit,
      status: 'used',
      lesson_id: 'm',
      lesson_starts_at: '2026-11-25T15:00:00.000Z',
    } as const;
    const withBooking = leave('l', { make_up });
    expect(lessonActionsOf(lessonWith(ahead, withBooking), NOW)).toEqual(NOTHING);
    expect(
      lessonActionsOf(lessonWith(lesson('m', '2026-11-25T15:00:00.000Z'), withBooking), NOW),
    ).toEqual<LessonActions>({
      ...NOTHING,
      canUndoMakeUp: true,
    });
  });
});

describe('The next lesson', () => {
  it('is the first lesson that is not cancelled, not over and without approved leave, also after an early roll call', () => {
    const all = [
      lessonWith(lesson('over', '2026-11-23T16:00:00.000Z')),
      lessonWith(lesson('off', '2026-11-23T19:00:00.000Z', { status: 'cancelled' })),
      lessonWith(lesson('away', '2026-11-23T20:00:00.000Z'), leave('away')),
      lessonWith(lesson('later', '2026-11-25T20:00:00.000Z')),
      lessonWith(lesson('next', '2026-11-24T20:00:00.000Z')),
    ];
    expect(nextOf(all, NOW)?.lesson.id).toBe('next');
    const marked = lessonWith(lesson('marked', '2026-11-24T19:00:00.000Z', { status: 'held' }));
    expect(nextOf([...all, marked], NOW)?.lesson.id).toBe('marked');
    const pending = lessonWith(lesson('pending', '2026-11-24T18:00:00.000Z'), leave('pending', { status: 'pending' }));
    expect(nextOf([...all, marked, pending], NOW)?.lesson.id).toBe('pending');
  });
});

it('is over when it has ended', () => {
  const { ends_at } = lesson('l', '2026-11-23T17:00:00.000Z');
  expect([NOW - 1, NOW].map((now) => isOver({ ends_at }, now))).toEqual([false, true]);
});

it('reads the mark of the only student from the counts', () => {
  expect(markOf(lesson('l', '2026-11-24T15:00:00.000Z'))).toBeUndefined();
  expect(markOf({ marks: { ...ONE_UNMARKED, unmarked: 0, late: 1 } })).toBe('late');
});

it('computes the charge of cancelled lessons only', () => {
  const off = lesson('l', '2026-11-24T15:00:00.000Z', { status: 'cancelled' });
  const entries = [{ lesson_id: 'l', amount: '-0.50' }] as never;
  const charged = (item: Lesson) => withLeave(CHILD, [item], { leaves: [], entries, clazzes: [] })[0]?.charged;
  expect([charged(off), charged({ ...off, id: 'm' }), charged({ ...off, status: 'held' })]).toEqual([
    0.5,
    0,
    undefined,
  ]);
});
