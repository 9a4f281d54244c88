import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { statsCalls } from '@teaching/contracts';
import { rangeOf, type Unit } from './range.rules.ts';

const NOW = new Date('2026-11-20T18:00:00.000Z');
const hoursOf = ({ starts_at, ends_at }: { starts_at: string; ends_at: string }): number =>
  (Date.parse(ends_at) - Date.parse(starts_at)) / 3_600_000;
const range = (from: string | undefined, to: string | undefined, zone = 'UTC', unit: Unit = 'day') =>
  rangeOf({ from, to, zone, unit }, NOW);

describe('The range of statistics', () => {
  it.each([
    ['is the current month without dates', undefined, undefined, 'UTC', '2026-11-01', '2026-11-30'],
    ['is the current month in the zone', undefined, undefined, 'Pacific/Kiritimati', '2026-11-01', '2026-11-30'],
    ['ends with the month of `from` without `to`', '2026-02-10', undefined, 'UTC', '2026-02-10', '2026-02-28'],
    ['begins with the month of `to` without `from`', undefined, '2026-02-10', 'UTC', '2026-02-01', '2026-02-10'],
    ['can be one day', '2026-02-10', '2026-02-10', 'UTC', '2026-02-10', '2026-02-10'],
  ])('%s', (_name, from, to, zone, first, last) => {
    expect(range(from, to, zone).request).toMatchObject({ from: first, to: last });
  });

  it('is the next month if it has already begun in the zone', () => {
    const late = rangeOf({ zone: 'Asia/Shanghai', unit: 'day' }, new Date('2026-11-30T16:00:00Z'));
    expect(late.request.from).toBe('2026-12-01');
    expect(late.starts_at).toBe('2026-11-30T16:00:00.000Z');
  });

  it.each([
    ['clocks going forward', 'America/New_York', '2026-03-08', 23],
    ['clocks going back', 'America/New_York', '2026-11-01', 25],
    ['a skipped midnight', 'America/Sao_Paulo', '2018-11-04', 23],
    ['a half-hour clock change', 'Australia/Lord_Howe', '2026-04-05', 24.5],
    ['no clock change', 'Asia/Kathmandu', '2026-03-08', 24],
  ])('has a day of the real length with %s in %s', (_name, zone, day, hours) => {
    const week = rangeOf(
      {
        from: day.replace(/\d\d$/, (d) => String(Math.max(1, Number(d) - 2)).padStart(2, '0')),
        to: day,
        zone,
        unit: 'day',
      },
      NOW,
    );
    expect(hoursOf(week.slices.at(-1) ?? { starts_at: '', ends_at: '' })).toBe(hours);
    expect(hoursOf(range(day, day, zone))).toBe(hours);
  });

  it.each(['America/Sao_Paulo', 'Europe/Dublin', 'Australia/Lord_Howe', 'Pacific/Apia', 'Africa/Cairo'])(
    'begins every day of two decades in %s at the same instant as Temporal',
    (zone) => {
      const years = Array.from({ length: 23 }, (_, n) => range(`${2005 + n}-01-01`, `${2005 + n}-12-31`, zone));
      const slices = years.flatMap((year) => year.slices);
      const wrong = slices.filter(
        ({ start, starts_at }) =>
          Temporal.PlainDate.from(start).toZonedDateTime(zone).epochMilliseconds !== Date.parse(starts_at),
      );
      expect(wrong).toEqual([]);
    },
  );

  it.each([
    ['day', ['2026-03-29', '2026-03-30', '2026-03-31', '2026-04-01']],
    ['week', ['2026-03-23', '2026-03-30']],
    ['month', ['2026-03-01', '2026-04-01']],
  ] as const)('has slices of one %s, without gaps', (unit, starts) => {
    const { slices, starts_at, ends_at } = range('2026-03-29', '2026-04-01', 'Europe/Berlin', unit);
    expect(slices.map(({ start }) => start)).toEqual(starts);
    expect(slices[0]?.starts_at).toBe(starts_at);
    expect(slices.at(-1)?.ends_at).toBe(ends_at);
    slices.slice(1).forEach((slice, index) => expect(slice.starts_at).toBe(slices[index]?.ends_at));
    expect(starts_at).toBe('2026-03-28T23:00:00.000Z');
    expect(ends_at).toBe('2026-04-01T22:00:00.000Z');
  });

  it.each([
    ['400 days', 'day', '2026-01-01', '2027-02-04', '2027-02-05'],
    ['400 weeks, full or partial', 'week', '2026-01-04', '2033-08-28', '2033-08-29'],
    ['400 months', 'month', '2026-01-31', '2059-04-30', '2059-05-01'],
  ] as const)('has at most %s', (_name, unit, from, last, beyond) => {
    expect(range(from, last, 'Asia/Shanghai', unit).slices).toHaveLength(400);
    const { query } = statsCalls.getOrganizationStats;
    expect(query.safeParse({ from, to: last, unit }).error).toBeUndefined();
    expect(query.safeParse({ from, to: beyond, unit }).error?.issues).toMatchObject([
      { path: ['to'], message: `must leave at most 400 ${unit}s in the range` },
    ]);
  });
});
