import { Problem, unknownIds } from '@teaching/contracts';

interface Node {
  id: string;
  parent_id: string | null;
}

/** Sections nest one level, within one course. `moving` is the section that gets the parent, unless it is new. */
export const checkParent = (sections: readonly Node[], parent_id: string, moving?: string): void => {
  const parent = sections.find(({ id }) => id === parent_id);
  if (parent === undefined) {
    throw unknownIds([{ path: '/body/parent_id', message: 'is not a section of this course' }]);
  }
  if (moving !== undefined && (parent.id === moving || parent.parent_id === moving)) {
    throw new Problem('cycle', 'A section cannot lie below itself');
  }
  if (parent.parent_id !== null) throw new Problem('too_deep', 'The parent itself lies below another section');
  if (moving !== undefined && sections.some((section) => section.parent_id === moving)) {
    throw new Problem('too_deep', 'The section has sections below it');
  }
};

/** The order with `id` put at `position`, or at the end. */
export const orderWith = (ids: readonly string[], id: string, position: number): string[] =>
  ids.filter((other) => other !== id).toSpliced(position, 0, id);

/** A new order must name every section of the course exactly once. */
export const checkOrder = (stored: readonly string[], wanted: readonly string[]): void => {
  const named = new Set(wanted);
  const there = new Set(stored);
  const missing = stored.filter((id) => !named.has(id));
  const unknown = [...named].filter((id) => !there.has(id));
  if (missing.length + unknown.length === 0 && named.size === wanted.length) return;
  throw new Problem('order_mismatch', {
    detail: 'The list must name every section of the course exactly once',
    members: { missing, unknown },
  });
};

/** Copies of the sections of a course, each with what `made` gives a new one; a nested one lies below the copy of its parent. */
export const copiedSections = <S extends Node, R extends { id: string }>(
  sections: readonly S[],
  made: () => R,
): (S & R)[] => {
  const copies = sections.map((section) => ({ ...section, ...made() }));
  const idOf = new Map(sections.map(({ id }, index) => [id, copies[index]?.id]));
  return copies.map((copy) => ({ ...copy, parent_id: idOf.get(copy.parent_id ?? '') ?? null }));
};
