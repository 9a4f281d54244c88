import { createHash } from 'node:crypto';
import pg from 'pg';
import { CLAZZ_SEED } from './seed-clazz.ts';
import { COURSE_SEED, PACKAGE_SEED, STATS_SEED } from './seed-others.ts';

/** The org that has grown. */
export const LARGE_ORG = '01900000-0000-7000-8000-000000000001';

export interface Size {
  /** Students of the large org; leave and lessons are ten of each, hour entries fifty. */
  students: number;
  /** Small orgs beside it. */
  orgs: number;
}

/** Indexes are made at once from all rows, many times as fast as row by row; keys stay. */
const SLOW = `
  select format('drop index %s', i.indexrelid::regclass) as without, pg_get_indexdef(i.indexrelid) as again
  from pg_index i join pg_class t on t.oid = i.indrelid
  where t.relnamespace = any ('{clazz,course,package,stats}'::regnamespace[])
    and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
  union all
  select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname),
    format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
  from pg_constraint c
  where c.contype = 'x' and c.connamespace = any ('{clazz,course,package,stats}'::regnamespace[])`;

export interface School {
  org_id: string;
  /** Leave and lessons are ten of each, hour entries fifty. */
  students: number;
  /** Packages, as many courses. */
  wide: number;
  /** Of each package. */
  items: number;
  /** Students with a mark at each lesson that was held, at most ten: those of a class. */
  marked: number;
  /** Lessons of each class that were held, of 50. */
  held: number;
}

/** Of the schools that plans are tried in: more marks would say nothing more. */
const FEW = { items: 10, marked: 3, held: 33 };

/** Fills a migrated, empty database by SQL and lets Postgres look at it; neither triggers nor foreign keys are asked. */
export const fillSchools = async (url: string, schools: readonly School[]): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("set session_replication_role = replica; set maintenance_work_mem = '256MB'; set jit = off");
    await client.query(
      `create temp table school as select * from jsonb_to_recordset($1)
       as s (org_id uuid, k int, wide int, items int, marked int, held int)`,
      [JSON.stringify(schools.map(({ students, ...school }) => ({ ...school, k: students })))],
    );
    const { rows: slow } = await client.query<{ without: string; again: string }>(SLOW);
    for (const { without } of slow) await client.query(without);
    for (const text of [...CLAZZ_SEED, ...COURSE_SEED, ...PACKAGE_SEED, ...STATS_SEED]) await client.query(text);
    for (const { again } of slow) await client.query(again);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
};

/** The same number has the same id each time. */
export const orgOf = (n: number): string => createHash('md5').update(`org ${n}`).digest('hex');

/** One org that has grown, among small ones. */
export const seedSchool = (url: string, { students, orgs }: Size): Promise<void> =>
  fillSchools(url, [
    { org_id: LARGE_ORG, students, wide: Math.max(2_000, students / 10), ...FEW },
    ...Array.from({ length: orgs }, (_, n) => ({ org_id: orgOf(n + 1), students: 20, wide: 10, ...FEW })),
  ]);
