import { courseEvents, type courseSectionCalls } from '@teaching/contracts';
import { type Handler, statement, touched } from '@teaching/kit';
import { lockSection, renumber } from './course-sections.ts';
import { checkParent, orderWith } from './section.rules.ts';

const UPDATE = statement(
  `update course_section set title = $3, parent_id = $4, position = $5, version = $6, updated_at = $7
   where org_id = $1 and id = $2`,
);

export const updateSection: Handler<typeof courseSectionCalls.update> = async ({ path, body }, session) => {
  const { it, sections } = await lockSection(session, path.id);
  if (body.parent_id != null) checkParent(sections, body.parent_id, it.id);
  const { title = it.title, parent_id = it.parent_id } = body;
  const position = Math.min(body.position ?? it.position, sections.length - 1);
  const answer = touched({ ...it, title, parent_id, position }, session);
  session.run(UPDATE, session.org_id, it.id, title, parent_id, position, answer.version, answer.updated_at);
  if (body.position !== undefined) {
    const ids = sections.map((section) => section.id);
    renumber(session, orderWith(ids, it.id, position));
  }
  session.emit(courseEvents.sectionUpdated, it.course_id, answer);
  return answer;
};
