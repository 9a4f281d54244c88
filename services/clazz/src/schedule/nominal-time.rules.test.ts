import { instantOfWallTime, wallTimeOf } from '@teaching/kit';
import { type LessonPatch, Problem } from '@teaching/contracts';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { lessonOfSeries, type LessonOfSeries } from '../../test/lesson-of-series.ts';
import { editLessons } from './edit.rules.ts';
import { occurrencesOf } from './occurrences.rules.ts';

const NOW = new Date('2027-01-01T00:00:00Z');
const MINUTE = 60_000;
const CLAZZ = { lead_teacher_id: 'lead', zone: 'UTC' };

interface TestSeries {
  lessons: LessonOfSeries[];
  series_time: string;
}
interface Spec {
  zone: string;
  starts_on: string;
  start_time: string;
  duration_minutes: number;
  rrule: string;
  count: number;
}

const seriesOf = (spec: Spec): TestSeries => ({
  series_time: spec.start_time,
  lessons: occurrencesOf(spec, { names: new Map(), zone: 'UTC' }).slots.map((slot, index) =>
    lessonOfSeries({ ...slot, id: String(index), zone: spec.zone }),
  ),
});

const lessonAt = (lessons: readonly LessonOfSeries[], index: number): LessonOfSeries => {
  const found = lessons[index % lessons.length];
  if (found === undefined) throw new Error('the series has no lesson');
  return found;
};

/** The series after an edit of one lesson, alone or with all others. */
const edited = (
  { lessons, series_time }: TestSeries,
  index: number,
  patch: LessonPatch,
  isAlone = false,
): TestSeries => {
  const it = lessonAt(lessons, index);
  const others = isAlone ? [] : lessons.filter(({ id }) => id !== it.id);
  const edits = editLessons(it, { others, series_time: isAlone ? null : series_time }, patch, CLAZZ, NOW);
  const after = new Map(edits.map((edit) => [edit.after.id, edit.after]));
  return { series_time, lessons: lessons.map((lesson) => after.get(lesson.id) ?? lesson) };
};

/** An edit that moves the local start of a lesson by minutes, and by whole days. */
const movedBy = (series: TestSeries, index: number, minutes: number, isAlone = false): TestSeries => {
  const { starts_at, zone } = lessonAt(series.lessons, index);
  const start = Temporal.Instant.from(starts_at).toZonedDateTimeISO(zone).toPlainDateTime();
  return edited(series, index, { starts_at: instantOfWallTime(start.add({ minutes }).toString(), zone) }, isAlone);
};

const timesOf = ({ lessons }: TestSeries) => lessons.map(({ starts_at, ends_at }) => [starts_at, ends_at]);
const lengthsOf = ({ lessons }: TestSeries) =>
  lessons.map(({ starts_at, ends_at }) => (Date.parse(ends_at) - Date.parse(starts_at)) / MINUTE);
const localStarts = ({ lessons }: TestSeries) =>
  lessons.map(({ starts_at, zone }) =>
    Temporal.Instant.from(starts_at).toZonedDateTimeISO(zone).toString().slice(5, 16),
  );

const WEEKLY = { rrule: 'FREQ=WEEKLY', count: 4, duration_minutes: 60 };
const DAILY = { ...WEEKLY, rrule: 'FREQ=DAILY' };
const BERLIN = { zone: 'Europe/Berlin', ...DAILY };

