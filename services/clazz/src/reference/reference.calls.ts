import type { clazzReferenceCalls } from '@teaching/contracts';
import { notNull, bigint, type Handler, idsBeingDeleted, statement, uuids } from '@teaching/kit';
import { ENROLMENT_PERIOD } from '../record/record.tables.ts';

const MISSING = statement(
  `select array(select w.id from unnest($2::uuid[]) as w(id)
                where (select c.id from clazz c where c.org_id = $1 and c.id = w.id) is null) as clazz_ids,
     ${idsBeingDeleted('$2::uuid[]')} as leaving`,
  { clazz_ids: notNull(uuids()), leaving: notNull(uuids()) },
);

/** The classes that do not exist in the org, and those that are being deleted, in one snapshot. */
export const checkReferences: Handler<typeof clazzReferenceCalls.checkReferences> = async ({ body }, session) => {
  const found = await session.queryOne(MISSING, session.org_id, body.clazz_ids);
  return found ?? { clazz_ids: [], leaving: [] };
};

const COUNT = { clazzes: notNull(bigint()), hour_lots: notNull(bigint()) };
const BY_COURSE = statement(
  `select (select count(*) from clazz where org_id = $1 and course_id = $2) as clazzes,
     (select count(*) from hour_lot where org_id = $1 and course_id = $2) as hour_lots`,
  COUNT,
);
const BY_PACKAGE = statement(
  `select (select count(*) from clazz where org_id = $1 and course_package_id = $2) as clazzes,
     (select count(*) from hour_lot where org_id = $1 and package_id = $2) as hour_lots`,
  COUNT,
);

/** Counts classes and lots with this course or package. A lot counts even when nothing is left of it. */
export const countReferences: Handler<typeof clazzReferenceCalls.countReferences> = async ({ body }, session) => {
  const [query, id] = 'course_id' in body ? [BY_COURSE, body.course_id] : [BY_PACKAGE, body.package_id];
  session.references.setFence(id);
  return (await session.queryOne(query, session.org_id, id)) ?? { clazzes: 0, hour_lots: 0 };
};

/** Periods are half-open: a student belongs to a class from `since` on, and no longer at `until`. */
const OF_STUDENT = statement(
  `select distinct clazz_id from enrolment_period
   where org_id = $1 and student_id = $2 and during @> $3::timestamptz`,
  ENROLMENT_PERIOD.pick('clazz_id').shape,
);

/** The classes that a student belongs to now. */
export const getRoster: Handler<typeof clazzReferenceCalls.getRoster> = async ({ body }, session) => {
  const found = await session.query(OF_STUDENT, session.org_id, body.student_id, session.now);
  return { clazz_ids: found.map(({ clazz_id }) => clazz_id) };
};

const OF_CLAZZ = statement(
  `select distinct student_id from enrolment_period
   where org_id = $1 and clazz_id = $2 and during @> $3::timestamptz order by student_id`,
  ENROLMENT_PERIOD.pick('student_id').shape,
);

/** The students who belong to a class now. */
export const getStudents: Handler<typeof clazzReferenceCalls.getStudents> = async ({ body }, session) => {
  const found = await session.query(OF_CLAZZ, session.org_id, body.clazz_id, session.now);
  return { student_ids: found.map(({ student_id }) => student_id) };
};
