import { packageCalls, type Snapshot } from '@teaching/contracts';
import { always, bigint, type Handler, leavingOf, p, statement, uuids } from '@teaching/kit';

/** As of one moment. Versions outlive their package, so that what was sold stays provable; but then it is sold no more. */
const FIND = statement(
  `select w.place, w.package_id, v.number, v.sold, p.published, ${leavingOf('$2::uuid[]')} as leaving
   from unnest($2::uuid[], $3::int[]) with ordinality as w(package_id, version, place)
   cross join lateral (
     select (select true from course_package_version s where s.org_id = $1 and s.package_id = w.package_id limit 1) is not null
       and (select true from course_package c where c.org_id = $1 and c.id = w.package_id) is not null as published) as p
   left join lateral (select s.number, s.snapshot -> 'package' as sold from course_package_version s
     where s.org_id = $1 and s.package_id = w.package_id and p.published and (w.version is null or s.number = w.version)
     order by s.number desc limit 1) as v on true
   order by w.place`,
  {
    place: always(bigint()),
    package_id: always(p.uuid()),
    number: p.integer().nullable(),
    sold: p.json<Snapshot['package']>().nullable(),
    published: always(p.boolean()),
    leaving: always(uuids()),
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
