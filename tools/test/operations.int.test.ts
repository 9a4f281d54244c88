import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { withDatabase } from '../migrate/provision.ts';
import { SERVICES } from '../../libs/contracts/src/registry.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { runTool } from './run-tool.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['package'] });
});
afterAll(() => fixture?.stop());

it('health: a service is asked over the bus with its own user, the gateway by HTTP', async () => {
  const port = new URL(fixture.address).port;
  const [served, unserved, gateway] = await Promise.all([
    runTool('health.ts', fixture.envFor('package')),
    runTool('health.ts', fixture.envFor('course')),
    runTool('health.ts', { NATS_USER: 'gateway', PORT: port }),
  ]);
  expect(served).toEqual({ code: 0, out: '', err: '' });
  expect(unserved.code).toBe(1);
  expect(gateway).toMatchObject({ code: 1, err: expect.stringContaining('"course":"down"') });
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
