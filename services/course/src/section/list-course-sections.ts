import { CourseSection, type courseSectionCalls } from '@teaching/contracts';
import { type Handler, pagedList } from '@teaching/kit';
import { requireVisible } from '../course/load-course.ts';
import { readSections } from './course-sections.ts';
import { SECTION } from './section.table.ts';

const list = pagedList({
  ...SECTION.wire(CourseSection),
  from: 'course_section',
  sorts: { position: { by: 'position', type: 'int' } },
  where: { course_id: 'course_id = ?' },
});

export const listCourseSections: Handler<typeof courseSectionCalls.listCourseSections> = async (
  { path, query },
  session,
) => {
  await requireVisible(session, path.course_id);
  const { limit, cursor } = query;
  if (limit === undefined && cursor === undefined) {
    return { items: await readSections(session, path.course_id), next_cursor: null };
  }
  return list(session, { limit: limit ?? 20, cursor, sort: 'position' }, path);
};
