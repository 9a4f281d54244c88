import type { packageCalls } from '@teaching/contracts';
import { always, type Handler, leavingOf, statement, uuids } from '@teaching/kit';

const MISSING = statement(
  `select array(select w.id from unnest($2::uuid[]) as w(id)
                where (select p.id from course_package p where p.org_id = $1 and p.id = w.id) is null) as package_ids,
     ${leavingOf('$2::uuid[]')} as leaving`,
  { package_ids: always(uuids()), leaving: always(uuids()) },
);

/** Which packages of the org do not exist, and which are being deleted: as of one moment. */
export const checkPackages: Handler<typeof packageCalls.checkReferences> = async ({ body }, session) => {
  const found = await session.one(MISSING, session.org_id, body.package_ids);
  return found ?? { package_ids: [], leaving: [] };
};
