import { type FieldProblem, Item, ItemFields, type ItemInput } from '@teaching/contracts';

/** The changes that turn the stored items into the wanted list. */
export interface SyncPlan {
  /** The items afterwards, by position from 0. */
  items: Item[];
  created: Item[];
  updated: Item[];
  deleted: string[];
  unchanged: number;
}

const FIELDS = Item.keyof().options;
const isSame = (one: Item, other: Item): boolean => FIELDS.every((field) => one[field] === other[field]);

/** A problem for each id that belongs to no stored item, with its path in the request. */
export const unknownItems = (stored: readonly Item[], wanted: readonly ItemInput[]): FieldProblem[] => {
  const known = new Set(stored.map(({ id }) => id));
  return wanted.flatMap(({ id }, index) =>
    id == null || known.has(id) ? [] : [{ path: `/body/items/${index}/id`, message: 'is not an item of this package' }],
  );
};

/**
 * Compares the stored items with the whole wanted list (rules, part 2). Items with a known id are updated, items
 * without an id are created, and stored items that the list lacks are deleted. Positions follow the list. The
 * contract has refused repeated ids, and the caller unknown ones.
 */
export const planSync = (
  package_id: string,
  stored: readonly Item[],
  wanted: readonly ItemInput[],
  newId: () => string,
): SyncPlan => {
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
