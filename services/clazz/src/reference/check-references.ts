import type { clazzReferenceCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';

const MISSING = statement<{ id: string }>(
  `select w.id from unnest($2::uuid[]) as w(id)
   where not exists (select from clazz c where c.org_id = $1 and c.id = w.id)`,
);
const BY_COURSE = statement<{ clazzes: number }>(
  'select count(*) as clazzes from clazz where org_id = $1 and course_id = $2',
);
/** Half-open periods: a student belongs to a class from `since` on and no longer at `until`. */
const OF_STUDENT = statement<{ clazz_id: string }>(
  `select distinct clazz_id from enrolment_period
   where org_id = $1 and student_id = $2 and during @> $3::timestamptz`,
);

export const checkReferences: Handler<typeof clazzReferenceCalls.checkReferences> = async ({ body }, session) => {
  const missing = await session.query(MISSING, session.org_id, body.clazz_ids);
  return { clazz_ids: missing.map(({ id }) => id) };
};

export const countReferences: Handler<typeof clazzReferenceCalls.countReferences> = async ({ body }, session) => {
  const found = await session.one(BY_COURSE, session.org_id, body.course_id);
  return { clazzes: found?.clazzes ?? 0 };
};

export const getRoster: Handler<typeof clazzReferenceCalls.getRoster> = async ({ body }, session) => {
  const found = await session.query(OF_STUDENT, session.org_id, body.student_id, session.now);
  return { clazz_ids: found.map(({ clazz_id }) => clazz_id) };
};
