import type { courseReferenceCalls } from '@teaching/contracts';
import { always, bigint, type Handler, statement } from '@teaching/kit';

const of = (table: string, column: string): string =>
  `(select count(*) from ${table} where org_id = $1 and ${column} = $2)`;
const COUNT = statement(
  `select ${of('course', 'teacher_id')} as courses, ${of('course_group', 'owner_id')} as groups,
     ${of('lianxi', 'teacher_id')} + ${of('lianxi_student', 'student_id')} as lianxi,
     ${of('jihua', 'teacher_id')} + ${of('jihua_student', 'student_id')} + ${of('daka', 'student_id')} as jihua,
     ${of('submission', 'student_id')} as submissions`,
  {
    courses: always(bigint()),
    groups: always(bigint()),
    lianxi: always(bigint()),
    jihua: always(bigint()),
    submissions: always(bigint()),
  },
);

/** What names a person as owner or student. Whoever marked something is history. */
export const countPerson: Handler<typeof courseReferenceCalls.countPerson> = async ({ body }, session) =>
  (await session.one(COUNT, session.org_id, body.user_id)) ?? {
    courses: 0,
    groups: 0,
    lianxi: 0,
    jihua: 0,
    submissions: 0,
  };
