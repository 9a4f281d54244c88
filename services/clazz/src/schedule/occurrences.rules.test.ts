import { Problem } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { occurrencesOf } from './occurrences.rules.ts';

const spec = {
  starts_on: '2030-01-01',
  start_time: '18:00',
  duration_minutes: 60,
  zone: 'UTC',
  rrule: 'FREQ=WEEKLY;BYDAY=TU',
  count: 3,
};
const starts = (
  changes: Partial<Omit<typeof spec, 'count'>> & { until?: string | null; count?: number | null },
  names: Record<string, string> = {},
  zone = 'UTC',
) =>
  occurrencesOf({ ...spec, ...changes }, { names: new Map(Object.entries(names)), zone }).slots.map(
    (slot) => slot.starts_at,
  );
const problems = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error.extra.errors?.map(({ path }) => path);
  }
  return undefined;
};

describe('A series keeps its local time across a clock change', () => {
  it.each([
    // [zone, first day, time, the instants before and after the clock change]
    ['Europe/Berlin', '2030-03-24', '18:00', ['2030-03-24T17:00:00.000Z', '2030-03-31T16:00:00.000Z']],
    ['Europe/Berlin', '2030-10-20', '18:00', ['2030-10-20T16:00:00.000Z', '2030-10-27T17:00:00.000Z']],
    ['America/New_York', '2030-03-03', '18:00', ['2030-03-03T23:00:00.000Z', '2030-03-10T22:00:00.000Z']],
    ['America/New_York', '2030-10-27', '18:00', ['2030-10-27T22:00:00.000Z', '2030-11-03T23:00:00.000Z']],
    ['Asia/Shanghai', '2030-03-24', '18:00', ['2030-03-24T10:00:00.000Z', '2030-03-31T10:00:00.000Z']],
    // Half an hour of daylight saving.
    ['Australia/Lord_Howe', '2030-03-31', '18:00', ['2030-03-31T07:00:00.000Z', '2030-04-07T07:30:00.000Z']],
    ['Australia/Lord_Howe', '2030-09-29', '18:00', ['2030-09-29T07:30:00.000Z', '2030-10-06T07:00:00.000Z']],
    // 02:30 does not exist when clocks go forward. It exists twice when they go back; the first one counts.
    ['Europe/Berlin', '2030-03-24', '02:30', ['2030-03-24T01:30:00.000Z', '2030-03-31T01:30:00.000Z']],
    ['Europe/Berlin', '2030-10-20', '02:30', ['2030-10-20T00:30:00.000Z', '2030-10-27T00:30:00.000Z']],
    ['Australia/Lord_Howe', '2030-09-29', '02:15', ['2030-09-28T15:45:00.000Z', '2030-10-05T15:45:00.000Z']],
  ])('%s from %s at %s', (zone, starts_on, start_time, expected) => {
    expect(starts({ zone, starts_on, start_time, rrule: 'FREQ=WEEKLY;BYDAY=SU', count: 2 })).toEqual(expected);
  });

  it('keeps the length of a lesson across a clock change', () => {
    const { slots } = occurrencesOf(
      { ...spec, zone: 'Europe/Berlin', starts_on: '2030-03-31', start_time: '01:30', count: 1, rrule: 'FREQ=DAILY' },
      { names: new Map(), zone: 'UTC' },
    );
    expect(slots).toEqual([{ starts_at: '2030-03-31T00:30:00.000Z', ends_at: '2030-03-31T01:30:00.000Z' }]);
  });
});

