import { isDeepStrictEqual } from 'node:util';
import type { Relation } from '@teaching/contracts';

/** A teacher and a student while both belong to a class. `until` is null while the relation lasts. */
export interface RelationRow extends Omit<Relation, 'clazz_id'> {
  id: string;
}

export interface RelationChange {
  before: RelationRow | null;
  after: RelationRow;
}

/** The differences between two states. A removed relation lasted no time, so it ends where it began. */
export const relationDiff = (earlier: readonly RelationRow[], later: readonly RelationRow[]): RelationChange[] => {
  const known = new Map(earlier.map((row) => [row.id, row]));
  const remaining = new Set(later.map((row) => row.id));
  const changed = later.flatMap((after): RelationChange[] => {
    const before = known.get(after.id) ?? null;
    return isDeepStrictEqual(before, after) ? [] : [{ before, after }];
  });
  const removed = earlier.filter((row) => !remaining.has(row.id));
  return [...changed, ...removed.map((before) => ({ before, after: { ...before, until: before.since } }))];
};
