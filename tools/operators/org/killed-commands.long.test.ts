import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { waitUntilCaughtUp } from '../../proofs/test/wait-caught-up.ts';
import { type Fixture, startFixture } from '../../proofs/test/fixture.ts';
import { orgTables, insertPlaceholders } from '../../proofs/test/hostile/tables.ts';
import { oneOfEach } from '../../proofs/test/one-of-each.ts';
import { inCheckout, launch, runCli } from '../../proofs/test/run-tool.ts';
import { POLL_OPTIONS } from '../../proofs/test/poll-options.ts';

let fixture: Fixture;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'teaching-killed-'));
  fixture = await startFixture();
});
afterAll(async () => {
  await fixture?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const env = () => ({
  DATABASE_ADMIN_URL: fixture.adminUrl,
  NATS_URL: fixture.nats.url,
  NATS_ADMIN_PASSWORD: inject('stack').secrets.nats.admin,
});
const waits = async (): Promise<boolean> =>
  (
    await fixture.sql(
      `select from pg_stat_activity
     where datname = current_database() and application_name = 'organization' and wait_event_type = 'Lock'`,
    )
  ).length > 0;

/** Runs a command until it waits for a lock, and kills it there. */
const killedAt = async (lock: string, command: string[]): Promise<void> => {
  const holder = new pg.Client({ connectionString: fixture.adminUrl });
  await holder.connect();
  try {
    await holder.query(`begin; ${lock}`);
    const { child, ended } = launch([inCheckout('tools/cli.ts'), ...command], env());
    await expect.poll(waits, POLL_OPTIONS).toBe(true);
    child.kill('SIGKILL');
    expect((await ended).code).toBe(null);
  } finally {
    await holder.end();
  }
};

/** Number of tables with rows of the organization. */
const tablesWith = async (org: string): Promise<number> => {
  let found = 0;
  for (const { name } of await orgTables(fixture))
    found += (await fixture.sql(`select from ${name} where org_id = $1 limit 1`, [org])).length;
  return found;
};

describe('A command that was killed', () => {
  it('leaves no folder of an export, which is complete when it runs again', async () => {
    await oneOfEach(fixture);
    await waitUntilCaughtUp(fixture);
    const to = join(folder, 'school');
    const command = ['org', 'export', '--org', fixture.org, '--to', to];
    await killedAt('lock table package.course_package in access exclusive mode', command);
    expect([existsSync(to), existsSync(`${to}.part`)]).toEqual([false, true]);
    expect(existsSync(join(`${to}.part`, 'clazz', 'clazz.ndjson'))).toBe(true);

    const again = await runCli(command.slice(0, 2).join(' '), env(), ...command.slice(2), '--json');
    expect(again.err).toBe('');
    const written = JSON.parse(again.out);
    expect(existsSync(`${to}.part`)).toBe(false);
    const verified = await runCli('org verify', {}, '--from', to, '--json');
    expect([verified.code, JSON.parse(verified.out)]).toMatchObject([
      0,
      { org_id: fixture.org, files: written.tables, trail: written.trail, faults: [] },
    ]);
    rmSync(join(to, 'clazz', 'clazz.ndjson'));
    const lost = await runCli('org verify', {}, '--from', to, '--json');
    expect([lost.code, JSON.parse(lost.out)]).toMatchObject([1, { faults: ['clazz/clazz.ndjson is missing'] }]);
  });

  it('continues a deletion when it runs again, and nothing is left', async () => {
    const org = randomUUID();
    await oneOfEach({ ...fixture, org, as: (person) => fixture.as({ org, ...person }) });
    await waitUntilCaughtUp(fixture);
    await insertPlaceholders(fixture, org);
    const command = ['org', 'delete', '--org', org, '--confirm', org, '--folder', folder];
    const all = await tablesWith(org);
    const its = `where org_id = '${org}' for update`;

    await killedAt(`select from course.log_entry ${its}`, command);
    expect(await fixture.sql('select from clazz.log_entry where org_id = $1', [org])).toEqual([]);
    expect(await fixture.sql('select sealed from clazz.organization_end where id = $1', [org])).toEqual([
      { sealed: false },
    ]);
    await killedAt(`select from package.course_package ${its}`, command);
    const left = await tablesWith(org);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(all);

    const done = await runCli(command.slice(0, 2).join(' '), env(), ...command.slice(2), '--json');
    expect(done.code, done.err).toBe(0);
    const { tombstone, removed, looked } = JSON.parse(done.out);
    expect(tombstone).toMatchObject({ id: org, ended_at: expect.any(String), hash: expect.any(String) });
    expect(removed.rows).toBeGreaterThan(0);
    expect(new Set(looked.map(({ found }: { found: number }) => found))).toEqual(new Set([0]));
    expect(await tablesWith(org)).toBe(0);
  });
});
