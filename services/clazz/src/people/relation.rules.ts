import { isDeepStrictEqual } from 'node:util';
import type { Relation } from '@teaching/contracts';

/** A teacher and a student while both belong to a class. `until` is null while the relation lasts. */
export interface RelationRow extends Omit<Relation, 'clazz_id'> {
  id: string;
}

export interface RelationChange {
  was: RelationRow | null;
  row: RelationRow;
}

/** The differences between two states. A removed relation lasted no time, so it ends where it began. */
export const relationDiff = (before: readonly RelationRow[], after: readonly RelationRow[]): RelationChange[] => {
  const known = new Map(before.map((row) => [row.id, row]));
  const remaining = new Set(after.map((row) => row.id));
  const changed = after.flatMap((row): RelationChange[] => {
    const was = known.get(row.id) ?? null;
    return isDeepStrictEqual(was, row) ? [] : [{ was, row }];
  });
  const undone = before.filter((row) => !remaining.has(row.id));
  return [...changed, ...undone.map((was) => ({ was, row: { ...was, until: was.since } }))];
};
