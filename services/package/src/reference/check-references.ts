import { courseReferenceCalls, type FieldProblem, type ItemInput, unknownIds } from '@teaching/contracts';
import type { Session } from '@teaching/kit';

const NO_IDS = { category_ids: [], course_ids: [], sections: [] };

/** Refuses with 404 if the category does not exist in the caller's org. */
export const checkCategory = async (session: Session, category_id: string | null | undefined): Promise<void> => {
  if (category_id == null) return;
  const missing = await session.references.findMissing([category_id], async (category_ids) => {
    const answer = await session.peers.call(courseReferenceCalls.checkReferences, { ...NO_IDS, category_ids });
    return { ...answer, missing: answer.category_ids };
  });
  if (missing.size > 0) throw unknownIds([{ path: '/body/category_id', message: 'does not exist' }]);
};

type Reference = Pick<ItemInput, 'course_id' | 'course_section_id'>;

/** The key of the item's section. A section is looked up within its course. */
const sectionOf = ({ course_id, course_section_id }: Reference): string | undefined =>
  course_section_id == null ? undefined : `${course_id} ${course_section_id}`;

/** The keys of the records that an item refers to (see `References.findMissing`). */
const referenceKeysOf = (item: Reference): string[] => {
  const section = sectionOf(item);
  return section === undefined ? [item.course_id] : [item.course_id, section];
};

/**
 * The stored items of a locked package refer to these records already, so new items may refer to them without another
 * check before the commit.
 */
export const trustStoredReferences = (session: Session, stored: readonly Reference[]): void =>
  session.references.trustStored(stored.flatMap(referenceKeysOf));

const queryCourseService = async (session: Session, keys: readonly string[]) => {
  const parts = keys.map((key) => key.split(' '));
  const answer = await session.peers.call(courseReferenceCalls.checkReferences, {
    ...NO_IDS,
    course_ids: parts.flatMap(([course_id = '', section]) => (section === undefined ? [course_id] : [])),
    sections: parts.flatMap(([course_id = '', course_section_id]) =>
      course_section_id === undefined ? [] : [{ course_id, course_section_id }],
    ),
  });
  const missing = new Set([...answer.course_ids, ...answer.course_section_ids]);
  return { ...answer, missing: keys.filter((_key, index) => missing.has(parts[index]?.at(-1) ?? '')) };
};

/** A problem for each item that refers to a course, or to a section of it, that does not exist. */
export const unknownReferences = async (session: Session, items: readonly Reference[]): Promise<FieldProblem[]> => {
  const missing = await session.references.findMissing(items.flatMap(referenceKeysOf), (keys) =>
    queryCourseService(session, keys),
  );
  if (missing.size === 0) return [];
  return items.flatMap((item, index): FieldProblem[] => [
    ...(missing.has(item.course_id) ? [{ path: `/body/items/${index}/course_id`, message: 'does not exist' }] : []),
    ...(missing.has(sectionOf(item) ?? '')
      ? [{ path: `/body/items/${index}/course_section_id`, message: 'does not exist in this course' }]
      : []),
  ]);
};
