import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { connectionOptions, createPool, REQUEST_SETTINGS } from '../src/db/pool.ts';
import { Connection } from '../src/db/connection.ts';
import { faultKindOf } from '../src/db/database-fault.ts';
import { DatabaseClient, queryRows } from '../src/db/database-client.ts';
import { notNull, createLogger, p, statement } from '../src/index.ts';
import { DatabaseProbe } from '../src/ops/database-probe.ts';
import { startNetworkLink } from './network-link.ts';

const SHOW = statement(
  `select array(select current_setting(name) from unnest($1::text[]) with ordinality as s(name, n) order by n) as settings`,
  { settings: notNull(p.array()) },
);
/** A statement that Postgres would plan each time, since its number of rows depends on the list. */
const CLASSES_OF = statement(
  `select count(*) as count from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = any($1::text[])`,
  { count: notNull(p.integer()) },
);
const PLANS = statement(`select generic_plans, custom_plans from pg_prepared_statements where statement = $1`, {
  generic_plans: notNull(p.integer()),
  custom_plans: notNull(p.integer()),
});
const log = createLogger('test', 'silent');
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: [] });
});
afterAll(() => fixture?.stop());
const url = (): string => fixture.envFor('course')['DATABASE_URL'] ?? '';
const settingsOf = async (on: Parameters<typeof queryRows>[0], ...names: string[]) =>
  (await queryRows(on, SHOW, names))[0]?.settings;

describe('The settings of a connection', () => {
  it('apply to its first statement, in a pool and for a single connection', async () => {
    const pool = createPool(url(), 1, 'test', log, REQUEST_SETTINGS);
    const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'TimeZone'];
    expect(await settingsOf(pool, ...names)).toEqual(['15s', '3s', '10s', 'UTC']);
    await pool.end();
    const client = new DatabaseClient(connectionOptions(url(), 'test', { idle_session_timeout: '8s' }));
    // Sent before the connection is open.
    const [seen] = await Promise.all([
      settingsOf(client, 'idle_session_timeout', 'client_connection_check_interval'),
      client.connect(),
    ]);
    expect(seen).toEqual(['8s', '2s']);
    await client.end();
  });

  it('make Postgres plan a statement only once, also if its generic plan has higher estimated costs', async () => {
    const pool = createPool(url(), 1, 'test', log);
    for (const schema of ['course', 'course', 'pg_catalog', 'public', 'course', 'course', 'course'])
      await queryRows(pool, CLASSES_OF, [schema]);
    const [plans] = await queryRows(pool, PLANS, CLASSES_OF.text);
    expect(plans).toEqual({ generic_plans: 7, custom_plans: 0 });
    await pool.end();
  });

  it('stay when a transaction is rolled back', async () => {
    const pool = createPool(url(), 1, 'test', log, REQUEST_SETTINGS);
    await pool.query('begin; select 1; rollback');
    expect(await settingsOf(pool, 'lock_timeout')).toEqual(['3s']);
    await pool.end();
  });

  it('close the connection if they fail, and statements that were sent after them fail', async () => {
    const options = connectionOptions(url(), 'test', { statement_timeout: 'for ever' });
    const client = new DatabaseClient(options);
    const behind = settingsOf(client, 'statement_timeout').catch((error: unknown) => error);
    await expect(client.connect()).rejects.toThrow('the settings of a connection failed');
    const error = await behind;
    expect([faultKindOf(error), String(error)]).toEqual(['lost', 'Error: the settings of a connection failed']);
    await expect(settingsOf(client, 'statement_timeout')).rejects.toThrow('the settings of a connection failed');
    await client.end();
  });
});

describe('A database session that was terminated', () => {
  const END = statement('select pg_terminate_backend(pg_backend_pid()) as is_ending', {
    is_ending: notNull(p.boolean()),
  });

  it.each([true, false])('is not used for the next transaction (in a transaction: %s)', async (transaction) => {
    const pool = createPool(url(), 1, 'test', log, REQUEST_SETTINGS);
    for (let n = 0; n < 5; n += 1) {
      const connection = new Connection(pool, 'all orgs', transaction);
      await expect(connection.query(END, [])).rejects.toMatchObject({ code: '57P01' });
      await connection.abandon();
      const next = new Connection(pool, 'all orgs', transaction);
      expect(await next.query(SHOW, [['lock_timeout']])).toEqual([{ settings: ['3s'] }]);
      await next.commit();
    }
    await pool.end();
  });
});

it('the database probe works after its connection was cut off without a close', async () => {
  const wire = await startNetworkLink(fixture);
  const databaseProbe = new DatabaseProbe(wire.envFor('course')['DATABASE_URL'] ?? '', 'probe of a test');
  const appliedMigrations = await databaseProbe.appliedMigrations();
  wire.proxy.silence();
  expect(await databaseProbe.appliedMigrations()).toEqual(appliedMigrations);
  await databaseProbe.end();
  await wire.proxy.close();
});
