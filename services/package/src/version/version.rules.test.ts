import { createHash } from 'node:crypto';
import { type Item, ItemFields, type Package, PackageFields } from '@teaching/contracts';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EXAMPLES, IMPOSSIBLE } from '../../../../tools/proofs/test/rfc8785.ts';
import { diffSnapshots, movedIds, takeSnapshot } from './version.rules.ts';

const AT = '2026-01-01T00:00:00.000Z';
const pack: Omit<Package, 'published_snapshot'> = {
  ...PackageFields.withDefaults(
    { title: 'Ünïcode “数学”', price_minor: 100, currency: 'EUR', total_hours: '20.00' },
    {},
  ),
  id: '00000000-0000-7000-8000-000000000001',
  org_id: '00000000-0000-7000-8000-000000000002',
  teacher_id: 't',
  published_at: null,
  published_version: null,
  version: 3,
  created_at: AT,
  updated_at: AT,
};
const item = (n: number, position: number, title = `item ${n}`): Item => ({
  ...ItemFields.withDefaults({ course_id: pack.id, title, hours: '1.00' }, {}),
  id: `00000000-0000-7000-8000-00000000010${n}`,
  package_id: pack.id,
  position,
});

/** The canonical JSON of the package above with one item, written out by hand. */
const CANONICAL = [
  '{"items":[{"course_id":"00000000-0000-7000-8000-000000000001","course_section_id":null,"hours":"1.00",',
  '"id":"00000000-0000-7000-8000-000000000101","note":null,"package_id":"00000000-0000-7000-8000-000000000001",',
  String.raw`"position":0,"title":"€$\u000f\nA'B\"\\\\\"/"}],`,
  '"package":{"category_id":null,"currency":"EUR","description":"",',
  '"id":"00000000-0000-7000-8000-000000000001","org_id":"00000000-0000-7000-8000-000000000002","price_minor":100,',
  '"teacher_id":"t","title":"Ünïcode “数学”","total_hours":"20.00","validity_days":null}}',
].join('');

it('the snapshot has a hash of the canonical JSON of package and items that does not depend on the order of keys', () => {
  const items = [item(1, 0, '\u20ac$\u000f\nA\'B"\\\\"/')];
  const sha256 = createHash('sha256').update(CANONICAL).digest('hex');
  expect(takeSnapshot(pack, items, 't', AT).sha256).toBe(sha256);
  const reversed = <T extends object>(it: T): T => Object.fromEntries(Object.entries(it).toReversed()) as T;
  expect(takeSnapshot(reversed(pack), items.map(reversed), 'u', AT).sha256).toBe(sha256);
});

it.each(EXAMPLES)('canonical JSON is as in RFC 8785: %s', (_what, value, canonical) =>
  expect(canonicalize(value)).toBe(canonical),
);
it.each(IMPOSSIBLE)('there is no canonical JSON of %s', (value) =>
  expect(() => canonicalize([value])).toThrow('is not allowed'),
);

it('the snapshot contains the items in the order of their positions', () => {
  const { items } = takeSnapshot(pack, [item(2, 1), item(1, 0)], 't', AT);
  expect(items.map((it) => it.position)).toEqual([0, 1]);
});

it('the difference of two versions has changed fields, and added, removed and changed items', () => {
  const from = { number: 1, snapshot: takeSnapshot(pack, [item(1, 0), item(2, 1)], 't', AT) };
  const to = {
    number: 2,
    snapshot: takeSnapshot({ ...pack, price_minor: 200 }, [item(2, 0, 'renamed'), item(3, 1)], 't', AT),
  };
  const diff = diffSnapshots(from, to);
  expect(diff.fields).toEqual([{ field: 'price_minor', from: 100, to: 200 }]);
  expect(diff.items.added.map((it) => it.title)).toEqual(['item 3']);
  expect(diff.items.removed.map((it) => it.title)).toEqual(['item 1']);
  expect(diff.items.changed).toEqual([
    {
      id: item(2, 0).id,
      title: 'renamed',
      fields: [{ field: 'title', from: 'item 2', to: 'renamed' }],
    },
  ]);
  expect(diffSnapshots(from, from)).toMatchObject({ fields: [], items: { added: [], removed: [], changed: [] } });
});

