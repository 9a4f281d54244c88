import { courseCalls, courseEvents } from '@teaching/contracts';
import { prepared, statement, requireOwner } from '@teaching/kit';
import { usesOfCourse } from '../reference/uses-elsewhere.ts';
import { requireUnused } from '../shared/in-use.rules.ts';
import { COURSE } from './course.table.ts';
import { lockCourse } from './save-course.ts';

const USES = statement<{ groups: number; lianxi: number }>(
  `select (select count(*) from course_group_course where org_id = $1 and course_id = $2) as groups,
          (select count(*) from lianxi where org_id = $1 and course_id = $2) as lianxi`,
);
const SECTIONS = statement<{ id: string }>(
  'delete from course_section where org_id = $1 and course_id = $2 returning id',
);

/** Sections are part of their course and go with it; each is told as deleted. */
export const removeCourse = prepared(courseCalls.remove, {
  prepare: ({ path }, session) => usesOfCourse(session, path.id),
  run: async ({ path }, session, elsewhere) => {
    const it = await lockCourse(session, path.id);
    requireOwner(session.caller, it.teacher_id);
    const uses = await session.one(USES, session.org_id, it.id);
    requireUnused([
      { what: 'course_group', count: uses?.groups ?? 0 },
      { what: 'lianxi', count: uses?.lianxi ?? 0 },
      ...elsewhere,
    ]);
    const sections = await session.query(SECTIONS, session.org_id, it.id);
    for (const { id } of sections) session.emit(courseEvents.sectionDeleted, it.id, { id, course_id: it.id });
    session.run(COURSE.remove, session.org_id, it.id);
    session.emit(courseEvents.courseDeleted, it.id, { id: it.id });
    return null;
  },
});
