import type { Item } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { planSync, unknownItems } from './sync.rules.ts';

const PACKAGE = '00000000-0000-7000-8000-0000000000aa';
const COURSE = '00000000-0000-7000-8000-0000000000cc';
let created = 0;
const newId = (): string => `new-${(created += 1)}`;
const stored = (id: string, position: number, more: Partial<Item> = {}): Item => ({
  id,
  package_id: PACKAGE,
  course_id: COURSE,
  course_section_id: null,
  title: id,
  hours: '1.00',
  position,
  note: null,
  ...more,
});
const wanted = (id: string | undefined, title = id ?? 'new') => ({
  ...(id === undefined ? {} : { id }),
  course_id: COURSE,
  title,
  hours: '1.00',
});

describe('Planning the sync of items', () => {
  const before = [stored('a', 0), stored('b', 1, { note: 'old' }), stored('c', 2)];

  it.each([
    ['the same list', [wanted('a'), { ...wanted('b'), note: 'old' }, wanted('c')], [0, 0, 0, 3]],
    [
      'a list with one more item at the end',
      [wanted('a'), { ...wanted('b'), note: 'old' }, wanted('c'), wanted(undefined)],
      [1, 0, 0, 3],
    ],
    ['a list with one item less', [wanted('a'), { ...wanted('b'), note: 'old' }], [0, 0, 1, 2]],
    ['an empty list', [], [0, 0, 3, 0]],
    ['a list with two items swapped', [{ ...wanted('b'), note: 'old' }, wanted('a'), wanted('c')], [0, 2, 0, 1]],
    ['a list with a changed title', [wanted('a', 'A'), { ...wanted('b'), note: 'old' }, wanted('c')], [0, 1, 0, 2]],
    ['a list that leaves out a note, which clears it', [wanted('a'), wanted('b'), wanted('c')], [0, 1, 0, 2]],
  ])('counts the changes of %s', (_case, list, [created, updated, deleted, unchanged]) => {
    const plan = planSync(PACKAGE, before, list, newId);
    expect([plan.created.length, plan.updated.length, plan.deleted.length, plan.unchanged]).toEqual([
      created,
      updated,
      deleted,
      unchanged,
    ]);
    expect(plan.items.map((item) => item.position)).toEqual(list.map((_entry, index) => index));
  });

  it('finds ids that belong to no item of the package', () => {
    const paths = unknownItems(before, [wanted('x'), wanted('a'), wanted(undefined)]).map(({ path }) => path);
    expect(paths).toEqual(['/body/items/0/id']);
  });
});
