import { describe, expect, it } from 'vitest';
import { bestTimes, alternativeTimes } from './free-times.rules.ts';

const MADRID = 'Europe/Madrid';
const holidays = (...dates: string[]) => ({ names: new Map(dates.map((date) => [date, 'Holiday'])), zone: MADRID });
const wanted = { starts_at: '2026-10-23T17:00:00.000Z', ends_at: '2026-10-23T18:30:00.000Z' };
const starts = (times: readonly { starts_at: string }[]): string[] => times.map(({ starts_at }) => starts_at);

describe('Alternative times of a lesson', () => {
  it('are later on the same day in steps of 30 minutes, and end on that day', () => {
    expect(starts(alternativeTimes(wanted, MADRID, holidays()).sameDay)).toEqual([
      '2026-10-23T17:30:00.000Z',
      '2026-10-23T18:00:00.000Z',
      '2026-10-23T18:30:00.000Z',
      '2026-10-23T19:00:00.000Z',
      '2026-10-23T19:30:00.000Z',
      '2026-10-23T20:00:00.000Z',
      '2026-10-23T20:30:00.000Z',
    ]);
  });

  it('are at the same local time on other days, without holidays', () => {
    const { otherDays } = alternativeTimes(wanted, MADRID, holidays('2026-10-24', '2026-10-26'));
    expect(otherDays.slice(0, 2)).toEqual([
      { starts_at: '2026-10-25T18:00:00.000Z', ends_at: '2026-10-25T19:30:00.000Z' },
      { starts_at: '2026-10-27T18:00:00.000Z', ends_at: '2026-10-27T19:30:00.000Z' },
    ]);
    expect(otherDays).toHaveLength(12);
  });

  it('are on no holiday of the organization, whose days may be others than those of the lesson', () => {
    const inAuckland = { names: new Map([['2026-10-24', 'Holiday']]), zone: 'Pacific/Auckland' };
    // 17:00 in Madrid is 04:00 on the next day in Auckland. Only the wanted time is on October 24 there.
    const { sameDay, otherDays } = alternativeTimes(wanted, MADRID, inAuckland);
    expect([sameDay.length, otherDays.length]).toEqual([7, 14]);
    const before = { starts_at: '2026-10-22T17:00:00.000Z', ends_at: '2026-10-22T18:30:00.000Z' };
    expect(starts(alternativeTimes(before, MADRID, inAuckland).otherDays)[0]).toBe('2026-10-24T17:00:00.000Z');
    // A time that reaches into the holiday is on it.
    const morning = { starts_at: '2026-10-23T06:00:00.000Z', ends_at: '2026-10-23T07:30:00.000Z' };
    expect(starts(alternativeTimes(morning, MADRID, inAuckland).sameDay)).toEqual([
      '2026-10-23T06:30:00.000Z',
      '2026-10-23T07:00:00.000Z',
      '2026-10-23T07:30:00.000Z',
      '2026-10-23T08:00:00.000Z',
      '2026-10-23T08:30:00.000Z',
      '2026-10-23T09:00:00.000Z',
      '2026-10-23T09:30:00.000Z',
    ]);
  });

  it('contain at most one free time of the same day and two of other days', () => {
    const times = alternativeTimes(wanted, MADRID, holidays());
    const taken = new Set([0, 1, times.sameDay.length]);
    expect(starts(bestTimes(times, (index) => !taken.has(index)))).toEqual([
      '2026-10-23T18:30:00.000Z',
      '2026-10-25T18:00:00.000Z',
      '2026-10-26T18:00:00.000Z',
    ]);
    expect(bestTimes(times, () => false)).toEqual([]);
  });
});
