import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { movedIds } from './moved.rules.ts';

const moved = (before: string, after: string): string => [...movedIds(Array.from(before), Array.from(after))].join('');

/** Every set of ids is tried, small ones first: without it, both orders must be the same. */
const fewest = (before: readonly string[], after: readonly string[]): number => {
  const both = after.filter((id) => before.includes(id));
  const counts = Array.from({ length: 2 ** both.length }, (_, bits) => {
    const stays = (id: string) => both.includes(id) && (bits & (1 << both.indexOf(id))) === 0;
    const isSame = before.filter(stays).join() === after.filter(stays).join();
    return isSame ? both.filter((id) => !stays(id)).length : both.length;
  });
  return Math.min(...counts);
};

describe('what was moved', () => {
  it.each([
    ['nothing when one is put first', 'abc', 'xabc', ''],
    ['nothing when one is taken out', 'abc', 'bc', ''],
    ['the one that went to the front', 'abcd', 'dabc', 'd'],
    ['the one that went to the end', 'abcd', 'bcda', 'a'],
    ['those two that changed places, and not what stands between them', 'abcd', 'cbad', 'ca'],
    ['one of two that changed places', 'abcd', 'abdc', 'c'],
    ['all but one when all is turned round', 'abc', 'cba', 'ca'],
    ['nothing without anything', '', '', ''],
  ])('is %s', (_name, before, after, expected) => {
    expect(moved(before, after)).toBe(expected);
  });

  it('is as few as can be, and the others keep their order', () => {
    const ids = fc.shuffledSubarray(Array.from('abcdefg'));
    fc.assert(
      fc.property(ids, ids, (before, after) => {
        const found = movedIds(before, after);
        const stay = (id: string) => before.includes(id) && after.includes(id) && !found.has(id);
        expect(after.filter(stay)).toEqual(before.filter(stay));
        expect(found.size).toBe(fewest(before, after));
      }),
    );
  });
});
