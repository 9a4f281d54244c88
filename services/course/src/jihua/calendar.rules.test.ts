import { addDays, localDate } from '@teaching/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Calendar, daysSince, isCheckInPossible, plannedDates } from './calendar.rules.ts';

const plan = (fields: Partial<Calendar>): Calendar => ({
  starts_on: '2026-03-02',
  ends_on: '2026-03-15',
  zone: 'UTC',
  weekdays: null,
  rrule: null,
  frozen_dates: [],
  ...fields,
});

/** The days of the plan that exist in its zone, found by stepping through the plan hour by hour. */
const daysByClock = ({ starts_on, ends_on, zone }: Calendar): string[] => {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const days = new Set<string>();
  const end = Date.parse(`${ends_on}T00:00:00Z`) + 2 * 86_400_000;
  for (let at = Date.parse(`${starts_on}T00:00:00Z`) - 86_400_000; at < end; at += 3_600_000)
    days.add(format.format(at));
  return [...days].filter((day) => day >= starts_on && day <= ends_on);
};
const weekday = (day: string): number => new Date(`${day}T12:00:00Z`).getUTCDay() || 7;
const NAMES = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** Zones, each with a date near a clock change or a move across the date line. */
const zonesAndDates = fc.constantFrom(
  ['America/New_York', '2026-03-01'],
  ['Europe/Berlin', '2026-10-20'],
  ['America/Sao_Paulo', '2018-10-28'],
  ['Australia/Lord_Howe', '2026-03-28'],
  ['Africa/Cairo', '2026-04-20'],
  ['Pacific/Apia', '2011-12-20'],
  ['Pacific/Kiritimati', '1994-12-24'],
  ['Asia/Shanghai', '2026-02-20'],
);
const calendars = fc
  .record({ zoneAndDate: zonesAndDates, offset: fc.integer({ min: 0, max: 9 }), days: fc.integer({ min: 0, max: 25 }) })
  .map(({ zoneAndDate: [zone = '', from = ''], offset, days }) =>
    plan({ zone, starts_on: addDays(from, offset), ends_on: addDays(from, offset + days) }),
  );
const weekdays = fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 });

