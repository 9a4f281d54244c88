import { createHash } from 'node:crypto';
import { type Item, ItemFields, type Package, PackageFields } from '@teaching/contracts';
import { expect, it } from 'vitest';
import { diffSnapshots } from './diff.rules.ts';
import { takeSnapshot } from './snapshot.rules.ts';

const AT = '2026-01-01T00:00:00.000Z';
const pack: Omit<Package, 'published_snapshot'> = {
  ...PackageFields.filled({ title: 'Ünïcode “数学”', price_minor: 100, currency: 'EUR', total_hours: '20.00' }, {}),
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
  ...ItemFields.filled({ course_id: pack.id, title, hours: '1.00' }, {}),
  id: `00000000-0000-7000-8000-00000000010${n}`,
  package_id: pack.id,
  position,
});

it('hashes the canonical JSON of package and items, whatever the order of keys', () => {
  const snapshot = takeSnapshot(pack, [item(1, 0)], 't', AT);
  // RFC 8785: keys sorted, no white space. All keys here are ASCII, so a sorted stringify is the same.
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([k, v]) => [k, sorted(v)]),
    );
  };
  const text = JSON.stringify(sorted({ package: snapshot.package, items: snapshot.items }));
  expect(snapshot.sha256).toBe(createHash('sha256').update(text).digest('hex'));
  const shuffled = takeSnapshot(
    Object.fromEntries(Object.entries(pack).toReversed()) as typeof pack,
    [item(1, 0)],
    'u',
    AT,
  );
  expect(shuffled.sha256).toBe(snapshot.sha256);
});

it('freezes the items in order', () => {
  const { items } = takeSnapshot(pack, [item(2, 1), item(1, 0)], 't', AT);
  expect(items.map((it) => it.position)).toEqual([0, 1]);
});

it('tells what changed between two versions', () => {
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
      fields: [
        { field: 'title', from: 'item 2', to: 'renamed' },
        { field: 'position', from: 1, to: 0 },
      ],
    },
  ]);
  expect(diffSnapshots(from, from)).toMatchObject({ fields: [], items: { added: [], removed: [], changed: [] } });
});
