import { type FieldProblem, Item, ItemFields, type ItemInput, Problem } from '@teaching/contracts';

/** What has to happen so that the stored items become the wanted list. */
export interface SyncPlan {
  /** The items afterwards, by position from 0. */
  items: Item[];
  created: Item[];
  updated: Item[];
  deleted: string[];
  unchanged: number;
}

const NAMES = Item.keyof().options;
const isSame = (one: Item, other: Item): boolean => NAMES.every((name) => one[name] === other[name]);

const duplicateIds = (wanted: readonly ItemInput[]): FieldProblem[] => {
  const seen = new Set<string>();
  return wanted.flatMap(({ id }, index) => {
    if (id == null) return [];
    if (seen.has(id)) return [{ path: `/body/items/${index}/id`, message: 'appears twice in the list' }];
    seen.add(id);
    return [];
  });
};

/** The places of ids that belong to no stored item. */
export const unknownItems = (stored: readonly Item[], wanted: readonly ItemInput[]): FieldProblem[] => {
  const known = new Set(stored.map(({ id }) => id));
  return wanted.flatMap(({ id }, index) =>
    id == null || known.has(id) ? [] : [{ path: `/body/items/${index}/id`, message: 'is not an item of this package' }],
  );
};

/**
 * Compares the stored items with the whole wanted list (rules, part 2): known ids are updated, entries
 * without id are created, missing ones deleted, positions follow the list. Refuses ids that appear
 * twice (400); none may be unknown.
 */
export const planSync = (
  package_id: string,
  stored: readonly Item[],
  wanted: readonly ItemInput[],
  newId: () => string,
): SyncPlan => {
  const twice = duplicateIds(wanted);
  if (twice.length > 0) throw new Problem('invalid_request', { errors: twice });
  const byId = new Map(stored.map((item) => [item.id, item]));
  const plan: SyncPlan = { items: [], created: [], updated: [], deleted: [], unchanged: 0 };
  wanted.forEach((entry, position) => {
    const item: Item = {
      id: entry.id ?? newId(),
      package_id,
      ...ItemFields.withDefaults(entry, {}),
      position,
    };
    const before = byId.get(item.id);
    const isUnchanged = before !== undefined && isSame(before, item);
    plan.items.push(isUnchanged ? before : item);
    if (before === undefined) plan.created.push(item);
    else if (isUnchanged) plan.unchanged += 1;
    else plan.updated.push(item);
    byId.delete(item.id);
  });
  plan.deleted = [...byId.keys()];
  return plan;
};
