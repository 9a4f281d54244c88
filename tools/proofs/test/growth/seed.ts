import { createHash } from 'node:crypto';
import pg from 'pg';
import { CLAZZ_SEED } from './seed-clazz.ts';
import { COURSE_SEED, PACKAGE_SEED, STATS_SEED } from './seed-others.ts';

/** The large organization. */
export const LARGE_ORG = '01900000-0000-7000-8000-000000000001';

export interface Size {
  /** Students of the large organization. Each has ten lessons, ten leave requests and fifty hour entries. */
  students: number;
  /** Number of small organizations beside it. */
  orgs: number;
}

/** Indexes and exclusion constraints to drop and recreate, because building them at once is much faster. Keys stay. */
const REBUILT_INDEXES = `
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
  /** Number of students. Each has ten lessons, ten leave requests and fifty hour entries. */
  students: number;
  /** Number of packages, and of courses. */
  wide: number;
  /** Items of each package. */
  items: number;
  /** Students with a mark at each held lesson; at most ten, the size of a class. */
  marked: number;
  /** Held lessons of each class, of 50. */
  held: number;
}

/** Sizes for tests of plans, which need no more marks. */
const PLAN_SIZES = { items: 10, marked: 3, held: 33 };

/** Fills a migrated, empty database by SQL, without triggers and foreign keys, and analyzes it. */
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
    const { rows: slow } = await client.query<{ without: string; again: string }>(REBUILT_INDEXES);
    for (const { without } of slow) await client.query(without);
    for (const text of [...CLAZZ_SEED, ...COURSE_SEED, ...PACKAGE_SEED, ...STATS_SEED]) await client.query(text);
    for (const { again } of slow) await client.query(again);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
};

/** The id of an organization, always the same for a number. */
export const orgOf = (n: number): string => createHash('md5').update(`org ${n}`).digest('hex');

/** Creates one large organization among small ones. */
export const seedSchool = (url: string, { students, orgs }: Size): Promise<void> =>
  fillSchools(url, [
    { org_id: LARGE_ORG, students, wide: Math.max(2_000, students / 10), ...PLAN_SIZES },
    ...Array.from({ length: orgs }, (_, n) => ({ org_id: orgOf(n + 1), students: 20, wide: 10, ...PLAN_SIZES })),
  ]);
