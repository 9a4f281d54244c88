import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { withDatabase } from '../migrate/provision.ts';
import { SERVICES } from '../../libs/contracts/src/registry.ts';
import { type Fixture, startFixture } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['package'] });
});
afterAll(() => fixture?.stop());

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

const run = (tool: string, env: NodeJS.ProcessEnv): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [fileURLToPath(new URL(`../${tool}`, import.meta.url))], {
      env: { PATH: process.env['PATH'], ...env },
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (err += chunk));
    child.on('close', (code) => resolve({ code, out, err }));
  });

it('health: a service is asked over the bus with its own user, the gateway by HTTP', async () => {
  const port = new URL(fixture.address).port;
  const [served, unserved, gateway] = await Promise.all([
    run('health.ts', fixture.envFor('package')),
    run('health.ts', fixture.envFor('course')),
    run('health.ts', { NATS_USER: 'gateway', PORT: port }),
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
  const first = await run('migrate.ts', env);
  expect(first).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^clazz: \d+ migrations applied$/m) });
  const again = await run('migrate.ts', env);
  expect(again.out.trim().split('\n')).toEqual(SERVICES.map((service) => `${service}: up to date`));
  const { STATS_APP_PASSWORD: _missing, ...incomplete } = env;
  expect(await run('migrate.ts', incomplete)).toMatchObject({ code: 1, err: expect.stringContaining('STATS_APP') });
});