describe('The planned days of a plan', () => {
  it('equal a slow walk through the plan, without frozen days', () => {
    fc.assert(
      fc.property(calendars, fc.option(weekdays), fc.array(fc.nat(25)), (calendar, on, frozen) => {
        const frozen_dates = frozen.map((n) => addDays(calendar.starts_on, n));
        const slow = daysByClock(calendar).filter(
          (day) => !frozen_dates.includes(day) && (on === null || on.includes(weekday(day))),
        );
        expect(plannedDates({ ...calendar, weekdays: on, frozen_dates })).toEqual(slow);
      }),
    );
  });

  it('with a daily rule are every n-th day from the start', () => {
    fc.assert(
      fc.property(calendars, fc.integer({ min: 1, max: 9 }), (calendar, every) => {
        const slow: string[] = [];
        for (let day = calendar.starts_on; day <= calendar.ends_on; day = addDays(day, every)) slow.push(day);
        const real = daysByClock(calendar);
        expect(plannedDates({ ...calendar, rrule: `FREQ=DAILY;INTERVAL=${every}` })).toEqual(
          slow.filter((day) => real.includes(day)),
        );
      }),
    );
  });

  it('with a weekly rule are its weekdays in every n-th week, counted from the week of the start', () => {
    fc.assert(
      fc.property(calendars, weekdays, fc.integer({ min: 1, max: 3 }), (calendar, on, every) => {
        const monday = addDays(calendar.starts_on, 1 - weekday(calendar.starts_on));
        const week = (day: string) => Math.floor((Date.parse(day) - Date.parse(monday)) / (7 * 86_400_000));
        const slow = daysByClock(calendar).filter((day) => on.includes(weekday(day)) && week(day) % every === 0);
        const byDay = on.map((n) => NAMES[n - 1]).join();
        expect(plannedDates({ ...calendar, rrule: `FREQ=WEEKLY;INTERVAL=${every};BYDAY=${byDay}` })).toEqual(slow);
      }),
    );
  });

  it.each([
    ['a COUNT', 'FREQ=DAILY;COUNT=2', ['2026-03-02', '2026-03-03']],
    ['an UNTIL with a date', 'FREQ=DAILY;UNTIL=20260303', ['2026-03-02', '2026-03-03']],
    ['an UNTIL with a local time', 'FREQ=DAILY;UNTIL=20260303T235959', ['2026-03-02', '2026-03-03']],
    ['a BYMONTHDAY', 'FREQ=MONTHLY;BYMONTHDAY=10', ['2026-03-10']],
    ['a rule the start does not match', 'FREQ=WEEKLY;BYDAY=SU', ['2026-03-08', '2026-03-15']],
    ['a rule that never matches', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', []],
    ['a rule in lower case', 'freq=weekly;byday=fr', ['2026-03-06', '2026-03-13']],
  ])('follow %s', (_name, rrule, days) => {
    expect(plannedDates(plan({ rrule }))).toEqual(days);
  });

  it('end on the local day of an UNTIL with a UTC time', () => {
    const rrule = 'FREQ=DAILY;UNTIL=20260303T180000Z';
    expect(plannedDates(plan({ rrule, zone: 'Asia/Shanghai' })).at(-1)).toBe('2026-03-04');
    expect(plannedDates(plan({ rrule, zone: 'America/New_York' })).at(-1)).toBe('2026-03-03');
  });

  it('leave out a day that does not exist in the zone, and do not count it', () => {
    const inSamoa = plan({ zone: 'Pacific/Apia', starts_on: '2011-12-29', ends_on: '2012-01-09' });
    const days = ['2011-12-29', '2011-12-31', '2012-01-01'];
    expect(plannedDates({ ...inSamoa, rrule: 'FREQ=DAILY;COUNT=3' })).toEqual(days);
    expect(plannedDates({ ...inSamoa, ends_on: '2012-01-01', weekdays: [4, 5, 6, 7] })).toEqual(days);
  });
});

describe('The local day', () => {
  it.each([
    ['2026-03-08T04:59:59Z', 'America/New_York', '2026-03-07'],
    ['2026-03-08T05:00:00Z', 'America/New_York', '2026-03-08'],
    ['2026-03-09T03:59:59Z', 'America/New_York', '2026-03-08'],
    ['2026-03-09T04:00:00Z', 'America/New_York', '2026-03-09'],
    ['2026-03-08T10:00:00Z', 'Pacific/Kiritimati', '2026-03-09'],
    ['2026-03-08T10:59:59Z', 'Pacific/Pago_Pago', '2026-03-07'],
    ['2011-12-30T09:59:59Z', 'Pacific/Apia', '2011-12-29'],
    ['2011-12-30T10:00:00Z', 'Pacific/Apia', '2011-12-31'],
  ])('at %s in %s is %s', (at, zone, day) => {
    expect(localDate(new Date(at), zone)).toBe(day);
  });
});

describe('A check-in', () => {
  const planned = ['2026-03-02', '2026-03-04', '2026-03-06', '2026-03-07'];
  it.each([
    ['is possible for today', '2026-03-06', true],
    ['is possible for the first day of the backfill window', '2026-03-04', true],
    ['is not possible for a day before the backfill window', '2026-03-02', false],
    ['is not possible for a future day', '2026-03-07', false],
    ['is not possible for a day that is not planned', '2026-03-05', false],
  ])('%s', (_name, day, open) => {
    expect(isCheckInPossible(day, planned, '2026-03-06', 2)).toBe(open);
  });
});

it.each([
  [null, ['2026-03-02', '2026-03-04']],
  ['2026-03-02', ['2026-03-02', '2026-03-04']],
  ['2026-03-03', ['2026-03-04']],
  ['2026-03-05', []],
])('the planned days of a student who belongs to the plan since %s are %j', (since, expected) => {
  expect(daysSince(['2026-03-02', '2026-03-04'], since)).toEqual(expected);
});
