import { describe, expect, it } from 'vitest';
import { shownLesson } from '../../test/shown-lesson.ts';
import {
  daysOf,
  type LessonChange,
  isRecentChange,
  formerPlans,
  formerTimesOf,
  nowAndNext,
  type OwnLesson,
  ownLessons,
  rollCallStateOf,
} from './week.rules.ts';

const lesson = (id: string, starts_at: string, more: Partial<OwnLesson> = {}): OwnLesson => ({
  ...shownLesson(id, starts_at),
  clazz_id: 'algebra',
  part: { as: 'lead' },
  students: null,
  marks: null,
  ...more,
});
const NINE = '2026-11-23T09:00:00.000Z';
const [at8, at11] = ['2026-11-23T08:00:00.000Z', '2026-11-23T11:00:00.000Z'];
const at = (time: string) => Date.parse(`2026-11-23T${time}:00Z`);
const clazz = (lead_teacher_id: string, assistant_ids: string[] = []) => ({
  id: 'algebra',
  lead_teacher_id,
  lead_teacher_name: 'Wu',
  assistant_ids,
});

describe('The part of a teacher in a lesson', () => {
  const part = (teacher_id: string, clazzes: ReturnType<typeof clazz>[]) =>
    ownLessons([lesson('a', NINE, { teacher_id })], [], clazzes, 'li')[0]?.part;
  it('is `lead` for the lead teacher of the class', () => expect(part('li', [clazz('li')])).toEqual({ as: 'lead' }));
  it('is `lead` for an assistant who teaches the lesson', () =>
    expect(part('li', [clazz('wu', ['li'])])).toEqual({ as: 'lead' }));
  it('is `substitute` for a teacher of the lesson who does not lead the class', () =>
    expect(part('li', [clazz('wu')])).toEqual({ as: 'substitute', of: 'Wu' }));
  it('is `substitute` without a name for a class that the teacher cannot list', () =>
    expect(part('li', [])).toEqual({ as: 'substitute', of: null }));
  it('is `given` for the lead teacher whose lesson another teacher gives', () =>
    expect(part('kim', [clazz('li')])).toEqual({ as: 'given', to: 'Li' }));
  it('is `assistant` if another teacher teaches the lesson', () =>
    expect(part('wu', [clazz('wu', ['li'])])).toEqual({ as: 'assistant', of: 'Li' }));
  it('is `assistant` of a substitute, with the name of the lead teacher', () =>
    expect(part('kim', [clazz('wu', ['li'])])).toEqual({ as: 'assistant', of: 'Li', lead: 'Wu' }));
});

it('counts students with guests; null without counts', () => {
  const marks = { present: 0, late: 0, absent: 0, leave: 0, makeup: 0, trial: 0, unmarked: 5 };
  const [a, b] = ownLessons(
    [lesson('a', NINE), lesson('b', NINE)],
    [{ id: 'a', enrolled: 4, guests: 1, marks }],
    [],
    'li',
  );
  expect([a?.students, b?.students]).toEqual([5, null]);
});

it('groups lessons by the local days of the zone', () => {
  const days = daysOf([lesson('late', '2026-11-23T16:30:00.000Z')], '2026-11-23', 'Asia/Shanghai');
  expect(days.map(({ lessons }) => lessons.length)).toEqual([0, 1, 0, 0, 0, 0, 0]);
  expect(days.at(-1)?.date).toBe('2026-11-29');
});

describe('The current and the next lesson', () => {
  const all = [
    lesson('a', NINE),
    lesson('gone', '2026-11-23T10:00:00.000Z', { status: 'cancelled' }),
    // Its roll call was taken early.
    lesson('b', '2026-11-23T11:00:00.000Z', { status: 'held' }),
  ];
  const ids = (now: number) => {
    const { current, next } = nowAndNext(all, now);
    return [current.map(({ id }) => id), next?.id];
  };
  it('before the first lesson: none is current', () => expect(ids(at('08:00'))).toEqual([[], 'a']));
  it('in the first minute: the lesson is current', () => expect(ids(at('09:00'))).toEqual([['a'], 'b']));
  it('at the end: the lesson is not current any more', () => expect(ids(at('10:00'))).toEqual([[], 'b']));
  it('in the last lesson: there is no next one', () => expect(ids(at('11:00'))).toEqual([['b'], undefined]));
});

it('returns the times and room of a lesson before their first change', () => {
  const entry = (occurred_at: string, field: string, before: string): LessonChange => ({
    entity_id: 'a',
    occurred_at,
    changes: { [field]: { before, after: 'x' } },
  });
  const entries = [
    entry('3', 'starts_at', '12'),
    entry('2', 'room', 'A'),
    entry('2', 'ends_at', '11'),
    entry('1', 'starts_at', '09'),
  ];
  expect(formerPlans(entries)).toEqual(new Map([['a', { starts_at: '09', ends_at: '11', room: 'A' }]]));
  expect(formerPlans([entry('1', 'topic', 'x')])).toEqual(new Map([['a', {}]]));
});

it.each([
  ['without a change', {}, undefined],
  ['after a move', { starts_at: at8, ends_at: NINE }, [true, false]],
  ['after a change of the end', { ends_at: at11 }, [false, true]],
  ['after a change of the start', { starts_at: at8 }, [true, true]],
] as const)('tells whether start and length changed: %s', (_case, former, changed) => {
  const times = formerTimesOf(lesson('a', NINE), former);
  expect(times && [times.isMoved, times.isLengthChanged]).toEqual(changed);
});

it('counts a change of the last seven days as recent, and a new lesson as none', () => {
  expect(isRecentChange({ updated_at: NINE, version: 2 }, at('10:00'))).toBe(true);
  expect(isRecentChange({ updated_at: NINE, version: 1 }, at('10:00'))).toBe(false);
  expect(isRecentChange({ updated_at: '2026-11-16T08:00:00.000Z', version: 2 }, at('10:00'))).toBe(false);
});

it.each([
  ['08:59', {}, 'none'],
  ['09:00', {}, 'due'],
  ['10:00', {}, 'missing'],
  ['10:00', { status: 'cancelled' }, 'none'],
  ['10:00', { status: 'held' }, 'done'],
  [
    '10:00',
    { status: 'held', marks: { present: 0, late: 0, absent: 0, leave: 0, makeup: 0, trial: 0, unmarked: 1 } },
    'missing',
  ],
  [
    '10:00',
    { status: 'held', marks: { present: 1, late: 0, absent: 0, leave: 0, makeup: 0, trial: 0, unmarked: 1 } },
    'incomplete',
  ],
] as const)('at %s the roll call of a lesson with %j is %s', (time, more, standing) =>
  expect(rollCallStateOf(lesson('a', NINE, more), at(time))).toBe(standing),
);
