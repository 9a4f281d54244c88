import { courseReferenceCalls, type FieldProblem, type ItemInput, unknownIds } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { isKnown, remember } from './known-references.ts';

const NOTHING = { category_ids: [], course_ids: [], sections: [] };

/** Refuses with 404 when the category does not exist in the caller's org. */
export const checkCategory = async (session: Session, category_id: string | null | undefined): Promise<void> => {
  if (category_id == null || isKnown(session.org_id, category_id)) return;
  const missing = await session.neighbours.call(courseReferenceCalls.checkReferences, {
    ...NOTHING,
    category_ids: [category_id],
  });
  if (missing.category_ids.length > 0) throw unknownIds([{ path: '/body/category_id', message: 'does not exist' }]);
  remember(session.org_id, category_id);
};

type Reference = Pick<ItemInput, 'course_id' | 'course_section_id'>;

const sectionsOf = (items: readonly Reference[]) =>
  items.flatMap(({ course_id, course_section_id }) =>
    course_section_id == null ? [] : [{ course_id, course_section_id }],
  );

/** Refuses with 404 when an item names a course or a section of it that does not exist; names every such place. */
export const checkItems = async (session: Session, items: readonly Reference[]): Promise<void> => {
  const { org_id } = session;
  const course_ids = new Set(items.map((item) => item.course_id).filter((id) => !isKnown(org_id, id)));
  const sections = sectionsOf(items).filter((it) => !isKnown(org_id, it.course_id, it.course_section_id));
  if (course_ids.size === 0 && sections.length === 0) return;
  const missing = await session.neighbours.call(courseReferenceCalls.checkReferences, {
    ...NOTHING,
    course_ids: [...course_ids],
    sections,
  });
  const noCourse = new Set(missing.course_ids);
  const noSection = new Set(missing.course_section_ids);
  const errors = items.flatMap(({ course_id, course_section_id }, index): FieldProblem[] => [
    ...(noCourse.has(course_id) ? [{ path: `/body/items/${index}/course_id`, message: 'does not exist' }] : []),
    ...(course_section_id != null && noSection.has(course_section_id)
      ? [{ path: `/body/items/${index}/course_section_id`, message: 'does not exist in this course' }]
      : []),
  ]);
  for (const id of course_ids) if (!noCourse.has(id)) remember(org_id, id);
  for (const it of sections)
    if (!noSection.has(it.course_section_id)) remember(org_id, it.course_id, it.course_section_id);
  if (errors.length > 0) throw unknownIds(errors);
};
