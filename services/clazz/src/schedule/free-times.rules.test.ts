import { describe, expect, it } from 'vitest';
import { bestTimes, alternativeTimes } from './free-times.rules.ts';

const MADRID = 'Europe/Madrid';
const wanted = { starts_at: '2026-10-23T17:00:00.000Z', ends_at: '2026-10-23T18:30:00.000Z' };
const starts = (times: readonly { starts_at: string }[]): string[] => times.map(({ starts_at }) => starts_at);

describe('Alternative times of a lesson', () => {
  it('are later on the same day in steps of 30 minutes, and end on that day', () => {
    expect(starts(alternativeTimes(wanted, MADRID, new Set()).sameDay)).toEqual([
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
    const { otherDays } = alternativeTimes(wanted, MADRID, new Set(['2026-10-24', '2026-10-26']));
    expect(otherDays.slice(0, 2)).toEqual([
      { starts_at: '2026-10-25T18:00:00.000Z', ends_at: '2026-10-25T19:30:00.000Z' },
      { starts_at: '2026-10-27T18:00:00.000Z', ends_at: '2026-10-27T19:30:00.000Z' },
    ]);
    expect(otherDays).toHaveLength(12);
  });

  it('contain at most one free time of the same day and two of other days', () => {
    const times = alternativeTimes(wanted, MADRID, new Set());
    const taken = new Set([0, 1, times.sameDay.length]);
    expect(starts(bestTimes(times, (index) => !taken.has(index)))).toEqual([
      '2026-10-23T18:30:00.000Z',
      '2026-10-25T18:00:00.000Z',
      '2026-10-26T18:00:00.000Z',
    ]);
    expect(bestTimes(times, () => false)).toEqual([]);
  });
});
