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

/** Freezes a package and its items in order (rules, part 2). */
export const takeSnapshot = (
  it: Omit<Package, 'published_snapshot'>,
  items: readonly Item[],
  published_by: string,
  published_at: string,
): Snapshot => {
  const content = { package: SnapshotPackage.parse(it), items: items.toSorted((a, b) => a.position - b.position) };
  return { ...content, published_by, published_at, sha256: digest(content) };
};

interface Kept {
  id: string;
  /** Its place before. */
  was: number;
  /** The weight of the best list that ends with it, and what comes before it there. */
  weight: number;
  previous: Kept | undefined;
}

const heavier = (a: Kept | undefined, b: Kept): Kept => (a === undefined || b.weight > a.weight ? b : a);

/**
 * The fewest ids that have to be moved to get from one order to the other; what is in one of them only is no move.
 * The others are the longest list that both have in the same order: of several, one with most at the very place
 * they had.
 */
export const movedIds = (before: readonly string[], after: readonly string[]): Set<string> => {
  const places = new Map(before.map((id, place) => [id, place]));
  const lists: Kept[] = [];
  let best: Kept | undefined;
  for (const [place, id] of after.entries()) {
    const was = places.get(id);
    if (was === undefined) continue;
    let previous: Kept | undefined;
    for (const list of lists) if (list.was < was) previous = heavier(previous, list);
    // One more in the list outweighs any number that have kept their place.
    const own = after.length + 1 + (was === place ? 1 : 0);
    const list = { id, was, weight: (previous?.weight ?? 0) + own, previous };
    lists.push(list);
    best = heavier(best, list);
  }
  const moved = new Set(lists.map(({ id }) => id));
  for (let kept = best; kept !== undefined; kept = kept.previous) moved.delete(kept.id);
  return moved;
};

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
const packageOf = ({ package: it }: Snapshot) => ({ ...it, ...PackageFields.withDefaults(it, {}) });
const itemOf = (it: Item): Item => ({ ...it, ...ItemFields.withDefaults(it, {}) });

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
