import type { clazzReferenceCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { ENROLMENT_PERIOD } from '../record/enrolment-period.table.ts';

/** Half-open periods: a student belongs to a class from `since` on and no longer at `until`. */
const OF_STUDENT = statement(
  `select distinct clazz_id from enrolment_period
   where org_id = $1 and student_id = $2 and during @> $3::timestamptz`,
  ENROLMENT_PERIOD.some('clazz_id').shape,
);

/** The classes a student belongs to now. */
export const getRoster: Handler<typeof clazzReferenceCalls.getRoster> = async ({ body }, session) => {
  const found = await session.query(OF_STUDENT, session.org_id, body.student_id, session.now);
  return { clazz_ids: found.map(({ clazz_id }) => clazz_id) };
};

const OF_CLAZZ = statement(
  `select distinct student_id from enrolment_period
   where org_id = $1 and clazz_id = $2 and during @> $3::timestamptz order by student_id`,
  ENROLMENT_PERIOD.some('student_id').shape,
);

/** The students of a class now. */
export const getStudents: Handler<typeof clazzReferenceCalls.getStudents> = async ({ body }, session) => {
  const found = await session.query(OF_CLAZZ, session.org_id, body.clazz_id, session.now);
  return { student_ids: found.map(({ student_id }) => student_id) };
};
