import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { withDatabase } from '../../operators/migrate/provision.ts';
import { SERVICES } from '../../../libs/contracts/src/registry.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { runTool } from './run-tool.ts';
import { POLL_OPTIONS } from './poll-options.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['package'] });
});
afterAll(() => fixture?.stop());

it('health: checks the readiness of one process over HTTP', async () => {
  const { health } = await fixture.startService('package');
  const HEALTH_PORT = new URL(health).port;
  const PORT = new URL(fixture.address).port;
  const ask = (env: NodeJS.ProcessEnv) => runTool('health.ts', { HEALTH_HOST: '0.0.0.0', ...env });
  expect(await ask({ NATS_USER: 'package', HEALTH_PORT })).toEqual({ code: 0, out: '', err: '' });
  await fixture.sql('revoke select on package.schema_migration from package_app');
  await expect
    .poll(() => ask({ NATS_USER: 'package', HEALTH_PORT }), POLL_OPTIONS)
    .toMatchObject({
      code: 1,
      err: expect.stringMatching(/^not ready: 503 .*permission denied/),
    });
  await fixture.sql('grant select on package.schema_migration to package_app');
  expect(await ask({ NATS_USER: 'course', HEALTH_PORT: '1' })).toMatchObject({ code: 1, out: '' });
  expect(await ask({ NATS_USER: 'gateway', PORT })).toMatchObject({
    code: 1,
    err: expect.stringContaining('"course":"down"'),
  });
});

const rolePasswords = (): Record<string, string> => {
  const { secrets } = inject('stack');
  const all = SERVICES.flatMap((service) =>
    Object.entries(secrets.database[service]).map(([role, value]) => [
      `${service}_${role}_password`.toUpperCase(),
      value,
    ]),
  );
  return Object.fromEntries(all) as Record<string, string>;
};

it('migrate: creates the database, schemas and roles, and can be run again', async () => {
  const { adminUrl } = inject('stack');
  const database = `migrated_${randomBytes(4).toString('hex')}`;
  const env = { ...rolePasswords(), DATABASE_ADMIN_URL: withDatabase(adminUrl, database) };
  const first = await runTool('migrate.ts', env);
  expect(first).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^clazz: \d+ migrations applied$/m) });
  const again = await runTool('migrate.ts', env);
  expect(again.out.trim().split('\n')).toEqual(SERVICES.map((service) => `${service}: up to date`));
});

it('migrate: prints one line for each invalid setting, or the reason of a failure', async () => {
  const { adminUrl } = inject('stack');
  const right = { ...rolePasswords(), DATABASE_ADMIN_URL: withDatabase(adminUrl, 'never_made') };
  const roles = Object.keys(rolePasswords());
  const wrong = {
    DATABASE_ADMIN_URL: 'notaurl',
    ...Object.fromEntries(roles.map((name) => [name, 'short'])),
    STATS_APP_PASSWORD: '',
    NATS_URL: 'nats://me:secret@broker',
    STREAM_REPLICAS: '6',
    STREAM_MAX_BYTES: '10GB',
  };
  const result = await runTool('migrate.ts', wrong);
  expect(result).toMatchObject({ code: 1, out: '' });
  expect(result.err.trim().split('\n').toSorted()).toEqual(
    [
      'DATABASE_ADMIN_URL is not a Postgres URL with user and database, e.g. postgres://postgres:…@db:5432/teaching',
      'NATS_URL is not the address of a broker without a login, e.g. nats://broker:4222; several by commas',
      'STREAM_MAX_BYTES must be a whole number from 1000000 to 1000000000000000, not "10GB"',
      'STREAM_REPLICAS must be a whole number from 1 to 5, not "6"',
      ...roles.map((name) =>
        name === 'STATS_APP_PASSWORD'
          ? `${name} is not set: the password of stats_app`
          : `${name} must have at least 12 characters; several by line, each with as many`,
      ),
    ].toSorted(),
  );
  const nowhere = new URL(right.DATABASE_ADMIN_URL);
  nowhere.port = '1';
  const { code, err } = await runTool('migrate.ts', { ...right, DATABASE_ADMIN_URL: nowhere.href });
  expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^cannot migrate: connect .*\n$/) });
});