describe('A series moved across a clock change', () => {
  it.each([
    ['Africa/Cairo', { ...WEEKLY, starts_on: '2027-10-14', start_time: '22:30' }],
    ['America/Santiago', { ...WEEKLY, starts_on: '2027-03-20', start_time: '22:30' }],
    ['Europe/Berlin', { ...WEEKLY, starts_on: '2027-10-17', start_time: '02:30' }],
    ['Europe/Berlin', { ...WEEKLY, starts_on: '2027-03-14', start_time: '01:30' }],
  ])('keeps the length of each lesson: %s %o', (zone, spec) => {
    const series = seriesOf({ zone, ...spec });
    const after = movedBy(series, 0, 30);
    expect(lengthsOf(after)).toEqual([60, 60, 60, 60]);
    expect(timesOf(movedBy(after, 0, -30))).toEqual(timesOf(series));
  });

  it('gives a lesson its new nominal time where that exists', () => {
    const series = seriesOf({ ...BERLIN, starts_on: '2027-03-26', start_time: '02:30' });
    expect(localStarts(series)).toEqual(['03-26T02:30', '03-27T02:30', '03-28T03:30', '03-29T02:30']);
    expect(localStarts(movedBy(series, 0, -60))).toEqual(['03-26T01:30', '03-27T01:30', '03-28T01:30', '03-29T01:30']);
    expect(localStarts(movedBy(series, 0, 30))).toEqual(['03-26T03:00', '03-27T03:00', '03-28T03:00', '03-29T03:00']);
    // The lesson of March 28 is edited: the series gets the time that it gets.
    expect(localStarts(movedBy(series, 2, 60))).toEqual(['03-26T04:30', '03-27T04:30', '03-28T04:30', '03-29T04:30']);
  });

  it('restores a lesson that the move pushed out of its nominal time', () => {
    const series = seriesOf({ ...BERLIN, starts_on: '2027-03-26', start_time: '01:30' });
    const after = movedBy(series, 0, 60);
    expect(localStarts(after)).toEqual(['03-26T02:30', '03-27T02:30', '03-28T03:30', '03-29T02:30']);
    expect(timesOf(movedBy(after, 3, -60))).toEqual(timesOf(series));
    const { starts_at } = lessonAt(series.lessons, 2);
    expect(timesOf(edited(after, 2, { starts_at }))).toEqual(timesOf(series));
  });

  it.each([
    ['by that lesson', 2, '2027-03-28T03:00:00.000Z'],
    ['by another lesson', 0, '2027-03-26T00:30:00.000Z'],
    ['by another lesson to a time that is skipped too', 0, '2027-03-26T01:45:00.000Z'],
  ])('restores a series that a lesson at a skipped time moves back, moved %s', (_name, by, starts_at) => {
    const series = seriesOf({ ...BERLIN, starts_on: '2027-03-26', start_time: '02:30' });
    const back = { starts_at: lessonAt(series.lessons, 2).starts_at };
    expect(timesOf(edited(edited(series, by, { starts_at }), 2, back))).toEqual(timesOf(series));
  });

  it('restores a lesson whose nominal time stays 03:30 while the series is moved from 02:30', () => {
    const series = seriesOf({ ...BERLIN, starts_on: '2027-03-26', start_time: '02:30' });
    const later = movedBy(series, 0, 60);
    expect(localStarts(later)).toEqual(['03-26T03:30', '03-27T03:30', '03-28T03:30', '03-29T03:30']);
    expect(localStarts(movedBy(later, 0, 30))[2]).toBe('03-28T04:00');
    expect(timesOf(movedBy(later, 0, -60))).toEqual(timesOf(series));
  });

  it('restores a lesson at the second occurrence of its local time', () => {
    const series = seriesOf({ ...BERLIN, starts_on: '2027-10-29', start_time: '02:30' });
    const alone = edited(series, 2, { starts_at: '2027-10-31T01:30:00.000Z' }, true);
    expect(localStarts(alone)).toEqual(localStarts(series));
    const after = movedBy(alone, 0, 90);
    expect(localStarts(after)[2]).toBe('10-31T04:00');
    expect(timesOf(movedBy(after, 1, -90))).toEqual(timesOf(alone));
  });

  it('changes the length of each lesson as much as that of the edited one', () => {
    const series = seriesOf({ ...BERLIN, starts_on: '2027-03-27', start_time: '01:30' });
    const { starts_at } = lessonAt(series.lessons, 0);
    const longer = edited(series, 0, { starts_at, ends_at: '2027-03-27T02:15:00.000Z' });
    expect(lengthsOf(longer)).toEqual([105, 105, 105, 105]);
    expect(timesOf(longer).map(([start]) => start)).toEqual(timesOf(series).map(([start]) => start));
  });

  it('moves the local time into a new zone', () => {
    const series = seriesOf({ ...BERLIN, starts_on: '2027-03-26', start_time: '18:00' });
    const inTokyo = edited(series, 0, { zone: 'Asia/Tokyo', starts_at: '2027-03-26T09:00:00.000Z' });
    expect(localStarts(inTokyo)).toEqual(['03-26T18:00', '03-27T18:00', '03-28T18:00', '03-29T18:00']);
    const { starts_at } = lessonAt(series.lessons, 0);
    expect(timesOf(edited(inTokyo, 0, { zone: 'Europe/Berlin', starts_at }))).toEqual(timesOf(series));
  });
});

/** Names that the list of the runtime leaves out: aliases. */
const ALIASES = [
  'Asia/Calcutta',
  'Asia/Kolkata',
  'America/Buenos_Aires',
  'US/Pacific',
  'GB',
  'NZ',
  'Eire',
  'Etc/GMT+5',
];
const ZONES = [...new Set([...Intl.supportedValuesOf('timeZone'), ...ALIASES, 'UTC'])];

