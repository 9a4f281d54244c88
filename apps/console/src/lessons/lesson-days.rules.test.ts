import { describe, expect, it } from 'vitest';
import { NOBODY, shownLesson } from '../../test/shown-lesson.ts';
import type { Child } from './child.rules.ts';
import {
  lessonActionsOf,
  byDay,
  type Leave,
  type Lesson,
  markOf,
  nextOf,
  deviationOf,
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
const one = (its: Lesson, ...leaves: Leave[]) => {
  const [found] = withLeave(CHILD, [its], leaves, []);
  if (found === undefined) throw new Error('no lesson');
  return found;
};

describe('days', () => {
  it('are those of the zone, in order or backwards', () => {
    const all = [lesson('b', '2026-11-23T23:30:00Z'), lesson('a', '2026-11-23T22:30:00Z')].map((it) => one(it));
    const told = (backwards: boolean) =>
      byDay(all, 'Europe/Madrid', backwards).map(([date, its]) => [date, ...its.map((it) => it.lesson.id)]);
    expect(told(false)).toEqual([
      ['2026-11-23', 'a'],
      ['2026-11-24', 'b'],
    ]);
    expect(told(true)).toEqual(told(false).toReversed());
  });
});

describe('what is unusual', () => {
  const weeks = ['2026-10-13', '2026-10-20', '2026-10-27', '2026-11-03'].map((date, at) =>
    lesson(String(at), `${date}T${date < '2026-10-25' ? '14' : '15'}:00:00.000Z`),
  );
  it('is nothing in a series that is the same on the clock, over a change of clocks', () => {
    expect(deviationOf(weeks).size).toBe(0);
  });
  it('is another time, room or teacher than most have', () => {
    const moved = lesson('x', '2026-11-11T15:00:00.000Z', { room: 'B', teacher_id: 'wu', teacher_name: 'Wu' });
    expect([...deviationOf([...weeks, moved])]).toEqual([
      ['x', { starts_at: weeks[0]?.starts_at, room: 'A', teacher: 'Li' }],
    ]);
  });
  it('is not known of two lessons, nor where no time is usual', () => {
    const [first, second] = weeks;
    expect(
      deviationOf([first ?? weeks[0], lesson('x', '2026-11-11T09:00:00.000Z')].flatMap((it) => it ?? [])).size,
    ).toBe(0);
    const days = ['2026-11-10', '2026-11-11', '2026-11-12'].map((date) => lesson(date, `${date}T15:00:00.000Z`));
    expect(deviationOf(days).size).toBe(0);
    expect(second).toBeDefined();
  });
});

describe('what can be done', () => {
  const ahead = lesson('l', '2026-11-24T15:00:00.000Z');
  const NOTHING = { ask: false, takeBack: false, makeUp: false, undoMakeUp: false };
  it('is asking for leave before it begins, and again after a refusal', () => {
    expect(lessonActionsOf(one(ahead), NOW)).toEqual({ ...NOTHING, ask: true });
    expect(lessonActionsOf(one(ahead, leave('l', { status: 'rejected' })), NOW)).toEqual({ ...NOTHING, ask: true });
    expect(lessonActionsOf(one(ahead), Date.parse(ahead.starts_at))).toEqual(NOTHING);
    expect(lessonActionsOf(one({ ...ahead, status: 'cancelled' }), NOW)).toEqual(NOTHING);
  });
  it('is taking it back, and making up once it is approved', () => {
    expect(lessonActionsOf(one(ahead, leave('l', { status: 'pending' })), NOW)).toEqual({ ...NOTHING, takeBack: true });
    const make_up = { ...credit, status: 'available', lesson_id: null, lesson_starts_at: null } as const;
    expect(lessonActionsOf(one(ahead, leave('l', { make_up })), NOW)).toEqual({
      ...NOTHING,
      takeBack: true,
      makeUp: true,
    });
  });
  it('is undoing a make-up where it was booked, before the leave can be taken back', () => {
    const make_up = {
      ...credit,
      status: 'used',
      lesson_id: 'm',
      lesson_starts_at: '2026-11-25T15:00:00.000Z',
    } as const;
    const its = leave('l', { make_up });
    expect(lessonActionsOf(one(ahead, its), NOW)).toEqual(NOTHING);
    expect(lessonActionsOf(one(lesson('m', '2026-11-25T15:00:00.000Z'), its), NOW)).toEqual({
      ...NOTHING,
      undoMakeUp: true,
    });
  });
});

describe('the next lesson', () => {
  it('is the first that one goes to: not cancelled, not over, without leave', () => {
    const all = [
      one(lesson('over', '2026-11-23T16:00:00.000Z')),
      one(lesson('off', '2026-11-23T19:00:00.000Z', { status: 'cancelled' })),
      one(lesson('away', '2026-11-23T20:00:00.000Z'), leave('away')),
      one(lesson('later', '2026-11-25T20:00:00.000Z')),
      one(lesson('next', '2026-11-24T20:00:00.000Z')),
    ];
    expect(nextOf(all, NOW)?.lesson.id).toBe('next');
  });
});

it('a mark is the one that was given', () => {
  expect(markOf(lesson('l', '2026-11-24T15:00:00.000Z'))).toBeUndefined();
  expect(markOf({ marks: { ...NOBODY, unmarked: 0, late: 1 } })).toBe('late');
});

it('what a cancelled lesson costs is known of cancelled ones only', () => {
  const off = lesson('l', '2026-11-24T15:00:00.000Z', { status: 'cancelled' });
  const entry = { lesson_id: 'l', amount: '-0.50' };
  const charged = (its: Lesson) => withLeave(CHILD, [its], [], [entry] as never)[0]?.charged;
  expect([charged(off), charged({ ...off, id: 'm' }), charged({ ...off, status: 'held' })]).toEqual([
    0.5,
    0,
    undefined,
  ]);
});
