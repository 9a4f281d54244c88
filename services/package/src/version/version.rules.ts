import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import {
  type Item,
  ItemFields,
  type Package,
  PackageFields,
  type Snapshot,
  SnapshotPackage,
  type VersionDiff,
} from '@teaching/contracts';
import type { z } from 'zod';

/** SHA-256, lower-case hex, over the canonical JSON (RFC 8785) of package and items. */
const digest = (content: Pick<Snapshot, 'package' | 'items'>): string => {
  const text = canonicalize(content);
  if (text === undefined) throw new Error('a snapshot has no canonical form');
  return createHash('sha256').update(text).digest('hex');
};

/** Takes the snapshot of a package with its items in order (rules, part 2). */
export const takeSnapshot = (
  it: Omit<Package, 'published_snapshot'>,
  items: readonly Item[],
  published_by: string,
  published_at: string,
): Snapshot => {
  const content = { package: SnapshotPackage.parse(it), items: items.toSorted((a, b) => a.position - b.position) };
  return { ...content, published_by, published_at, sha256: digest(content) };
};

/** An id in both orders, as the end of the best common list that has been found so far. */
interface CommonId {
  id: string;
  /** Its index in the former order. */
  formerIndex: number;
  /** The weight of the best list that ends with it, and the id before it in that list. */
  weight: number;
  previous: CommonId | undefined;
}

const heavier = (a: CommonId | undefined, b: CommonId): CommonId => (a === undefined || b.weight > a.weight ? b : a);

/**
 * The smallest set of ids that have to be moved to get from one order to the other. Ids in only one of them are not
 * moved. The other ids are the longest common subsequence; of several, one with the most ids at their former index.
 */
export const movedIds = (before: readonly string[], after: readonly string[]): Set<string> => {
  const formerIndexes = new Map(before.map((id, index) => [id, index]));
  const lists: CommonId[] = [];
  let best: CommonId | undefined;
  for (const [index, id] of after.entries()) {
    const formerIndex = formerIndexes.get(id);
    if (formerIndex === undefined) continue;
    let previous: CommonId | undefined;
    for (const list of lists) if (list.formerIndex < formerIndex) previous = heavier(previous, list);
    // One more id in the list outweighs any number of ids at their former index.
    const own = after.length + 1 + (formerIndex === index ? 1 : 0);
    const list = { id, formerIndex, weight: (previous?.weight ?? 0) + own, previous };
    lists.push(list);
    best = heavier(best, list);
  }
  const moved = new Set(lists.map(({ id }) => id));
  for (let stays = best; stays !== undefined; stays = stays.previous) moved.delete(stays.id);
  return moved;
};

interface Change {
  field: string;
  from: unknown;
  to: unknown;
}

/** The fields that differ. */
const changes = (from: Record<string, unknown>, to: Record<string, unknown>): Change[] =>
  Object.keys({ ...from, ...to })
    .filter((field) => from[field] !== to[field])
    .map((field) => ({ field, from: from[field] ?? null, to: to[field] ?? null }));

const itemChanges = ({ position: from, ...old }: Item, { position: to, ...item }: Item, isMoved: boolean): Change[] => [
  ...changes(old, item),
  ...(isMoved ? [{ field: 'position', from, to }] : []),
];

/** Fills fields that did not exist when the snapshot was taken with their defaults. */
const packageOf = ({ package: it }: Snapshot) => ({ ...it, ...PackageFields.withDefaults(it, {}) });
const itemOf = (it: Item): Item => ({ ...it, ...ItemFields.withDefaults(it, {}) });

/** The items by id, in the order of their positions. */
const byId = (items: readonly Item[]): Map<string, Item> =>
  new Map(items.toSorted((a, b) => a.position - b.position).map((item) => [item.id, itemOf(item)]));

/**
 * The differences of two published versions: changed fields of the package, and added, removed and changed items.
 * Items are matched by id. Only the position of a moved item counts as changed, not that of items that shifted because
 * of it.
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
