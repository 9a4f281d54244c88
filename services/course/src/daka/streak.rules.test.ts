import { addDays } from '@teaching/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { streakOf } from './streak.rules.ts';

/** The streaks by definition instead of in one pass: checks every run of planned days. */
const slowStreak = (planned: readonly string[], checkedIn: ReadonlySet<string>, today: string) => {
  const over = planned.filter((day) => day < today || (day === today && checkedIn.has(day)));
  const isRun = (from: number, to: number) => over.slice(from, to).every((day) => checkedIn.has(day));
  const runs = over.flatMap((_, from) => over.flatMap((_day, to) => (isRun(from, to + 1) ? [[from, to + 1]] : [])));
  const lengths = runs.map(([from = 0, to = 0]) => Math.max(0, to - from));
  const trailing = runs.filter(([, to]) => to === over.length).map(([from = 0, to = 0]) => to - from);
  const done = over.filter((day) => checkedIn.has(day)).length;
  return {
    current: Math.max(0, ...trailing),
    longest: Math.max(0, ...lengths),
    planned: over.length,
    done,
    rate: over.length === 0 ? null : done / over.length,
  };
};

const START = '2026-03-02';
const day = (n: number): string => addDays(START, n);
const days = (list: string): string[] => Array.from(list).flatMap((letter, n) => (letter === '-' ? [] : [day(n)]));

describe('A streak', () => {
  it('equals a slow count by definition', () => {
    const some = fc.uniqueArray(fc.nat(20));
    fc.assert(
      fc.property(some, some, fc.integer({ min: -2, max: 23 }), (planned, done, today) => {
        const inOrder = planned.toSorted((a, b) => a - b).map(day);
        const checkedIn = new Set(done.map(day));
        expect(streakOf(inOrder, checkedIn, day(today))).toEqual(slowStreak(inOrder, checkedIn, day(today)));
      }),
      { numRuns: 500 },
    );
  });

  // Each letter is one day, from START on. `-` is a day that is not planned, or has no check-in.
  it.each([
    ['continues over days off', 'xx--xx', 'xx--xx', 5, { current: 4, longest: 4, done: 4, planned: 4 }],
    ['is not broken by today before its check-in', 'xxxx', 'xxx-', 3, { current: 3, longest: 3, done: 3, planned: 3 }],
    ['includes today after its check-in', 'xxxx', 'xxxx', 3, { current: 4, longest: 4, done: 4, planned: 4 }],
    ['is broken by a missed day', 'xxxx', 'xx-x', 3, { current: 1, longest: 2, done: 3, planned: 4 }],
    ['is 0 when yesterday was missed', 'xxxx', 'xx--', 3, { current: 0, longest: 2, done: 2, planned: 3 }],
    ['ignores check-ins on days that are not planned', 'x-x-', 'xxx-', 3, { current: 2, longest: 2, done: 2 }],
    ['is kept after the end of the plan', 'xx', 'xx', 9, { current: 2, longest: 2, rate: 1 }],
    ['has no rate before the plan begins', 'xx', '--', -1, { current: 0, longest: 0, rate: null, planned: 0 }],
    ['has no rate on the first day before its check-in', 'xx', '--', 0, { current: 0, rate: null, planned: 0 }],
  ])('%s', (_name, planned, done, today, expected) => {
    expect(streakOf(days(planned), new Set(days(done)), day(today))).toMatchObject(expected);
  });
});
