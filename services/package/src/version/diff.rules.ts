import { type Item, ItemFields, PackageFields, type Snapshot, type VersionDiff } from '@teaching/contracts';
import type { z } from 'zod';
import { movedIds } from './moved.rules.ts';

interface Change {
  field: string;
  from: unknown;
  to: unknown;
}

/** Fields that differ; ids say which record it is and are left out. */
const changes = (from: Record<string, unknown>, to: Record<string, unknown>): Change[] =>
  Object.keys({ ...from, ...to })
    .filter((field) => from[field] !== to[field])
    .map((field) => ({ field, from: from[field] ?? null, to: to[field] ?? null }));

const itemChanges = ({ position: from, ...old }: Item, { position: to, ...item }: Item, isMoved: boolean): Change[] => [
  ...changes(old, item),
  ...(isMoved ? [{ field: 'position', from, to }] : []),
];

/** Older snapshots lack fields that came later: these were what a record without them has. */
const packageOf = ({ package: it }: Snapshot) => ({ ...it, ...PackageFields.filled(it, {}) });
const itemOf = (it: Item): Item => ({ ...it, ...ItemFields.filled(it, {}) });

/** In the order of their positions. */
const byId = (items: readonly Item[]): Map<string, Item> =>
  new Map(items.toSorted((a, b) => a.position - b.position).map((item) => [item.id, itemOf(item)]));

/**
 * What changed between two published versions: fields of the package, and items added, removed, changed. Items are
 * known by their ids; only those that were moved have another position, not those that others pushed on.
 */
export const diffSnapshots = (
  from: { number: number; snapshot: Snapshot },
  to: { number: number; snapshot: Snapshot },
): z.output<typeof VersionDiff> => {
  const before = byId(from.snapshot.items);
  const after = byId(to.snapshot.items);
  const moved = movedIds([...before.keys()], [...after.keys()]);
  const changed = [...after.values()].flatMap((item) => {
    const old = before.get(item.id);
    const fields = old === undefined ? [] : itemChanges(old, item, moved.has(item.id));
    return fields.length === 0 ? [] : [{ id: item.id, title: item.title, fields }];
  });
  return {
    from: from.number,
    to: to.number,
    fields: changes(packageOf(from.snapshot), packageOf(to.snapshot)),
    items: {
      added: [...after.values()].filter((item) => !before.has(item.id)),
      removed: [...before.values()].filter((item) => !after.has(item.id)),
      changed,
    },
  };
};
