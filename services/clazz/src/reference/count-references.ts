import type { clazzReferenceCalls } from '@teaching/contracts';
import { always, bigint, type Handler, statement } from '@teaching/kit';

const BY_COURSE = statement('select count(*) as clazzes from clazz where org_id = $1 and course_id = $2', {
  clazzes: always(bigint()),
});

export const countReferences: Handler<typeof clazzReferenceCalls.countReferences> = async ({ body }, session) => {
  const found = await session.one(BY_COURSE, session.org_id, body.course_id);
  return { clazzes: found?.clazzes ?? 0 };
};
