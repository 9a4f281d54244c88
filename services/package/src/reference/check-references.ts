import { courseReferenceCalls, type FieldProblem, type ItemInput, unknownIds } from '@teaching/contracts';
import type { Session } from '@teaching/kit';

const NOTHING = { category_ids: [], course_ids: [], sections: [] };

/** Refuses with 404 when the category does not exist in the caller's org. */
export const checkCategory = async (session: Session, category_id: string | null | undefined): Promise<void> => {
  if (category_id == null) return;
  const missing = await session.references.missing([category_id], async (category_ids) => {
    const said = await session.neighbours.call(courseReferenceCalls.checkReferences, { ...NOTHING, category_ids });
    return { ...said, missing: said.category_ids };
  });
  if (missing.size > 0) throw unknownIds([{ path: '/body/category_id', message: 'does not exist' }]);
};

type Reference = Pick<ItemInput, 'course_id' | 'course_section_id'>;

/** A section is looked for within its course. */
const sectionOf = ({ course_id, course_section_id }: Reference): string | undefined =>
  course_section_id == null ? undefined : `${course_id} ${course_section_id}`;

/** What an item refers to. */
const thingsOf = (item: Reference): string[] => {
  const section = sectionOf(item);
  return section === undefined ? [item.course_id] : [item.course_id, section];
};

/**
 * These rows of one package, which is locked, name already what their new ones may name again. Else it would have to be looked up once
 * more before the commit.
 */
export const trustStoredReferences = (session: Session, stored: readonly Reference[]): void =>
  session.references.trust(stored.flatMap(thingsOf));

const askFor = async (session: Session, things: readonly string[]) => {
  const parts = things.map((thing) => thing.split(' '));
  const said = await session.neighbours.call(courseReferenceCalls.checkReferences, {
    ...NOTHING,
    course_ids: parts.flatMap(([course_id = '', section]) => (section === undefined ? [course_id] : [])),
    sections: parts.flatMap(([course_id = '', course_section_id]) =>
      course_section_id === undefined ? [] : [{ course_id, course_section_id }],
    ),
  });
  const gone = new Set([...said.course_ids, ...said.course_section_ids]);
  return { ...said, missing: things.filter((_thing, index) => gone.has(parts[index]?.at(-1) ?? '')) };
};

/** Every place where an item names a course or a section of it that does not exist. */
export const unknownReferences = async (session: Session, items: readonly Reference[]): Promise<FieldProblem[]> => {
  const missing = await session.references.missing(items.flatMap(thingsOf), (things) => askFor(session, things));
  if (missing.size === 0) return [];
  return items.flatMap((item, index): FieldProblem[] => [
    ...(missing.has(item.course_id) ? [{ path: `/body/items/${index}/course_id`, message: 'does not exist' }] : []),
    ...(missing.has(sectionOf(item) ?? '')
      ? [{ path: `/body/items/${index}/course_section_id`, message: 'does not exist in this course' }]
      : []),
  ]);
};
