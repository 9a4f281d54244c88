import { courseEvents, type courseSectionCalls, SectionFields } from '@teaching/contracts';
import { type Handler, saveChanged } from '@teaching/kit';
import { lockSection, renumber } from './course-sections.ts';
import { checkParent, orderWith } from './section.rules.ts';
import { SECTION } from './section.table.ts';

export const updateCourseSection: Handler<typeof courseSectionCalls.updateCourseSection> = async (
  { path, body },
  session,
) => {
  const { it, sections } = await lockSection(session, path.id);
  if (body.parent_id != null) checkParent(sections, body.parent_id, it.id);
  const position = Math.min(body.position ?? it.position, sections.length - 1);
  return saveChanged(session, it, { ...it, ...SectionFields.patched(it, body, {}), position }, (after) => {
    session.update(SECTION, after);
    session.emit(courseEvents.sectionUpdated, it.course_id, after);
    if (position === it.position) return;
    const ids = sections.map((section) => section.id);
    renumber(session, it.course_id, orderWith(ids, it.id, position));
  });
};
