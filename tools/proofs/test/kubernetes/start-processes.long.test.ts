import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keysIn } from '@teaching/local/keys.ts';
import { freePort } from '@teaching/local/ports.ts';
import { removeDataDir } from '@teaching/local/postgres-folder.ts';
import { NATS_USERS, type Secrets } from '@teaching/local/secrets.ts';
import { expect, it, onTestFinished } from 'vitest';
import { waitFor } from '../../system/poll.ts';
import { inCheckout, launch } from '../run-tool.ts';
import { startSecureNats, startSecurePostgres } from '../../system/secure-servers.ts';
import { ADMIN_PASSWORD, makeMounts, type Mounts } from './mounts.ts';
import { Overlay, type Workload } from './workloads.ts';

const START_TIMEOUT_MS = 120_000;

/** Starts Postgres and a broker with certificates, in place of CloudNativePG and the chart. Returns their addresses. */
const startEngines = async (mounts: Mounts) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'teaching-kubernetes-'));
  chmodSync(dataDir, 0o711);
  onTestFinished(() => removeDataDir(dataDir));
  const issued = await mounts.authority.issue({ names: ['localhost', '127.0.0.1'] });
  const postgres = await startSecurePostgres(dataDir, issued);
  onTestFinished(() => postgres.stop());
  await postgres.sql(`create role its_admin superuser login password '${ADMIN_PASSWORD}'`);
  const nats = Object.fromEntries(NATS_USERS.map((user) => [user, mounts.secret(`nats_${user}`)])) as Secrets['nats'];
  const { authority } = mounts;
  const broker = await startSecureNats({ dataDir, secrets: { nats }, issued, authority, mutual: false });
  onTestFinished(() => broker.stop());
  return { postgres: `localhost:${postgres.port}`, nats: `localhost:${broker.port}`, jwks: keysIn(dataDir).jwksFile };
};

/** Replaces the names of services by local addresses, and the ports of each pod by free ones. There is one broker. */
const localEnv = async (
  env: Readonly<Record<string, string>>,
  at: { postgres: string; nats: string; jwks: string },
): Promise<Record<string, string>> => {
  const { JWKS_URL, ...others } = env;
  const moved = Object.entries(others).map(([name, value]) => [
    name,
    value
      .replace('//postgres@', '//its_admin@')
      .replace('teaching-db-rw:5432', at.postgres)
      .replace('nats:4222', at.nats),
  ]);
  return {
    ...Object.fromEntries(moved),
    ...(JWKS_URL === undefined ? {} : { JWKS_FILE: at.jwks }),
    STREAM_REPLICAS: '1',
    PORT: String(await freePort()),
    HEALTH_PORT: String(await freePort()),
    METRICS_PORT: String(await freePort()),
  };
};
const run = ({ container }: Workload, env: Record<string, string>) => {
  const [, file = '', ...args] = container.command;
  return launch([inCheckout(file), ...args], env);
};
const answer = (url: string): Promise<Response | undefined> => fetch(url).catch(() => undefined);

it(
  'starts every process of the large overlay by its command, settings and Secrets until it is ready',
  { timeout: 300_000 },
  async () => {
    const mounts = await makeMounts();
    onTestFinished(() => mounts.remove());
    const at = await startEngines(mounts);
    const system = new Overlay('large');

    const migration = system.workload('migrate');
    const ended = await run(migration, await localEnv(mounts.env(migration), at)).ended;
    expect(ended, ended.err).toMatchObject({ code: 0 });
    expect(ended.out).toContain('streams created: EVENTS_CLAZZ');

    const serving = system.workloads.filter(({ name }) => name !== 'migrate');
    const started = await Promise.all(
      serving.map(async (one) => {
        const env = await localEnv(mounts.env(one), at);
        return { one, env, process: run(one, env) };
      }),
    );
    for (const { one, env, process } of started) {
      const port = env[one.name === 'gateway' ? 'PORT' : 'HEALTH_PORT'];
      const probe = one.container.readinessProbe?.httpGet.path;
      const isReady = async (): Promise<boolean> => (await answer(`http://127.0.0.1:${port}${probe}`))?.ok === true;
      await waitFor(`${one.name} is ready (${process.out().slice(-500)})`, isReady, START_TIMEOUT_MS);
      const metrics = await answer(`http://127.0.0.1:${env['METRICS_PORT']}/metrics`);
      expect(await metrics?.text()).toContain('teaching_bus_connected');
    }
    for (const { process } of started) process.child.kill('SIGTERM');
    const codes = await Promise.all(started.map(async ({ process }) => (await process.ended).code));
    expect(codes).toEqual(serving.map(() => 0));
  },
);
