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

/** Fills a migrated, empty database by SQL and lets Postgres look at it; neither triggers nor foreign keys are asked. */
export const seedSchool = async (url: string, { students, orgs }: Size): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("set session_replication_role = replica; set maintenance_work_mem = '256MB'; set jit = off");
    await client.query(
      `create temp table school as
       select '${LARGE_ORG}'::uuid as org_id, ${students} as k, ${Math.max(2_000, students / 10)} as wide
       union all select md5('org ' || n)::uuid, 20, 10 from generate_series(1, ${orgs}) n`,
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
