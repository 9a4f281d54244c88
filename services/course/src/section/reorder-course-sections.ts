import type { courseSectionCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { lockSections, readSections, renumber } from './course-sections.ts';
import { checkOrder } from './section.rules.ts';

/** The course's sections in the wanted order; the order that is there already changes nothing. */
export const reorderCourseSections: Handler<typeof courseSectionCalls.reorderCourseSections> = async (
  { path, body },
  session,
) => {
  const sections = await lockSections(session, path.course_id);
  const ids = sections.map(({ id }) => id);
  checkOrder(ids, body.section_ids);
  if (body.section_ids.every((id, index) => ids[index] === id)) return { items: sections, next_cursor: null };
  renumber(session, path.course_id, body.section_ids);
  return { items: await readSections(session, path.course_id), next_cursor: null };
};
