import { isDeepStrictEqual } from 'node:util';
import type { Relation } from '@teaching/contracts';

/** One teacher and one student while both belong to a class; `until` null while it lasts. */
export interface RelationRow extends Omit<Relation, 'clazz_id'> {
  id: string;
}

export interface RelationChange {
  was: RelationRow | null;
  row: RelationRow;
}

/** What differs between two moments; a relation that is gone lasted no time, so it ends where it began. */
export const relationDiff = (before: readonly RelationRow[], after: readonly RelationRow[]): RelationChange[] => {
  const known = new Map(before.map((row) => [row.id, row]));
  const there = new Set(after.map((row) => row.id));
  const changed = after.flatMap((row): RelationChange[] => {
    const was = known.get(row.id) ?? null;
    return isDeepStrictEqual(was, row) ? [] : [{ was, row }];
  });
  const undone = before.filter((row) => !there.has(row.id));
  return [...changed, ...undone.map((was) => ({ was, row: { ...was, until: was.since } }))];
};
