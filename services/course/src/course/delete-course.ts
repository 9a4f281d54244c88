import { courseCalls, courseEvents } from '@teaching/contracts';
import { always, asKnown, bigint, p, prepared, requireUnused, statement } from '@teaching/kit';
import { usesOfCourse } from '../reference/uses-elsewhere.ts';
import { COURSE } from './course.table.ts';
import { lockCourse } from './load-course.ts';

const USES = statement(
  `select (select count(*) from course_group_course where org_id = $1 and course_id = $2) as groups,
          (select count(*) from lianxi where org_id = $1 and course_id = $2) as lianxi`,
  { groups: always(bigint()), lianxi: always(bigint()) },
);
const REMOVE_SECTIONS = statement('delete from course_section where org_id = $1 and course_id = $2 returning id', {
  id: p.uuid(),
});

/** Sections are part of their course and go with it; each is told as deleted. */
export const deleteCourse = prepared(courseCalls.deleteCourse, {
  prepare: ({ path }, session) =>
    session.deletion.announce(path.id, {
      first: async () => {
        const it = asKnown(session, await session.peekAt(COURSE, path.id), 'Course');
        session.reach.requireOwner(it.teacher_id);
      },
      ask: () => usesOfCourse(session, path.id),
    }),
  run: async ({ path }, session, elsewhere) => {
    const it = await lockCourse(session, path.id);
    session.reach.requireOwner(it.teacher_id);
    const uses = await session.one(USES, session.org_id, it.id);
    requireUnused([
      { what: 'course_group', count: uses?.groups ?? 0 },
      { what: 'lianxi', count: uses?.lianxi ?? 0 },
      ...elsewhere,
    ]);
    const sections = await session.query(REMOVE_SECTIONS, session.org_id, it.id);
    for (const { id } of sections) session.emit(courseEvents.sectionDeleted, it.id, { id, course_id: it.id });
    session.remove(COURSE, it.id);
    session.emit(courseEvents.courseDeleted, it.id, { id: it.id });
    return null;
  },
});
