import { describe, expect, it } from 'vitest';
import {
  addDays,
  chineseDateRange,
  dateFrom,
  daysBetween,
  distanceOf,
  instantOf,
  localOf,
  mondayOf,
  rangeOf,
  weekdayOf,
} from './zone.rules.ts';

const MADRID = 'Europe/Madrid';
const iso = (ms: number): string => new Date(ms).toISOString();

describe('Dates and times of a zone', () => {
  it('converts instants to the local date and time of the zone', () => {
    expect(localOf('2026-07-01T22:30:00Z', MADRID)).toEqual({ date: '2026-07-02', time: '00:30' });
    expect(localOf('2026-01-01T00:00:00Z', 'Asia/Shanghai')).toEqual({ date: '2026-01-01', time: '08:00' });
  });

  it('finds the instant of a local time before and after a clock change', () => {
    expect(iso(instantOf({ date: '2026-10-24', time: '09:00' }, MADRID))).toBe('2026-10-24T07:00:00.000Z');
    expect(iso(instantOf({ date: '2026-10-25', time: '09:00' }, MADRID))).toBe('2026-10-25T08:00:00.000Z');
    expect(iso(instantOf({ date: '2026-03-29', time: '09:00' }, MADRID))).toBe('2026-03-29T07:00:00.000Z');
  });

  it('takes the first instant of a repeated time, and moves a skipped time forward', () => {
    expect(iso(instantOf({ date: '2026-10-25', time: '02:30' }, MADRID))).toBe('2026-10-25T00:30:00.000Z');
    expect(localOf(instantOf({ date: '2026-03-29', time: '02:30' }, MADRID), MADRID).time).toBe('03:30');
  });

  it('returns a range of 25 hours for the day on which the clock goes back', () => {
    const { from, to } = rangeOf('2026-10-25', 1, MADRID);
    expect(Date.parse(to) - Date.parse(from)).toBe(25 * 3_600_000);
  });

  it('counts days and weeks by the calendar', () => {
    expect(mondayOf('2026-11-22')).toBe('2026-11-16');
    expect(mondayOf('2026-11-23')).toBe('2026-11-23');
    expect(weekdayOf('2026-11-22')).toBe(7);
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
    expect(daysBetween('2026-10-24', '2026-10-26')).toBe(2);
  });

  it.each([
    ['2026-11-23T19:45:00Z', [15, 'minute']],
    ['2026-11-23T18:00:00Z', [-1, 'hour']],
    ['2026-11-24T06:00:00Z', [10, 'hour']],
    ['2026-11-24T14:00:00Z', [1, 'day']],
    ['2026-11-25T14:00:00Z', [2, 'day']],
    ['2026-11-21T23:30:00Z', [-1, 'day']],
    ['2026-11-21T22:30:00Z', [-2, 'day']],
  ])('counts the distance to %s in minutes, hours or calendar days', (then, distance) => {
    expect(distanceOf(Date.parse('2026-11-23T19:30:00Z'), Date.parse(then), MADRID)).toEqual(distance);
  });
});

describe('Reading a date from the address', () => {
  it('accepts a calendar date, and replaces anything else by today', () => {
    const today = '2026-11-23';
    expect(dateFrom('2026-02-28', today)).toBe('2026-02-28');
    for (const wrong of [undefined, '', 'yesterday', '2026-02-30', '2026-13-01', '26-01-01', '2026-1-1'])
      expect(dateFrom(wrong, today)).toBe(today);
  });
});

it.for([
  ['2026-11-30', '2026-12-06', '2026年11月30日–12月6日'],
  ['2026-11-02', '2026-11-08', '2026年11月2日–8日'],
  ['2026-12-28', '2027-01-03', '2026年12月28日–2027年1月3日'],
] as const)('writes the days from %s to %s in Chinese without what both share', ([from, to, text]) => {
  expect(chineseDateRange(from, to)).toBe(text);
});
