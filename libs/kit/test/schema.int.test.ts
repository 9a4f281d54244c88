import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Proxy, startProxy } from '../../../tools/proofs/system/tcp-proxy.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import { type Env, type MigrationEntry, migration, type RunningService, startService } from '../src/index.ts';
import { recordingLog } from './recording-log.ts';
import { echoActions, fixtureServiceApp } from './fixture-service/fixture-service-app.ts';
import { envWithoutMigration } from './fixture-service/fixture-service.ts';

let fixture: Fixture;
let toPostgres: Proxy;
const running: RunningService[] = [];
beforeAll(async () => {
  fixture = await startFixture({ services: [] });
  toPostgres = await startProxy(() => ({ host: '127.0.0.1', port: Number(new URL(fixture.adminUrl).port) }));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
});
afterAll(async () => {
  await toPostgres?.close();
  await fixture?.stop();
});

/** The login of the schema's owner through this port. */
const ownerThrough = (port: number): Env => {
  const { username, password, pathname } = new URL(fixture.envFor('course')['MIGRATION_DATABASE_URL'] ?? '');
  return { MIGRATION_DATABASE_URL: `postgres://${username}:${password}@127.0.0.1:${port}${pathname}` };
};

/** Starts a service with additional migrations. `logged` counts its log lines that contain a text. */
const starting = (more: readonly MigrationEntry[], env: Env = {}, stop = new AbortController()) => {
  const { lines, log } = recordingLog();
  const app = { ...fixtureServiceApp(echoActions), migrations: more };
  const start = startService(app, { ...envWithoutMigration(fixture, 'course'), ...env }, { log, stop: stop.signal });
  void start.then(
    (one) => running.push(one),
    () => {},
  );
  const logged = (what: string) => lines.filter(({ msg }) => msg.includes(what)).length;
  return { start, logged, stop };
};

/** Whether the service has checked its schema more than once. */
const HAS_CHECKED_AGAIN = `
  select bool_or(query_start > backend_start + interval '1 second') as again from pg_stat_activity
  where datname = current_database() and application_name = 'course look'`;

describe('A schema', () => {
  it('that cannot be reached for its migration is waited for, and the log has the reason', async () => {
    toPostgres.set('cut');
    const added = migration('900_added', 'create table added ()');
    const { start, logged } = starting([added], ownerThrough(toPostgres.port));
    const waiting = `waiting for the database at 127.0.0.1:${toPostgres.port} to migrate it: `;
    await expect.poll(() => logged(waiting), POLL_OPTIONS).toBe(1);
    // It is logged again while it lasts.
    await expect.poll(() => logged(waiting), POLL_OPTIONS).toBe(2);
    toPostgres.heal();
    await start;
    expect(logged('to migrate it: resolved')).toBe(1);
    expect(await fixture.sql('select from course.added')).toEqual([]);
  });

  it('that cannot be reached is no longer waited for when the process gets the signal to stop', async () => {
    toPostgres.set('cut');
    const { start, logged, stop } = starting([], ownerThrough(toPostgres.port));
    const end = start.catch((error: unknown) => error);
    await expect.poll(() => logged('waiting for the database'), POLL_OPTIONS).toBe(1);
    stop.abort();
    expect(await end).toMatchObject({ name: 'AbortError' });
    toPostgres.heal();
  });

  it('with a failing migration ends the start', async () => {
    const wrong = migration('901_wrong', 'create tabel wrong ()');
    await expect(starting([wrong], ownerThrough(toPostgres.port)).start).rejects.toThrow('syntax error');
  });

  it('that is newer than the code is used, and logged once', async () => {
    await fixture.sql("insert into course.schema_migration (name, executed_at) values ('999_newer', now())");
    const { start, logged } = starting([]);
    const one = await start;
    expect((await fetch(`${one.health}/health/ready`)).status).toBe(200);
    // The service has checked its schema again since.
    await expect.poll(() => fixture.sql(HAS_CHECKED_AGAIN), POLL_OPTIONS).toEqual([{ again: true }]);
    expect(logged('the schema is newer than this code: it has 999_newer')).toBe(1);
  });

  it('that is older than the code, or does not exist, keeps the service from serving', async () => {
    const { logged, stop } = starting([migration('902_missing', ''), migration('903_missing', '')]);
    const lacks =
      'not ready: schema: it lacks 902_missing, 903_missing: run tools/migrate.ts, or set MIGRATION_DATABASE_URL';
    await expect.poll(() => logged(lacks), POLL_OPTIONS).toBe(1);
    stop.abort();
    await fixture.sql('alter table course.schema_migration rename to elsewhere');
    const none = starting([]);
    await expect.poll(() => none.logged('not ready: schema: it lacks 000_machinery, '), POLL_OPTIONS).toBe(1);
    none.stop.abort();
    await fixture.sql('alter table course.elsewhere rename to schema_migration');
  });
});
