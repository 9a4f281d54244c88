import { courseEvents, type courseSectionCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { touch } from '../shared/record.ts';
import { lockSection, renumber } from './course-sections.ts';
import { checkParent, orderWith } from './section.rules.ts';

const UPDATE = statement(
  `update course_section set title = $3, parent_id = $4, position = $5, version = $6, updated_at = $7
   where org_id = $1 and id = $2`,
);

export const updateSection: Handler<typeof courseSectionCalls.update> = async ({ path, body }, session) => {
  const { it, sections } = await lockSection(session, path.id);
  if (body.parent_id != null) checkParent(sections, body.parent_id, it.id);
  if (body.title !== undefined) it.title = body.title;
  if (body.parent_id !== undefined) it.parent_id = body.parent_id;
  it.position = Math.min(body.position ?? it.position, sections.length - 1);
  touch(it, session);
  session.run(UPDATE, session.org_id, it.id, it.title, it.parent_id, it.position, it.version, it.updated_at);
  if (body.position !== undefined) {
    const ids = sections.map((section) => section.id);
    renumber(session, orderWith(ids, it.id, it.position));
  }
  session.emit(courseEvents.sectionUpdated, it.course_id, it);
  return it;
};
