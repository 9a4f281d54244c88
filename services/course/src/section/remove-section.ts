import { courseEvents, type courseSectionCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { requireUnused } from '../shared/in-use.rules.ts';
import { lockSection, renumber } from './course-sections.ts';

const DELETE = statement('delete from course_section where org_id = $1 and id = $2');

export const removeSection: Handler<typeof courseSectionCalls.remove> = async ({ path }, session) => {
  const { it, sections } = await lockSection(session, path.id);
  requireUnused([{ what: 'course_section', count: sections.filter(({ parent_id }) => parent_id === it.id).length }]);
  session.run(DELETE, session.org_id, it.id);
  const others = sections.flatMap(({ id }) => (id === it.id ? [] : [id]));
  renumber(session, others);
  session.emit(courseEvents.sectionDeleted, it.course_id, { id: it.id, course_id: it.course_id });
  return null;
};
