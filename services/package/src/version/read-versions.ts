import { notFound, type packageCalls } from '@teaching/contracts';
import { always, type Handler, p, pagedList, type Session, statement } from '@teaching/kit';
import { readState } from '../package/load-package.ts';
import { isOnSale } from '../package/package.rules.ts';
import { diffSnapshots } from './diff.rules.ts';
import { VERSION } from './version.table.ts';

const list = pagedList({
  columns: "number, published_at, published_by, snapshot->>'sha256' as sha256",
  shape: { ...VERSION.some('number', 'published_at', 'published_by').shape, sha256: always(p.text()) },
  from: 'course_package_version',
  id: { by: 'number', type: 'int' },
  sorts: { number: { by: 'number', type: 'int' } },
  where: { package_id: 'package_id = ?' },
});

const SOLD = statement(
  'select exists (select from course_package_version where org_id = $1 and package_id = $2) as found',
  { found: always(p.boolean()) },
);

/**
 * Versions may be read by whoever may read the package; of a deleted one by staff, so that what was sold
 * stays provable.
 */
const requireVisible = async (session: Session, id: string): Promise<void> => {
  const found = await readState(session, id);
  if (found !== undefined && session.reach.covers({ offered: isOnSale(found) })) return;
  const isProof = found === undefined && !session.reach.goesBy('offered');
  if (!isProof || (await session.one(SOLD, session.org_id, id))?.found !== true) throw notFound('Package');
};

const SHOWN = VERSION.without('org_id', 'package_id');
const READ = statement(
  `select ${SHOWN.columns} from course_package_version where org_id = $1 and package_id = $2 and number = $3`,
  SHOWN.shape,
);

const readVersion = async (session: Session, id: string, number: number) => {
  const found = await session.one(READ, session.org_id, id, number);
  if (found === undefined) throw notFound(`Version ${number}`);
  return found;
};

export const listPackageVersions: Handler<typeof packageCalls.listPackageVersions> = async (
  { path, query },
  session,
) => {
  await requireVisible(session, path.id);
  return list(session, { ...query, sort: '-number' }, { package_id: path.id });
};

export const getPackageVersion: Handler<typeof packageCalls.getPackageVersion> = async ({ path }, session) => {
  await requireVisible(session, path.id);
  return readVersion(session, path.id, path.number);
};

export const comparePackageVersions: Handler<typeof packageCalls.comparePackageVersions> = async (
  { path, query },
  session,
) => {
  await requireVisible(session, path.id);
  const from = await readVersion(session, path.id, query.from);
  return diffSnapshots(from, await readVersion(session, path.id, query.to));
};
