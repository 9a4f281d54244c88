import { describe, expect, it } from 'vitest';
import { shownHours, layOutDay, movedTimes, spansOf, targetAfterKey } from './grid.rules.ts';

const MADRID = 'Europe/Madrid';
const DATE = '2026-11-23';
const piece = (it: string, from: number, to: number) => ({ it, date: DATE, from, to });
const placed = (...pieces: ReturnType<typeof piece>[]) =>
  layOutDay(pieces).map(({ it, column, columns, columnSpan }) => [it, column, columns, columnSpan]);

describe('Spans of a lesson by day', () => {
  const span = (starts_at: string, ends_at: string) => spansOf({ starts_at, ends_at }, MADRID);
  it('uses the local time of the zone', () => {
    expect(span('2026-11-23T15:00:00Z', '2026-11-23T16:15:00Z')).toEqual([{ date: DATE, from: 960, to: 1_035 }]);
  });

  it('splits a lesson at midnight, and keeps a lesson that ends at midnight whole', () => {
    expect(span('2026-11-23T22:30:00Z', '2026-11-23T23:30:00Z')).toEqual([
      { date: DATE, from: 1_410, to: 1_440 },
      { date: '2026-11-24', from: 0, to: 30 },
    ]);
    expect(span('2026-11-23T22:30:00Z', '2026-11-23T23:00:00Z')).toEqual([{ date: DATE, from: 1_410, to: 1_440 }]);
  });

  it('keeps the length of a lesson when the clock goes back, and uses the local times when it goes forward', () => {
    // 02:30 summer time to 02:30 winter time
    expect(span('2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z')).toEqual([{ date: '2026-10-25', from: 150, to: 210 }]);
    // 01:30 to 03:30, an hour
    expect(span('2026-03-29T00:30:00Z', '2026-03-29T01:30:00Z')).toEqual([{ date: '2026-03-29', from: 90, to: 210 }]);
  });
});

describe('Columns of overlapping lessons', () => {
  it('places overlapping lessons in as few columns as possible', () => {
    expect(placed(piece('a', 0, 60), piece('b', 30, 90), piece('c', 60, 120))).toEqual([
      ['a', 0, 2, 1],
      ['b', 1, 2, 1],
      ['c', 0, 2, 1],
    ]);
  });

  it('gives the full width to lessons that only touch', () => {
    expect(placed(piece('a', 0, 60), piece('b', 60, 90))).toEqual([
      ['a', 0, 1, 1],
      ['b', 0, 1, 1],
    ]);
  });

  it('starts again with one column after all earlier lessons have ended', () => {
    const busy = [piece('a', 0, 60), piece('b', 0, 60), piece('c', 0, 60)];
    expect(placed(...busy, piece('d', 60, 90), piece('e', 70, 90)).slice(3)).toEqual([
      ['d', 0, 2, 1],
      ['e', 1, 2, 1],
    ]);
  });

  it('extends a lesson over free columns to its right', () => {
    expect(placed(piece('a', 0, 200), piece('b', 0, 60), piece('c', 30, 60), piece('d', 100, 150))).toEqual([
      ['a', 0, 3, 1],
      ['b', 1, 3, 1],
      ['c', 2, 3, 1],
      ['d', 1, 3, 2],
    ]);
  });
});

describe('Moving a lesson', () => {
  const lesson = { starts_at: '2026-10-24T15:00:00.000Z', ends_at: '2026-10-24T16:30:00.000Z' };

  it('keeps the length, and uses the local time of the new day', () => {
    expect(movedTimes(lesson, { date: '2026-10-26', minutes: 17 * 60 }, MADRID)).toEqual({
      starts_at: '2026-10-26T16:00:00.000Z',
      ends_at: '2026-10-26T17:30:00.000Z',
    });
  });

  it('keeps the length over a clock change', () => {
    const { starts_at, ends_at } = movedTimes(lesson, { date: '2026-10-25', minutes: 120 }, MADRID);
    expect(Date.parse(ends_at) - Date.parse(starts_at)).toBe(90 * 60_000);
  });

  it('moves by arrow keys, within the shown days and within the day', () => {
    const days = [DATE, '2026-11-24'];
    const at = { date: DATE, minutes: 600 };
    expect(targetAfterKey(at, 'ArrowDown', 15, days)).toEqual({ date: DATE, minutes: 615 });
    expect(targetAfterKey(at, 'ArrowRight', 15, days)).toEqual({ date: '2026-11-24', minutes: 600 });
    expect(targetAfterKey(at, 'ArrowLeft', 15, days)).toEqual(at);
    expect(targetAfterKey({ date: DATE, minutes: 5 }, 'ArrowUp', 15, days)).toEqual({ date: DATE, minutes: 0 });
    expect(targetAfterKey({ date: DATE, minutes: 1_425 }, 'ArrowDown', 15, days)).toEqual({
      date: DATE,
      minutes: 1_425,
    });
    expect(targetAfterKey(at, 'x', 15, days)).toBeUndefined();
  });
});

describe('Hours of the grid', () => {
  it('shows the used hours, and at least eight', () => {
    expect(shownHours([])).toEqual({ from: 540, to: 1_080 });
    expect(shownHours([piece('a', 430, 500), piece('b', 1_200, 1_270)])).toEqual({ from: 420, to: 1_320 });
    expect(shownHours([piece('a', 960, 1_250)])).toEqual({ from: 780, to: 1_260 });
    expect(shownHours([piece('a', 30, 90)])).toEqual({ from: 0, to: 480 });
    expect(shownHours([piece('a', 600, 660)])).toEqual({ from: 600, to: 1_080 });
    expect(shownHours([piece('a', 1_380, 1_440)])).toEqual({ from: 960, to: 1_440 });
  });
});
