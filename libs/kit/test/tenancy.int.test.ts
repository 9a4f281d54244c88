import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFixtureService, type FixtureServiceSystem } from './fixture-service/fixture-service.ts';

const COURSES = '/ws/course';
let fixture: FixtureServiceSystem;
beforeAll(async () => {
  fixture = await startFixtureService({ env: { DATABASE_POOL: '1', DATABASE_LANES: '1' } });
});
afterAll(() => fixture?.stop());

const of = (org: string) => fixture.as({ role: 'SUPERVISOR', org });

/** Connects with the request role of the service, without the service. */
const asRequestRole = async <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: fixture.envFor('course')['DATABASE_URL'] });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

describe('Tenant isolation', () => {
  it('works on a single pooled connection that many organizations share', async () => {
    const orgs = Array.from({ length: 6 }, () => randomUUID());
    const own = await Promise.all(orgs.map(async (org) => (await of(org).post(COURSES, { title: org })).body.id));
    const rounds = Array.from({ length: 10 }, (_, round) => round);
    await Promise.all(
      rounds.flatMap(() =>
        orgs.map(async (org, index) => {
          const list = await of(org).get(COURSES);
          expect(list.body.items.map(({ title }) => title)).toEqual([org]);
          const foreign = own[(index + 1) % own.length];
          expect((await of(org).get(`${COURSES}/${foreign}`)).status).toBe(404);
        }),
      ),
    );
  });

  it('gives the request role no rows while no organization is set, and lets it write only for that organization', async () => {
    const insert = `insert into log_entry (log, id, org_id, tx_id, type, aggregate_id, actor, request_id, happened_at, data)
      values ('domain', gen_random_uuid(), $1, gen_random_uuid(), 't', 'a', 'me', gen_random_uuid(), now(), '{}')`;
    await asRequestRole(async (client) => {
      expect((await client.query('select 1 from note')).rowCount).toBe(0);
      await client.query("select set_config('app.org_id', $1, false)", [fixture.org]);
      await expect(client.query(insert, [randomUUID()])).rejects.toThrow(/row-level security/);
      await expect(client.query('set row_security = off; select 1 from note')).rejects.toThrow(/row-level security/);
    });
  });

  it('forces row-level security on every table with an org_id, in every service', async () => {
    const open = await fixture.sql(`
      select n.nspname || '.' || c.relname as name from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('clazz', 'course', 'package', 'stats') and c.relkind in ('r', 'p')
        and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id')
        and not (c.relrowsecurity and c.relforcerowsecurity)`);
    expect(open).toEqual([]);
    const roles = await fixture.sql(
      `select rolname from pg_roles where rolname ~ '_(app|worker)$' and (rolsuper or rolbypassrls or rolcreaterole)`,
    );
    expect(roles).toEqual([]);
    const owned = await fixture.sql(`select tablename from pg_tables where tableowner ~ '_(app|worker)$'`);
    expect(owned).toEqual([]);
  });

  it('has the organization as the first column of every key of business tables', async () => {
    const other = await fixture.sql<{ name: string }>(`
      select distinct c.oid::regclass::text as name from pg_index x
      join pg_class c on c.oid = x.indrelid join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute org on org.attrelid = c.oid and org.attname = 'org_id'
      left join pg_attribute first on first.attrelid = c.oid and first.attnum = x.indkey[0]
      where n.nspname in ('clazz', 'course', 'package') and x.indisunique and first.attname is distinct from 'org_id'
      order by 1`);
    // A log is read in the order of its source, across organizations.
    const machinery = other.filter(({ name }) => /\.(log_entry|dead_letter)$/.test(name));
    expect(other).toEqual(machinery);
  });

  it('gives no service access to the schema of another one', async () => {
    await asRequestRole(async (client) => {
      await expect(client.query('select 1 from clazz.log_entry')).rejects.toThrow(/permission denied/);
    });
  });
});
