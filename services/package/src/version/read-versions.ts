import { notFound, type packageCalls, type Snapshot } from '@teaching/contracts';
import { type Handler, isStaff, pagedList, type Session, statement } from '@teaching/kit';
import { maySee } from '../package/package.rules.ts';
import { diffSnapshots } from './diff.rules.ts';

const PACKAGE = statement<{ active: boolean; published_at: string | null }>(
  'select active, published_at from course_package where org_id = $1 and id = $2',
);
const VERSION = statement<{ number: number; snapshot: Snapshot; published_at: string; published_by: string }>(
  `select number, snapshot, published_at, published_by from course_package_version
   where org_id = $1 and package_id = $2 and number = $3`,
);
const list = pagedList<{ number: number; published_at: string; published_by: string; sha256: string }, 'number'>({
  columns: "number, published_at, published_by, snapshot->>'sha256' as sha256",
  from: 'course_package_version',
  id: { by: 'number', type: 'int' },
  sorts: { number: { by: 'number', type: 'int' } },
});

const SOLD = statement<{ found: boolean }>(
  'select exists (select from course_package_version where org_id = $1 and package_id = $2) as found',
);

/**
 * Versions may be read by whoever may read the package; of a deleted one by staff, so that what was sold
 * stays provable.
 */
const requireVisible = async (session: Session, id: string): Promise<void> => {
  const found = await session.one(PACKAGE, session.org_id, id);
  if (found !== undefined && maySee(session.caller, found)) return;
  const isProof = found === undefined && isStaff(session.caller);
  if (!isProof || (await session.one(SOLD, session.org_id, id))?.found !== true) throw notFound('Package');
};

const readVersion = async (session: Session, id: string, number: number) => {
  const found = await session.one(VERSION, session.org_id, id, number);
  if (found === undefined) throw notFound(`Version ${number}`);
  return found;
};

export const listVersions: Handler<typeof packageCalls.listVersions> = async ({ path, query }, session) => {
  await requireVisible(session, path.id);
  return list(session, { ...query, sort: '-number' }, [
    ['org_id = ?', session.org_id],
    ['package_id = ?', path.id],
  ]);
};

export const getVersion: Handler<typeof packageCalls.getVersion> = async ({ path }, session) => {
  await requireVisible(session, path.id);
  return readVersion(session, path.id, path.number);
};

export const diffVersions: Handler<typeof packageCalls.diffVersions> = async ({ path, query }, session) => {
  await requireVisible(session, path.id);
  const from = await readVersion(session, path.id, query.from);
  return diffSnapshots(from, await readVersion(session, path.id, query.to));
};
