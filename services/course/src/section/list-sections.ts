import { type CourseSection, type courseSectionCalls } from '@teaching/contracts';
import { type Handler, pagedList } from '@teaching/kit';
import { visibleCourse } from '../course/get-course.ts';
import { readSections, SECTION_COLUMNS } from './course-sections.ts';

const list = pagedList<CourseSection, 'position'>({
  columns: SECTION_COLUMNS,
  from: 'course_section',
  sorts: { position: { by: 'position', type: 'int' } },
});

export const listSections: Handler<typeof courseSectionCalls.list> = async ({ path, query }, session) => {
  await visibleCourse(session, path.course_id);
  const { limit, cursor } = query;
  if (limit === undefined && cursor === undefined) {
    return { items: await readSections(session, path.course_id), next_cursor: null };
  }
  return list(session, { limit: limit ?? 20, cursor, sort: 'position' }, [
    ['org_id = ?', session.org_id],
    ['course_id = ?', path.course_id],
  ]);
};
