import { notFound, packageCalls } from '@teaching/contracts';
import { always, type Handler, leavingOf, statement, uuids } from '@teaching/kit';
import { VERSION } from './version.table.ts';

const PROOF = VERSION.some('number', 'snapshot');
const FIND = statement(
  `select ${PROOF.columns}, ${leavingOf('array[$2::uuid]')} as leaving from course_package_version
   where org_id = $1 and package_id = $2 and ($3::int is null or number = $3)
     and exists (select from course_package p where p.org_id = $1 and p.id = $2)
   order by number desc limit 1`,
  { ...PROOF.shape, leaving: always(uuids()) },
);

/** Versions outlive their package, so that what was sold stays provable; but then it is sold no more. */
export const checkVersion: Handler<typeof packageCalls.checkVersion> = async ({ body }, session) => {
  const found = await session.one(FIND, session.org_id, body.package_id, body.version ?? null);
  if (found === undefined) throw notFound('Published version');
  const { package: it } = found.snapshot;
  return packageCalls.checkVersion.output.parse({
    ...it,
    package_id: body.package_id,
    version: found.number,
    leaving: found.leaving,
  });
};
