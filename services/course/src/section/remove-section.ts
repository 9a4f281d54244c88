import { courseEvents, courseSectionCalls } from '@teaching/contracts';
import { prepared, statement } from '@teaching/kit';
import { usesOfSection } from '../reference/uses-elsewhere.ts';
import { requireUnused } from '../shared/in-use.rules.ts';
import { lockSection, renumber } from './course-sections.ts';

const USES = statement<{ lianxi: number }>(
  'select count(*) as lianxi from lianxi where org_id = $1 and course_section_id = $2',
);
const DELETE = statement('delete from course_section where org_id = $1 and id = $2');

export const removeSection = prepared(courseSectionCalls.remove, {
  prepare: ({ path }, session) => usesOfSection(session, path.id),
  run: async ({ path }, session, elsewhere) => {
    const { it, sections } = await lockSection(session, path.id);
    const uses = await session.one(USES, session.org_id, it.id);
    requireUnused([
      { what: 'course_section', count: sections.filter(({ parent_id }) => parent_id === it.id).length },
      { what: 'lianxi', count: uses?.lianxi ?? 0 },
      ...elsewhere,
    ]);
    session.run(DELETE, session.org_id, it.id);
    const others = sections.flatMap(({ id }) => (id === it.id ? [] : [id]));
    renumber(session, others);
    session.emit(courseEvents.sectionDeleted, it.course_id, { id: it.id, course_id: it.course_id });
    return null;
  },
});
