import type { courseReferenceCalls } from '@teaching/contracts';
import { always, bigint, type Handler, statement } from '@teaching/kit';

const BY_CLAZZ = statement('select count(*) as lianxi from lianxi where org_id = $1 and clazz_id = $2', {
  lianxi: always(bigint()),
});

export const countReferences: Handler<typeof courseReferenceCalls.countReferences> = async ({ body }, session) => {
  session.references.close(body.clazz_id);
  const found = await session.one(BY_CLAZZ, session.org_id, body.clazz_id);
  return { lianxi: found?.lianxi ?? 0 };
};
