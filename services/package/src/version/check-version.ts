import { notFound, packageCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { VERSION } from './version.table.ts';

const PROOF = VERSION.some('number', 'snapshot');
const FIND = statement(
  `select ${PROOF.columns} from course_package_version
   where org_id = $1 and package_id = $2 and ($3::int is null or number = $3) order by number desc limit 1`,
  PROOF.shape,
);

export const checkVersion: Handler<typeof packageCalls.checkVersion> = async ({ body }, session) => {
  const found = await session.one(FIND, session.org_id, body.package_id, body.version ?? null);
  if (found === undefined) throw notFound('Published version');
  const { package: it } = found.snapshot;
  return packageCalls.checkVersion.output.parse({ ...it, package_id: body.package_id, version: found.number });
};
