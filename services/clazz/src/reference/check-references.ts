import type { clazzReferenceCalls } from '@teaching/contracts';
import { always, type Handler, leavingOf, statement, uuids } from '@teaching/kit';

const MISSING = statement(
  `select array(select w.id from unnest($2::uuid[]) as w(id)
                where (select c.id from clazz c where c.org_id = $1 and c.id = w.id) is null) as clazz_ids,
     ${leavingOf('$2::uuid[]')} as leaving`,
  { clazz_ids: always(uuids()), leaving: always(uuids()) },
);

/** Which classes of the org do not exist, and which are being deleted: as of one moment. */
export const checkReferences: Handler<typeof clazzReferenceCalls.checkReferences> = async ({ body }, session) => {
  const found = await session.one(MISSING, session.org_id, body.clazz_ids);
  return found ?? { clazz_ids: [], leaving: [] };
};
