import { notFound, type packageCalls, type Snapshot } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';

const FIND = statement<{ number: number; snapshot: Snapshot }>(
  `select number, snapshot from course_package_version
   where org_id = $1 and package_id = $2 and ($3::int is null or number = $3) order by number desc limit 1`,
);

export const checkVersion: Handler<typeof packageCalls.checkVersion> = async ({ body }, session) => {
  const found = await session.one(FIND, session.org_id, body.package_id, body.version ?? null);
  if (found === undefined) throw notFound('Published version');
  const { title, total_hours, price_minor, currency, validity_days } = found.snapshot.package;
  return {
    package_id: body.package_id,
    version: found.number,
    title,
    total_hours,
    price_minor,
    currency,
    validity_days,
  };
};