/** The local times of 2027 that a clock change skips or repeats first. */
const clockChanges = (zone: string): string[] => {
  const format = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  const offsetAt = (at: number): number => Date.parse(`${format.format(at).replace(' ', 'T')}Z`) - at;
  const week = 7 * 24 * 60 * MINUTE;
  const weeks = Array.from({ length: 53 }, (_, n) => Date.UTC(2027, 0, 1) + n * week);
  return weeks
    .filter((at) => offsetAt(at) !== offsetAt(at + week))
    .map((at) => {
      let [before, after] = [at, at + week];
      while (after - before > MINUTE) {
        const middle = before + Math.floor((after - before) / 2 / MINUTE) * MINUTE;
        if (offsetAt(middle) === offsetAt(at)) before = middle;
        else after = middle;
      }
      return new Date(after + Math.min(offsetAt(before), offsetAt(after))).toISOString().slice(0, 19);
    });
};

/** One zone for each way in which the clocks change in 2027: others with the same changes behave the same. */
const byChanges = Map.groupBy(ZONES, (zone) => clockChanges(zone).join());
const CASES = [...byChanges].flatMap(([changes, [zone = 'UTC']]) =>
  (changes === '' ? ['2027-03-28T02:00:00'] : changes.split(',')).map((change) => ({ zone, change })),
);

const index = fc.nat(3);
const minutes = fc.oneof(
  fc.integer({ min: -180, max: 180 }),
  fc.integer({ min: -3, max: 3 }).map((days) => days * 1_440),
);
const move = fc.record({ by: index, back: index, minutes });
const histories = fc.record({
  /** Minutes from the clock change to the start of the lessons. */
  offset: fc.integer({ min: -150, max: 90 }),
  duration_minutes: fc.integer({ min: 1, max: 90 }),
  /** A lesson that is moved alone before the series is. */
  alone: fc.option(move),
  moves: fc.array(move, { maxLength: 2 }),
  last: move,
});

/** The series before a move, and the lesson that moves it back. */
interface Undo {
  series: TestSeries;
  by: number;
}

/**
 * The first lesson from `by` on that is near the clock change in none of the series. There, a start may have two nominal
 * times, 02:30 and 03:30, and the lesson remembers one of them.
 */
const distantLesson = (series: readonly TestSeries[], by: number, change: string): number => {
  const end = Temporal.PlainDateTime.from(change).add({ hours: 4 }).toString();
  const isNear = (n: number): boolean =>
    series.some(({ lessons }) => {
      const { starts_at, zone } = lessonAt(lessons, n);
      const local = wallTimeOf(starts_at, zone);
      return local >= change && local < end;
    });
  return [by, by + 1, by + 2, by + 3].find((n) => !isNear(n)) ?? by;
};

/** Moves a series by some lessons, and at last by any. Stops at a move that would make lessons overlap. */
const movedAs = (
  first: TestSeries,
  { alone, moves, last }: History,
  change: string,
): { series: TestSeries; undo: Undo[] } => {
  const undo: Undo[] = [];
  let series = first;
  const moveBy = (by: number, some: number, back?: number): void => {
    const moved = movedBy(series, by, some);
    expect(lengthsOf(moved)).toEqual(lengthsOf(series));
    undo.unshift({ series, by: back === undefined ? by : distantLesson([series, moved], back, change) });
    series = moved;
  };
  try {
    if (alone !== null) series = movedBy(series, alone.by, alone.minutes, true);
    for (const { by, back, minutes: some } of moves) moveBy(distantLesson([series], by, change), some, back);
    moveBy(last.by, last.minutes);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
  return { series, undo };
};
type History = typeof histories extends fc.Arbitrary<infer T> ? T : never;

it('moving a series and moving it back restores every start and end, in every zone', () => {
  let undone = 0;
  const property = (zone: string, change: string) =>
    fc.property(histories, (history) => {
      const first = Temporal.PlainDateTime.from(change).add({ minutes: history.offset }).subtract({ days: 2 });
      const [starts_on = '', time = ''] = first.toString().split('T');
      const { duration_minutes } = history;
      const created = seriesOf({ ...DAILY, zone, starts_on, start_time: time.slice(0, 5), duration_minutes });
      let { series, undo } = movedAs(created, history, change);
      for (const { series: old, by } of undo) {
        series = edited(series, by, { starts_at: lessonAt(old.lessons, by).starts_at });
        expect(timesOf(series)).toEqual(timesOf(old));
        undone += 1;
      }
    });
  for (const { zone, change } of CASES) fc.assert(property(zone, change), { numRuns: 3, seed: 303 });
  expect(undone).toBeGreaterThan(CASES.length);
});
