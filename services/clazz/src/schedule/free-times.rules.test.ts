import { describe, expect, it } from 'vitest';
import { bestTimes, timesToTry } from './free-times.rules.ts';

const MADRID = 'Europe/Madrid';
const wanted = { starts_at: '2026-10-23T17:00:00.000Z', ends_at: '2026-10-23T18:30:00.000Z' };
const starts = (times: readonly { starts_at: string }[]): string[] => times.map(({ starts_at }) => starts_at);

describe('times to try instead', () => {
  it('lie later on the same day by half hours, and end on it', () => {
    expect(starts(timesToTry(wanted, MADRID, new Set()).sameDay)).toEqual([
      '2026-10-23T17:30:00.000Z',
      '2026-10-23T18:00:00.000Z',
      '2026-10-23T18:30:00.000Z',
      '2026-10-23T19:00:00.000Z',
      '2026-10-23T19:30:00.000Z',
      '2026-10-23T20:00:00.000Z',
      '2026-10-23T20:30:00.000Z',
    ]);
  });

  it('are at the same time by the clock on other days, but for holidays', () => {
    const { otherDays } = timesToTry(wanted, MADRID, new Set(['2026-10-24', '2026-10-26']));
    expect(otherDays.slice(0, 2)).toEqual([
      { starts_at: '2026-10-25T18:00:00.000Z', ends_at: '2026-10-25T19:30:00.000Z' },
      { starts_at: '2026-10-27T18:00:00.000Z', ends_at: '2026-10-27T19:30:00.000Z' },
    ]);
    expect(otherDays).toHaveLength(12);
  });

  it('are told if free: one of the day, two of others', () => {
    const times = timesToTry(wanted, MADRID, new Set());
    const taken = new Set([0, 1, times.sameDay.length]);
    expect(starts(bestTimes(times, (place) => !taken.has(place)))).toEqual([
      '2026-10-23T18:30:00.000Z',
      '2026-10-25T18:00:00.000Z',
      '2026-10-26T18:00:00.000Z',
    ]);
    expect(bestTimes(times, () => false)).toEqual([]);
  });
});
