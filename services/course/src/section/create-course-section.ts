import { courseEvents, type courseSectionCalls, MAX_SECTIONS, Problem, SectionFields } from '@teaching/contracts';
import { type Handler, newRecord } from '@teaching/kit';
import { lockSections, renumber } from './course-sections.ts';
import { checkParent, orderWith } from './section.rules.ts';
import { SECTION } from './section.table.ts';

export const createCourseSection: Handler<typeof courseSectionCalls.createCourseSection> = async (
  { path, body },
  session,
) => {
  const sections = await lockSections(session, path.course_id);
  if (body.parent_id != null) checkParent(sections, body.parent_id);
  if (sections.length >= MAX_SECTIONS) {
    throw new Problem('invalid_request', `A course has at most ${MAX_SECTIONS} sections`);
  }
  const position = Math.min(body.position ?? sections.length, sections.length);
  const { course_id } = path;
  const created = { ...newRecord(session), course_id, ...SectionFields.filled(body, {}), position };
  session.insert(SECTION, created);
  session.emit(courseEvents.sectionCreated, course_id, created);
  if (position < sections.length) {
    const ids = sections.map((section) => section.id);
    renumber(session, course_id, orderWith(ids, created.id, position));
  }
  return created;
};
