import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { withDatabase } from '../migrate/provision.ts';
import { SERVICES } from '../../libs/contracts/src/registry.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { runTool } from './run-tool.ts';
import { SOON } from './soon.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['package'] });
});
afterAll(() => fixture?.stop());

it('health: a process is asked by HTTP whether it is ready, each by itself', async () => {
  const { health } = await fixture.startService('package');
  const HEALTH_PORT = new URL(health).port;
  const PORT = new URL(fixture.address).port;
  const ask = (env: NodeJS.ProcessEnv) => runTool('health.ts', { HEALTH_HOST: '0.0.0.0', ...env });
  expect(await ask({ NATS_USER: 'package', HEALTH_PORT })).toEqual({ code: 0, out: '', err: '' });
  await fixture.sql('revoke select on package.schema_migration from package_app');
  await expect
    .poll(() => ask({ NATS_USER: 'package', HEALTH_PORT }), SOON)
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

it('migrate: makes the database, every schema and role, and may be run again', async () => {
  const { adminUrl, secrets } = inject('stack');
  const passwords = SERVICES.flatMap((service) =>
    Object.entries(secrets.database[service]).map(([role, value]) => [
      `${service}_${role}_password`.toUpperCase(),
      value,
    ]),
  );
  const database = `migrated_${randomBytes(4).toString('hex')}`;
  const env = { ...Object.fromEntries(passwords), DATABASE_ADMIN_URL: withDatabase(adminUrl, database) };
  const first = await runTool('migrate.ts', env);
  expect(first).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^clazz: \d+ migrations applied$/m) });
  const again = await runTool('migrate.ts', env);
  expect(again.out.trim().split('\n')).toEqual(SERVICES.map((service) => `${service}: up to date`));
  const { STATS_APP_PASSWORD: _missing, ...incomplete } = env;
  expect(await runTool('migrate.ts', incomplete)).toMatchObject({ code: 1, err: expect.stringContaining('STATS_APP') });
});
