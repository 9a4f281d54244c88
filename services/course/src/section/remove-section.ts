import { courseEvents, courseSectionCalls } from '@teaching/contracts';
import { always, bigint, prepared, requireUnused, statement } from '@teaching/kit';
import { usesOfSection } from '../reference/uses-elsewhere.ts';
import { COURSE_OF, lockSection, renumber } from './course-sections.ts';
import { SECTION } from './section.table.ts';

const USES = statement('select count(*) as lianxi from lianxi where org_id = $1 and course_section_id = $2', {
  lianxi: always(bigint()),
});

export const removeSection = prepared(courseSectionCalls.remove, {
  prepare: async ({ path }, session) => {
    const [section] = await session.peek(COURSE_OF, session.org_id, path.id);
    if (section === undefined) return [];
    return session.deletion.announce(path.id, () => usesOfSection(session, section.course_id, path.id));
  },
  run: async ({ path }, session, elsewhere) => {
    const { it, sections } = await lockSection(session, path.id);
    const uses = await session.one(USES, session.org_id, it.id);
    requireUnused([
      { what: 'course_section', count: sections.filter(({ parent_id }) => parent_id === it.id).length },
      { what: 'lianxi', count: uses?.lianxi ?? 0 },
      ...elsewhere,
    ]);
    session.remove(SECTION, it.id);
    session.emit(courseEvents.sectionDeleted, it.course_id, { id: it.id, course_id: it.course_id });
    const others = sections.flatMap(({ id }) => (id === it.id ? [] : [id]));
    if (it.position < others.length) renumber(session, it.course_id, others);
    return null;
  },
});
