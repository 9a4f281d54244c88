import { Problem, unknownIds } from '@teaching/contracts';

interface Node {
  id: string;
  parent_id: string | null;
}

/**
 * Refuses an invalid parent: sections nest one level, within one course. `moving` is the id of the section that gets
 * the parent; undefined for a new section.
 */
export const checkParent = (sections: readonly Node[], parent_id: string, moving?: string): void => {
  const parent = sections.find(({ id }) => id === parent_id);
  if (parent === undefined) {
    throw unknownIds([{ path: '/body/parent_id', message: 'is not a section of this course' }]);
  }
  if (moving !== undefined && (parent.id === moving || parent.parent_id === moving)) {
    throw new Problem('cycle', 'A section cannot be below itself');
  }
  if (parent.parent_id !== null) throw new Problem('too_deep', 'The parent is itself below another section');
  if (moving !== undefined && sections.some((section) => section.parent_id === moving)) {
    throw new Problem('too_deep', 'The section has sections below it');
  }
};

/** The ids with `id` at `position`. A position beyond the end is the end. */
export const moveToPosition = (ids: readonly string[], id: string, position: number): string[] =>
  ids.filter((other) => other !== id).toSpliced(position, 0, id);

/** Throws 409 `order_mismatch` unless `requested` contains every stored section exactly once. */
export const checkOrder = (stored: readonly string[], requested: readonly string[]): void => {
  const requestedIds = new Set(requested);
  const storedIds = new Set(stored);
  const missing = stored.filter((id) => !requestedIds.has(id));
  const unknown = [...requestedIds].filter((id) => !storedIds.has(id));
  if (missing.length + unknown.length === 0 && requestedIds.size === requested.length) return;
  throw new Problem('order_mismatch', {
    detail: 'The list must contain every section of the course exactly once',
    members: { missing, unknown },
  });
};

/**
 * Copies of the sections of a course. `newFields` returns the fields of a new record for each copy, such as its id. The
 * copy of a nested section is below the copy of its parent.
 */
export const sectionCopies = <S extends Node, R extends { id: string }>(
  sections: readonly S[],
  newFields: () => R,
): (S & R)[] => {
  const copies = sections.map((section) => ({ ...section, ...newFields() }));
  const idOf = new Map(sections.map(({ id }, index) => [id, copies[index]?.id]));
  return copies.map((copy) => ({ ...copy, parent_id: idOf.get(copy.parent_id ?? '') ?? null }));
};
