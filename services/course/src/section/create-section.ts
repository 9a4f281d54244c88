import { courseEvents, type courseSectionCalls, MAX_SECTIONS, Problem } from '@teaching/contracts';
import { type Handler, statement, newRecord } from '@teaching/kit';
import { lockSections, renumber } from './course-sections.ts';
import { checkParent, orderWith } from './section.rules.ts';

const INSERT = statement(
  `insert into course_section (org_id, id, course_id, parent_id, title, position, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $7)`,
);

export const createSection: Handler<typeof courseSectionCalls.create> = async ({ path, body }, session) => {
  const sections = await lockSections(session, path.course_id);
  if (body.parent_id != null) checkParent(sections, body.parent_id);
  if (sections.length >= MAX_SECTIONS) {
    throw new Problem('invalid_request', `A course has at most ${MAX_SECTIONS} sections`);
  }
  const created = {
    ...newRecord(session),
    course_id: path.course_id,
    parent_id: body.parent_id ?? null,
    title: body.title,
    position: Math.min(body.position ?? sections.length, sections.length),
  };
  const { id, course_id, parent_id, title, position, created_at } = created;
  session.run(INSERT, session.org_id, id, course_id, parent_id, title, position, created_at);
  if (position < sections.length) {
    const ids = sections.map((section) => section.id);
    renumber(session, orderWith(ids, id, position));
  }
  session.emit(courseEvents.sectionCreated, course_id, created);
  return created;
};