it('an item that was moved is changed, and items that only have another position because of it are not', () => {
  const diffOf = (...orders: number[][]) => {
    const [from, to] = orders.map((order, index) => ({
      number: index + 1,
      snapshot: takeSnapshot(
        pack,
        order.map((n, position) => item(n, position)),
        't',
        AT,
      ),
    }));
    if (from === undefined || to === undefined) throw new Error('expected two orders');
    return diffSnapshots(from, to).items;
  };
  expect(diffOf([1, 2, 3], [4, 1, 2, 3])).toMatchObject({ added: [{ title: 'item 4' }], removed: [], changed: [] });
  expect(diffOf([1, 2, 3, 4], [2, 3, 4])).toMatchObject({ removed: [{ title: 'item 1' }], changed: [] });
  expect(diffOf([1, 2, 3, 4], [4, 1, 2, 3]).changed).toEqual([
    { id: item(4, 0).id, title: 'item 4', fields: [{ field: 'position', from: 3, to: 0 }] },
  ]);
});

it('a field that did not exist in the older version is compared with its default', () => {
  const now = takeSnapshot(pack, [item(1, 0)], 't', AT);
  const without = <T extends object>(it: T, field: keyof T): T =>
    Object.fromEntries(Object.entries(it).filter(([name]) => name !== field)) as T;
  const before = {
    ...now,
    package: without(now.package, 'description'),
    items: now.items.map((it) => without(it, 'note')),
  };
  const of = (number: number, snapshot: typeof now) => ({ number, snapshot });
  expect(diffSnapshots(of(1, before), of(2, now))).toMatchObject({ fields: [], items: { changed: [] } });
  const described = takeSnapshot({ ...pack, description: 'new' }, [item(1, 0)], 't', AT);
  expect(diffSnapshots(of(1, before), of(2, described)).fields).toEqual([
    { field: 'description', from: '', to: 'new' },
  ]);
});

const moved = (before: string, after: string): string => [...movedIds(Array.from(before), Array.from(after))].join('');

/** The size of the smallest set of ids without which both orders are the same, found by trying every set. */
const smallestMove = (before: readonly string[], after: readonly string[]): number => {
  const both = after.filter((id) => before.includes(id));
  const counts = Array.from({ length: 2 ** both.length }, (_, bits) => {
    const stays = (id: string) => both.includes(id) && (bits & (1 << both.indexOf(id))) === 0;
    const isSame = before.filter(stays).join() === after.filter(stays).join();
    return isSame ? both.filter((id) => !stays(id)).length : both.length;
  });
  return Math.min(...counts);
};

describe('The moved ids', () => {
  it.each([
    ['none when an id is added at the beginning', 'abc', 'xabc', ''],
    ['none when an id is removed', 'abc', 'bc', ''],
    ['the id that was moved to the beginning', 'abcd', 'dabc', 'd'],
    ['the id that was moved to the end', 'abcd', 'bcda', 'a'],
    ['the two ids that changed places, without those between them', 'abcd', 'cbad', 'ca'],
    ['one of two neighbouring ids that changed places', 'abcd', 'abdc', 'c'],
    ['all but one when the order is reversed', 'abc', 'cba', 'ca'],
    ['none in an empty list', '', '', ''],
  ])('are %s', (_name, before, after, expected) => {
    expect(moved(before, after)).toBe(expected);
  });

  it('are as few as possible, and the other ids keep their order', () => {
    const ids = fc.shuffledSubarray(Array.from('abcdefg'));
    fc.assert(
      fc.property(ids, ids, (before, after) => {
        const found = movedIds(before, after);
        const stay = (id: string) => before.includes(id) && after.includes(id) && !found.has(id);
        expect(after.filter(stay)).toEqual(before.filter(stay));
        expect(found.size).toBe(smallestMove(before, after));
      }),
    );
  });
});
