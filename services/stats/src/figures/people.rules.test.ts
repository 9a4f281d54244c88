import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countPeople, type Group, runsOf } from './people.rules.ts';
import { Sums } from './tally.rules.ts';

const Run = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 5 }));
const AnyGroup: fc.Arbitrary<Group> = fc.record({
  clazz_id: fc.constantFrom('algebra', 'botany', 'chess'),
  student_ids: fc.uniqueArray(fc.constantFrom('ann', 'ben', 'cho', 'dan'), { minLength: 1 }),
  runs: fc
    .array(Run, { minLength: 1, maxLength: 3 })
    .map((runs) => runs.map(([from, length]) => [from, from + length])),
});

/** Everybody at each slice of each class, one by one. */
const seatsOf = (groups: readonly Group[]) =>
  groups.flatMap(({ clazz_id, student_ids, runs }) =>
    runs.flatMap(([from, to]) =>
      Array.from({ length: to - from }, (_, n) => from + n).flatMap((slice) =>
        student_ids.map((student_id) => ({ clazz_id, slice, student_id })),
      ),
    ),
  );
const different = (seats: readonly { student_id: string }[]): number =>
  new Set(seats.map(({ student_id }) => student_id)).size;

describe('people of several classes', () => {
  it('are counted once in total, in each class and in each slice, as one by one', () =>
    fc.assert(
      fc.property(fc.array(AnyGroup, { maxLength: 8 }), (groups) => {
        const { total, byClazz, bySlice } = new Sums(['students']).add(countPeople(groups));
        const seats = seatsOf(groups);
        const byPart = (part: 'clazz_id' | 'slice') =>
          [...Map.groupBy(seats, (seat) => seat[part])].map(([key, of]) => [key, { students: different(of) }]);
        const there = [...bySlice].filter(([, { students }]) => students > 0);
        expect(total.students).toBe(different(seats));
        expect(Object.fromEntries(byClazz)).toEqual(Object.fromEntries(byPart('clazz_id')));
        expect(Object.fromEntries(there)).toEqual(Object.fromEntries(byPart('slice')));
      }),
    ));

  it('are nobody where there is no group', () => expect(countPeople([])).toEqual([{ students: 0 }]));

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
  ])('reads the slices %s', (text, runs) => expect(runsOf(text)).toEqual(runs));
});
