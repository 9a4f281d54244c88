import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { unpackedFromDebian } from '../../../developers/setup/debian.mjs';
import { startPgBouncer } from '../../../proofs/system/pgbouncer.ts';
import { examine } from '../examine-installation.ts';
import { expectOnlyFinding } from './expect-finding.ts';
import { changed, envOf, installation } from './plant-faults.ts';
import { startHealthySystem, type HealthySystem } from './healthy-system.ts';

/** Why no PgBouncer is available. */
const missing = await unpackedFromDebian('pgbouncer').then(
  () => undefined,
  (error: unknown) => String(error).split('\n')[0],
);
it.runIf(missing !== undefined)('there is no PgBouncer', ({ skip }) => skip(missing));

const { adminUrl, secrets } = inject('stack');
let well: HealthySystem;
beforeAll(async () => {
  well = await startHealthySystem(adminUrl, secrets);
});
afterAll(() => well?.stop());

/** Starts a PgBouncer before one of the logins of the class service. */
const pooled = async (mode: 'session' | 'transaction' | 'statement', variable: string) => {
  const url = new URL(envOf(well, 'clazz', variable));
  const { port, stop } = await startPgBouncer({
    mode,
    port: Number(new URL(adminUrl).port),
    users: { [url.username]: decodeURIComponent(url.password) },
  });
  const through = changed(url.href, (one) => {
    one.hostname = '127.0.0.1';
    one.port = String(port);
  });
  return { installation: installation(well, { clazz: { [variable]: through } }), undo: stop };
};

it.runIf(missing === undefined).each([
  ['transaction', 'DATABASE_URL'],
  ['statement', 'DATABASE_URL'],
  ['transaction', 'WORKER_DATABASE_URL'],
] as const)('finds pooling by %s before %s', async (mode, variable) => {
  const expected = {
    what: '',
    check: 'sessions',
    about: ['clazz'],
    wrong: /^the pooler between the service and Postgres shares sessions/,
    mend: /^set pool_mode = session, or connect to Postgres itself$/,
  } as const;
  await expectOnlyFinding(expected, await pooled(mode, variable), secrets);
});

it.runIf(missing === undefined)('accepts a pooler in session mode', async () => {
  const { installation: given, undo } = await pooled('session', 'DATABASE_URL');
  try {
    expect(await examine(given)).toEqual([]);
  } finally {
    await undo();
  }
});
