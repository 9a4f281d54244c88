import { p } from '@mikro-orm/postgresql';
import type { clazzReferenceCalls } from '@teaching/contracts';
import { always, type Handler, statement } from '@teaching/kit';

const MISSING = statement(
  `select id from unnest($2::uuid[]) as id
   where not exists (select from clazz c where c.org_id = $1 and c.id = id.id)`,
  { id: always(p.uuid()) },
);

/** Which classes of the org do not exist. */
export const checkReferences: Handler<typeof clazzReferenceCalls.checkReferences> = async ({ body }, session) => {
  const missing = await session.query(MISSING, session.org_id, body.clazz_ids);
  return { clazz_ids: missing.map(({ id }) => id) };
};
