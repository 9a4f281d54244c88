import { courseEvents, courseSectionCalls, notFound } from '@teaching/contracts';
import { always, bigint, prepared, requireUnused, statement } from '@teaching/kit';
import { COURSE } from '../course/course.table.ts';
import { usesOfSection } from '../reference/uses-elsewhere.ts';
import { lockSection, renumber } from './course-sections.ts';
import { SECTION } from './section.table.ts';

const USES = statement('select count(*) as lianxi from lianxi where org_id = $1 and course_section_id = $2', {
  lianxi: always(bigint()),
});

export const deleteCourseSection = prepared(courseSectionCalls.deleteCourseSection, {
  prepare: ({ path }, session) =>
    session.deletion.announce(path.id, {
      first: async () => {
        const it = await session.peekAt(SECTION, path.id);
        const course = it && (await session.peekAt(COURSE, it.course_id));
        if (it === undefined || course === undefined) throw notFound('Section');
        session.reach.requireOwner(course.teacher_id);
        session.checkVersion(it.version);
        return it;
      },
      ask: (it) => usesOfSection(session, it.course_id, it.id),
    }),
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
