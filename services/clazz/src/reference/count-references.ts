import type { clazzReferenceCalls } from '@teaching/contracts';
import { always, bigint, type Handler, statement } from '@teaching/kit';

const COUNT = { clazzes: always(bigint()), hour_lots: always(bigint()) };
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

/** A lot refers to its course and package also when nothing is left of it. */
export const countReferences: Handler<typeof clazzReferenceCalls.countReferences> = async ({ body }, session) => {
  const [what, id] = 'course_id' in body ? [BY_COURSE, body.course_id] : [BY_PACKAGE, body.package_id];
  session.references.close(id);
  return (await session.one(what, session.org_id, id)) ?? { clazzes: 0, hour_lots: 0 };
};
