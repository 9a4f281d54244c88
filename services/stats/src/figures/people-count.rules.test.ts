import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countPeople, type PeopleGroup, runsOf } from './people-count.rules.ts';
import { Sums } from './tally.rules.ts';

const Run = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 5 }));
const AnyGroup: fc.Arbitrary<PeopleGroup> = fc.record({
  clazz_id: fc.constantFrom('algebra', 'botany', 'chess'),
  student_ids: fc.uniqueArray(fc.constantFrom('ann', 'ben', 'cho', 'dan'), { minLength: 1 }),
  runs: fc
    .array(Run, { minLength: 1, maxLength: 3 })
    .map((runs) => runs.map(([from, length]) => [from, from + length])),
});

/** One row per person, slice and class. */
const seatsOf = (groups: readonly PeopleGroup[]) =>
  groups.flatMap(({ clazz_id, student_ids, runs }) =>
    runs.flatMap(([from, to]) =>
      Array.from({ length: to - from }, (_, n) => from + n).flatMap((slice) =>
        student_ids.map((student_id) => ({ clazz_id, slice, student_id })),
      ),
    ),
  );
const countDistinct = (seats: readonly { student_id: string }[]): number =>
  new Set(seats.map(({ student_id }) => student_id)).size;

describe('Counting the people of several classes', () => {
  it('counts each person once in total, once per class and once per slice', () =>
    fc.assert(
      fc.property(fc.array(AnyGroup, { maxLength: 8 }), (groups) => {
        const { total, byClazz, bySlice } = new Sums(['students']).add(countPeople(groups));
        const seats = seatsOf(groups);
        const byPart = (part: 'clazz_id' | 'slice') =>
          [...Map.groupBy(seats, (seat) => seat[part])].map(([key, of]) => [key, { students: countDistinct(of) }]);
        const nonEmpty = [...bySlice].filter(([, { students }]) => students > 0);
        expect(total.students).toBe(countDistinct(seats));
        expect(Object.fromEntries(byClazz)).toEqual(Object.fromEntries(byPart('clazz_id')));
        expect(Object.fromEntries(nonEmpty)).toEqual(Object.fromEntries(byPart('slice')));
      }),
    ));

  it('counts 0 without a group', () => expect(countPeople([])).toEqual([{ students: 0 }]));

  it.each([
    ['{}', []],
    ['{[1,2)}', [[1, 2]]],
    [
      '{[1,4),[10,11)}',
      [
        [1, 4],
        [10, 11],
      ],
    ],
  ])('reads the runs of %s', (text, runs) => expect(runsOf(text)).toEqual(runs));
});