describe('The days of a series', () => {
  it('contain the start date only if it matches the rule', () => {
    expect(starts({ starts_on: '2030-01-02', count: 1 })).toEqual(['2030-01-08T18:00:00.000Z']);
    expect(starts({ starts_on: '2030-01-01', count: 1 })).toEqual(['2030-01-01T18:00:00.000Z']);
  });

  it('skip holidays without counting them', () => {
    const found = occurrencesOf(spec, { names: new Map([['2030-01-08', 'Founding day']]), zone: 'UTC' });
    expect(found.slots.map((slot) => slot.starts_at.slice(0, 10))).toEqual(['2030-01-01', '2030-01-15', '2030-01-22']);
    expect(found.skipped).toEqual([{ date: '2030-01-08', holiday: 'Founding day' }]);
  });

  it.each<[string, string, string, string, string[]]>([
    // The local date of the lesson is January 1, but the holiday of the organization is over or has not begun.
    ['America/New_York', '22:00', 'UTC', '2030-01-01', ['2030-01-02T03:00:00.000Z']],
    ['America/New_York', '22:00', 'UTC', '2030-01-02', ['2030-01-09T03:00:00.000Z']],
    ['Pacific/Kiritimati', '08:00', 'UTC', '2030-01-01', ['2029-12-31T18:00:00.000Z']],
    ['Pacific/Kiritimati', '08:00', 'UTC', '2029-12-31', ['2030-01-07T18:00:00.000Z']],
    ['UTC', '08:00', 'Pacific/Kiritimati', '2030-01-01', ['2030-01-08T08:00:00.000Z']],
    ['UTC', '12:00', 'Pacific/Kiritimati', '2030-01-01', ['2030-01-01T12:00:00.000Z']],
  ])('in %s at %s skip, in an organization in %s, the holiday %s', (zone, start_time, org, holiday, expected) => {
    const skips = { zone, start_time, count: 1 };
    expect(starts(skips, { [holiday]: 'Holiday' }, org)).toEqual(expected);
  });

  it('include the last day', () => {
    expect(starts({ count: null, until: '2030-01-15' })).toHaveLength(3);
    expect(starts({ count: null, until: '2030-01-14' })).toHaveLength(2);
  });

  it('follow monthly and yearly rules', () => {
    expect(starts({ rrule: 'FREQ=MONTHLY;BYMONTHDAY=31' }).map((at) => at.slice(0, 10))).toEqual([
      '2030-01-31',
      '2030-03-31',
      '2030-05-31',
    ]);
    expect(starts({ rrule: 'FREQ=MONTHLY;BYDAY=-1FR' }).map((at) => at.slice(0, 10))).toEqual([
      '2030-01-25',
      '2030-02-22',
      '2030-03-29',
    ]);
  });

  it.each([
    ['a rule without any day', { rrule: 'FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=31' }, '/body/rrule'],
    ['a rule without a day before the end', { count: null, until: '2029-12-31' }, '/body/rrule'],
    ['too many lessons', { rrule: 'FREQ=DAILY', count: null, until: '2040-01-01' }, '/body/until'],
    ['overlapping lessons', { rrule: 'FREQ=DAILY', duration_minutes: 1_441 }, '/body/duration_minutes'],
  ])('refuse %s', (_name, changes, path) => {
    expect(problems(() => starts(changes))).toEqual([path]);
  });

  it('leave out a date that does not exist in the zone, and do not count it', () => {
    const inSamoa = { zone: 'Pacific/Apia', starts_on: '2011-12-29', start_time: '09:00', rrule: 'FREQ=DAILY' };
    expect(starts(inSamoa)).toEqual([
      '2011-12-29T19:00:00.000Z',
      '2011-12-30T19:00:00.000Z',
      '2011-12-31T19:00:00.000Z',
    ]);
  });

  it.each([
    ['a lesson after 2999', { rrule: 'FREQ=YEARLY;INTERVAL=500', starts_on: '2027-01-01' }, '/body/rrule'],
    ['a lesson that ends after 2999', { starts_on: '2999-12-31', start_time: '23:30', count: 1 }, '/body/rrule'],
    ['an interval beyond all dates', { rrule: 'FREQ=YEARLY;INTERVAL=999999', count: 2 }, '/body/rrule'],
    [
      'a later lesson that starts after 2999 in UTC',
      { starts_on: '2999-12-30', zone: 'America/Los_Angeles', start_time: '18:00', count: 2 },
      '/body/rrule',
    ],
    ['a lesson before 1970', { starts_on: '1970-01-01', zone: 'Asia/Tokyo', count: 1 }, '/body/starts_on'],
  ])('refuse %s', (_name, changes, path) => {
    expect(problems(() => starts({ rrule: 'FREQ=DAILY', start_time: '08:00', ...changes }))).toEqual([path]);
  });

  it('reach the last day of 2999', () => {
    expect(starts({ rrule: 'FREQ=DAILY', starts_on: '2999-12-30', count: 2 })).toEqual([
      '2999-12-30T18:00:00.000Z',
      '2999-12-31T18:00:00.000Z',
    ]);
  });
});
