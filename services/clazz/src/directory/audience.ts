import type { accessCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { studentsTaughtBy } from '../hours/account-access.ts';
import { ENROLMENT_PERIOD } from '../record/record.tables.ts';
import { CHILDREN } from './guardians.ts';
import { relationRoles } from './member.rules.ts';

const CLAZZES = statement(
  `select distinct p.clazz_id from unnest($2::text[]) as s (student_id) cross join lateral (
     select clazz_id from enrolment_period
     where org_id = $1 and student_id = s.student_id and during @> $3::timestamptz offset 0) p`,
  ENROLMENT_PERIOD.pick('clazz_id').shape,
);
const TAUGHT = statement(
  `select distinct student_id from (${studentsTaughtBy('$1', '$2')}) as n`,
  ENROLMENT_PERIOD.pick('student_id').shape,
);

/** The children, classes and students that the caller is related to now. */
export const audience: Handler<typeof accessCalls.audience> = async (_input, session) => {
  const { org_id, now } = session;
  const { user_id } = session.caller;
  const { student, guardian, teacher } = relationRoles(session.caller);
  const [children, taught] = await Promise.all([
    guardian ? session.query(CHILDREN, org_id, user_id) : [],
    teacher ? session.query(TAUGHT, org_id, user_id) : [],
  ]);
  const childIds = children.map(({ student_id }) => student_id);
  const students = [...(student ? [user_id] : []), ...childIds];
  const clazzes = students.length === 0 ? [] : await session.query(CLAZZES, org_id, students, now);
  return {
    children: childIds,
    clazz_ids: clazzes.map(({ clazz_id }) => clazz_id),
    students: taught.map(({ student_id }) => student_id),
  };
};
