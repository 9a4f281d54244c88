import { describe, expect, it } from 'vitest';
import { ONE_UNMARKED, shownLesson } from '../../test/shown-lesson.ts';
import {
  uniqueClashes,
  dividedDay,
  type DayLesson,
  minorUnits,
  type RollCall,
  rollCallOf,
  elapsedShare,
  thresholdFrom,
  foundStudents,
  packagePrice,
} from './today.rules.ts';

const at = (time: string): string => `2026-11-23T${time}:00.000Z`;
const NOON = Date.parse(at('12:00'));
const lesson = (from: string, to: string, more: Partial<DayLesson> = {}): DayLesson => ({
  ...shownLesson(`${from}-${to}`, at(from)),
  ends_at: at(to),
  ...more,
});
const ids = (lessons: readonly DayLesson[]): string[] => lessons.map(({ id }) => id);

describe('Thresholds in the address', () => {
  it('accepts a whole number within the bounds, and replaces anything else by the default', () => {
    expect(thresholdFrom('5', 3, 100)).toBe(5);
    for (const wrong of [undefined, '', '0', '-1', '2.5', '101', 'many']) expect(thresholdFrom(wrong, 3, 100)).toBe(3);
  });
});

describe('Dividing the day around now', () => {
  it('divides lessons into running, next within an hour, later and earlier', () => {
    const day = dividedDay(
      [
        lesson('08:00', '09:00'),
        lesson('11:00', '12:00'),
        lesson('11:30', '12:30'),
        lesson('12:00', '13:00'),
        lesson('12:30', '14:00'),
        lesson('13:00', '14:00'),
        lesson('13:01', '14:00'),
      ],
      NOON,
    );
    expect(ids(day.running)).toEqual(['11:30-12:30', '12:00-13:00']);
    expect(ids(day.next)).toEqual(['12:30-14:00', '13:00-14:00']);
    expect(ids(day.later)).toEqual(['13:01-14:00']);
    expect(ids(day.earlier)).toEqual(['08:00-09:00', '11:00-12:00']);
  });

  it('takes the first lesson as next if none begins within an hour, and keeps cancelled lessons in the lists', () => {
    const off = { status: 'cancelled' } as const;
    const lessons = [
      lesson('11:30', '12:30', off),
      lesson('12:30', '13:00', off),
      lesson('17:00', '18:00'),
      lesson('17:00', '19:00'),
      lesson('18:00', '19:00'),
    ];
    const day = dividedDay(lessons, NOON);
    expect(ids(day.running)).toEqual([]);
    expect(ids(day.next)).toEqual(['17:00-18:00', '17:00-19:00']);
    expect(ids(day.later)).toEqual(['12:30-13:00', '18:00-19:00']);
    expect(ids(day.earlier)).toEqual(['11:30-12:30']);
    expect(dividedDay([], NOON)).toEqual({ running: [], next: [], later: [], earlier: [] });
  });
});

describe('The roll call of a lesson', () => {
  it('derives its state from marks, status and time', () => {
    const some = { ...ONE_UNMARKED, present: 2, late: 1, leave: 1, unmarked: 3 };
    const stateOf = (shown: DayLesson) => rollCallOf(shown, NOON).state;
    expect(stateOf(lesson('13:00', '14:00'))).toBe('ahead');
    expect(stateOf(lesson('11:30', '12:30'))).toBe('none');
    expect(stateOf(lesson('11:00', '12:00'))).toBe('missing');
    expect(stateOf(lesson('11:00', '12:00', { status: 'held', marks: some }))).toBe('some');
    expect(stateOf(lesson('11:00', '12:00', { status: 'held', marks: { ...some, unmarked: 0 } }))).toBe('done');
    expect(stateOf(lesson('11:00', '12:00', { status: 'cancelled', marks: some }))).toBe('cancelled');
    expect(rollCallOf(lesson('11:00', '12:00', { status: 'held', marks: some }), NOON)).toMatchObject<
      Partial<RollCall>
    >({
      marked: 4,
      expected: 7,
      present: 3,
    });
  });

  it('computes how much of a lesson is over', () => {
    expect(elapsedShare(at('11:30'), at('12:30'), NOON)).toBe(0.5);
    expect(elapsedShare(at('13:00'), at('14:00'), NOON)).toBe(0);
    expect(elapsedShare(at('09:00'), at('10:00'), NOON)).toBe(1);
  });
});

it('lists a clash once if both lessons were accepted', () => {
  const conflict = (lesson_id: string) => ({
    lesson_id,
    clazz_id: 'clazz',
    clazz_name: 'Botany',
    starts_at: at('09:00'),
    ends_at: at('10:00'),
    teacher_id: null,
    teacher_name: null,
    room: 'A',
    student_ids: [],
    student_names: [],
  });
  const a = { ...lesson('09:00', '10:00', { id: 'a' }), conflicts: [conflict('b'), conflict('c')] };
  const b = { ...lesson('09:00', '10:00', { id: 'b' }), conflicts: [conflict('a')] };
  expect(uniqueClashes([a, b])).toEqual([a]);
  const c = { ...b, conflicts: [conflict('a'), conflict('d')] };
  expect(uniqueClashes([a, c])).toEqual([a, { ...c, conflicts: [conflict('d')] }]);
});

it('parses a typed price to minor units', () => {
  expect(minorUnits('12', 2)).toBe(1_200);
  expect(minorUnits(' 12,5 ', 2)).toBe(1_250);
  expect(minorUnits('12.05', 2)).toBe(1_205);
  expect(minorUnits('1200', 0)).toBe(1_200);
  expect(minorUnits('', 2)).toBeUndefined();
  for (const wrong of ['12.005', '-1', 'ten', '1 200', '1.5.2']) expect(minorUnits(wrong, 2)).toBeNull();
  expect(minorUnits('1.5', 0)).toBeNull();
});

it('calculates the price of a grant in proportion to the hours of the package, rounded half up', () => {
  const sold = { price_minor: 76_000, total_hours: '40.00' };
  expect(packagePrice(sold, '40')).toBe(76_000);
  expect(packagePrice(sold, '0.25')).toBe(475);
  expect(packagePrice({ price_minor: 1, total_hours: '2.00' }, '1')).toBe(1);
  expect(packagePrice({ price_minor: 1, total_hours: '2.00' }, '0.99')).toBe(0);
  expect(packagePrice({ price_minor: 1_000, total_hours: '0.00' }, '5')).toBe(0);
});

it('finds students of the directory and of accounts, each once', () => {
  const members = [
    { user_id: 'mia', display_name: 'Mia Berg' },
    { user_id: 'tom', display_name: 'Tom Reed' },
  ];
  const accounts = [
    { student_id: 'tom', student_name: 'Tom Reed', balance: '-6.00' },
    { student_id: 'former', student_name: null, balance: '2.00' },
  ];
  expect(foundStudents(members, accounts)).toEqual([
    { id: 'mia', name: 'Mia Berg', balance: undefined },
    { id: 'tom', name: 'Tom Reed', balance: '-6.00' },
    { id: 'former', name: 'former', balance: '2.00' },
  ]);
});
