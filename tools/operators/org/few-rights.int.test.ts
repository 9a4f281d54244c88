import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { SERVICES } from '../../../libs/contracts/src/index.ts';
import { fixedValue } from '../../../libs/kit/src/base/live-value.ts';
import { withLogin } from '../migrate/provision.ts';
import { waitUntilCaughtUp } from '../../proofs/test/wait-caught-up.ts';
import { type Fixture, startFixture } from '../../proofs/test/fixture.ts';
import { orgTables, insertPlaceholders, placeholderInsert } from '../../proofs/test/hostile/tables.ts';
import { oneOfEach } from '../../proofs/test/one-of-each.ts';
import { asAdmin, waitForOpenTransactions } from './owner-session.ts';
import { deleteOrg } from './delete-organization.ts';
import { exportOrg } from './export-organization.ts';

const ADMIN = `admin_${randomBytes(4).toString('hex')}`;
let fixture: Fixture;
let folder: string;
let adminUrl: string;

/** The grants of docs/secrets.md for roles that a superuser created. */
const rights = (database: string): string[] => [
  `create role ${ADMIN} login createrole password 'few rights'`,
  `grant create on database ${database} to ${ADMIN}`,
  `grant set on parameter log_parameter_max_length, log_error_verbosity, log_min_messages to ${ADMIN}`,
  ...SERVICES.map((name) => `grant ${name}_owner, ${name}_app, ${name}_worker to ${ADMIN} with admin option`),
];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'teaching-rights-'));
  fixture = await startFixture();
  adminUrl = withLogin(fixture.adminUrl, ADMIN, 'few rights');
  const database = new URL(fixture.adminUrl).pathname.slice(1);
  for (const right of rights(database)) await fixture.sql(right);
  await oneOfEach(fixture);
  await waitUntilCaughtUp(fixture);
  await insertPlaceholders(fixture, fixture.org);
});
afterAll(async () => {
  if (adminUrl !== undefined) {
    await fixture.sql(`drop owned by ${ADMIN}`);
    await fixture.sql(`drop role ${ADMIN}`);
  }
  await fixture?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('The role that prepares the database without being a superuser', () => {
  it('exports as much as a superuser', async () => {
    const tables = async (url: string, to: string) =>
      (await exportOrg({ adminUrl: url, org: fixture.org, to: join(folder, to) })).tables.map(
        ({ table, rows, sha256 }) => [table, rows, sha256],
      );
    expect(await tables(adminUrl, 'few')).toEqual(await tables(fixture.adminUrl, 'super'));
  });

  it('sees transactions of services that are open, and waits for them', async () => {
    const open = new pg.Client({ connectionString: fixture.envFor('course')['WORKER_DATABASE_URL'] });
    await open.connect();
    await asAdmin(adminUrl, async (client) => {
      await open.query('begin; select 1');
      const { rows } = await open.query<{ pid: number }>('select pg_backend_pid() as pid');
      await expect(waitForOpenTransactions(client, 0)).rejects.toThrow(`process ${rows[0]?.pid} `);
    });
    await open.end();
  });

  it('deletes everything, and finds what is left as a superuser does', async () => {
    const bus = {
      NATS_URL: fixture.nats.url,
      NATS_USER: 'admin',
      NATS_PASSWORD: fixedValue([inject('stack').secrets.nats.admin]),
    };
    const { org } = fixture;
    const late = ['1 in clazz.audit_break'];
    const left = deleteOrg({
      adminUrl,
      bus,
      org,
      brokerFolder: folder,
      onStep: async (step) => {
        if (step !== 'remains are searched') return;
        for (const { name } of await orgTables(fixture)) {
          const stood = await fixture.sql(await placeholderInsert(fixture, name), [org]).then(
            () => true,
            // Some tables have rules that no made-up row satisfies.
            () => false,
          );
          if (stood) late.push(`1 in ${name}`);
        }
        await fixture.sql(`insert into clazz.audit_break (epoch, no, on_from, why) values (1, 1, 1, 'of ' || $1)`, [
          org,
        ]);
      },
    });
    const said = await left.then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(late.length).toBeGreaterThan(40);
    for (const one of late) expect(said).toContain(one);
    await fixture.sql('delete from clazz.audit_break where why like $1', [`%${org}`]);
    const { tombstone, looked } = await deleteOrg({ adminUrl, bus, org, brokerFolder: folder });
    expect(tombstone).toMatchObject({ id: org, ended_at: expect.any(String) });
    for (const { name } of await orgTables(fixture))
      expect(await fixture.sql(`select from ${name} where org_id = $1`, [org]), name).toEqual([]);
    expect(looked.every(({ found }) => found === 0)).toBe(true);
    expect((await deleteOrg({ adminUrl, bus, org: randomUUID(), brokerFolder: folder })).removed.rows).toBe(0);
  });
});
