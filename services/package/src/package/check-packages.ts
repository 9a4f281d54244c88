import { p } from '@mikro-orm/postgresql';
import type { packageCalls } from '@teaching/contracts';
import { always, type Handler, statement } from '@teaching/kit';

const MISSING = statement(
  `select id from unnest($2::uuid[]) as id
   where not exists (select from course_package p where p.org_id = $1 and p.id = id.id)`,
  { id: always(p.uuid()) },
);

/** Which packages of the org do not exist. */
export const checkPackages: Handler<typeof packageCalls.checkReferences> = async ({ body }, session) => {
  const missing = await session.query(MISSING, session.org_id, body.package_ids);
  return { package_ids: missing.map((row) => row.id) };
};
