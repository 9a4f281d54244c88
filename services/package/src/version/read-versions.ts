import { notFound, packageCalls, type Snapshot } from '@teaching/contracts';
import {
  notNull,
  bigint,
  type Handler,
  idsBeingDeleted,
  p,
  pagedList,
  type Session,
  statement,
  uuids,
} from '@teaching/kit';
import { readPackageState } from '../package/load-package.ts';
import { isOnSale } from '../package/package.rules.ts';
import { VERSION } from './version.table.ts';
import { diffSnapshots } from './version.rules.ts';

const list = pagedList({
  columns: "number, published_at, published_by, snapshot->>'sha256' as sha256",
  shape: { ...VERSION.pick('number', 'published_at', 'published_by').shape, sha256: notNull(p.text()) },
  from: 'course_package_version',
  id: { by: 'number', type: 'int' },
  sorts: { number: { by: 'number', type: 'int' } },
  where: { package_id: 'package_id = ?' },
});

const HAS_VERSION = statement(
  'select exists (select from course_package_version where org_id = $1 and package_id = $2) as found',
  { found: notNull(p.boolean()) },
);

/**
 * A caller may read the versions of a package that they may read. Staff may also read the versions of a deleted
 * package, as a proof of sales.
 */
const requireVisible = async (session: Session, id: string): Promise<void> => {
  const found = await readPackageState(session, id);
  if (found !== undefined && session.access.allows({ offered: isOnSale(found) })) return;
  const mayReadDeleted = found === undefined && !session.access.isLimitedTo('offered');
  if (!mayReadDeleted || (await session.queryOne(HAS_VERSION, session.org_id, id))?.found !== true)
    throw notFound('Package');
};

const SHOWN = VERSION.omit('org_id', 'package_id');
const READ = statement(
  `select ${SHOWN.columns} from course_package_version where org_id = $1 and package_id = $2 and number = $3`,
  SHOWN.shape,
);

const readVersion = async (session: Session, id: string, number: number) => {
  const found = await session.queryOne(READ, session.org_id, id, number);
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

/**
 * Reads one snapshot. Versions stay after their package is deleted, as a proof of sales, but cannot be sold any more.
 */
const FIND = statement(
  `select w.place, w.package_id, v.number, v.sold, p.published, ${idsBeingDeleted('$2::uuid[]')} as leaving
   from unnest($2::uuid[], $3::int[]) with ordinality as w(package_id, version, place)
   cross join lateral (
     select (select true from course_package_version s where s.org_id = $1 and s.package_id = w.package_id limit 1) is not null
       and (select true from course_package c where c.org_id = $1 and c.id = w.package_id) is not null as published) as p
   left join lateral (select s.number, s.snapshot -> 'package' as sold from course_package_version s
     where s.org_id = $1 and s.package_id = w.package_id and p.published and (w.version is null or s.number = w.version)
     order by s.number desc limit 1) as v on true
   order by w.place`,
  {
    place: notNull(bigint()),
    package_id: notNull(p.uuid()),
    number: p.integer().nullable(),
    sold: p.json<Snapshot['package']>().nullable(),
    published: notNull(p.boolean()),
    leaving: notNull(uuids()),
  },
);

export const checkVersions: Handler<typeof packageCalls.checkVersions> = async ({ body: { wanted } }, session) => {
  const [ids, versions] = [wanted.map((it) => it.package_id), wanted.map((it) => it.version ?? null)];
  const rows = await session.query(FIND, session.org_id, ids, versions);
  return packageCalls.checkVersions.output.parse({
    items: rows.flatMap(({ sold, package_id, number: version, place }) =>
      sold === null || version === null ? [] : [{ ...sold, package_id, version, wanted: place - 1 }],
    ),
    published: [...new Set(rows.flatMap((row) => (row.published ? [row.package_id] : [])))],
    leaving: rows[0]?.leaving ?? [],
  });
};
