import type { packageCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';

const MISSING = statement<{ id: string }>(
  `select id from unnest($2::uuid[]) as id
   where not exists (select from course_package p where p.org_id = $1 and p.id = id.id)`,
);

/** Which packages of the org do not exist. */
export const checkPackages: Handler<typeof packageCalls.checkReferences> = async ({ body }, session) => {
  const missing = await session.query(MISSING, session.org_id, body.package_ids);
  return { package_ids: missing.map((row) => row.id) };
};
