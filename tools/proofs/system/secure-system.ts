import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPILE_CACHE } from '@teaching/local/compile-cache.ts';
import { AUDIENCE, ISSUER } from '@teaching/local/keys.ts';
import { freePort } from '@teaching/local/ports.ts';
import { removeDataDir } from '@teaching/local/postgres-folder.ts';
import { NATS_USERS, type Secrets, secretsIn, type ServiceName, SERVICES } from '@teaching/local/secrets.ts';
import type { Env } from '@teaching/local/service-env.ts';
import { waitFor } from './poll.ts';
import { createInstance, type Instance } from './instance.ts';
import { type Authority, createAuthority } from './certificates.ts';
import { inCheckout, runTool } from '../test/run-tool.ts';
import { put, type SecureNats, type SecurePostgres, startSecureNats, startSecurePostgres } from './secure-servers.ts';

const READY_TIMEOUT_MS = 60_000;
export const HOSTS = ['localhost', '127.0.0.1'];

/** A system with secrets in files, over TLS only: two gateways, two instances of one service and one of each other. */
export interface SecureSystem {
  authority: Authority;
  secrets: Secrets;
  postgres: SecurePostgres;
  nats: SecureNats;
  gateways: readonly Instance[];
  services: readonly Instance[];
  /** Writes a secret to the file that its holders read, and returns the path. */
  give: (name: string, content: string) => string;
  path: (name: string) => string;
  /** Runs a tool with the secrets of an operator. */
  run: (tool: string, ...args: string[]) => Promise<void>;
  /** Restarts instances one after another, while the others serve. */
  renew: (instances: readonly Instance[], more?: Env) => Promise<void>;
  stop: () => Promise<void>;
}

const waitUntilReady = (one: Instance, path = '/health/ready'): Promise<void> =>
  waitFor(
    `${one.name} is ready (${one.said().slice(-500)})`,
    () =>
      fetch(`${one.address}${path}`).then(
        ({ ok }) => ok,
        () => false,
      ),
    READY_TIMEOUT_MS,
  );

/** `login`: environment of the gateways for the login provider; `oidc`: their client secret there. */
export const startSecureSystem = async (jwks: string, login: Env, oidc: string): Promise<SecureSystem> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'teaching-rotation-'));
  chmodSync(dataDir, 0o711);
  const secrets = secretsIn(dataDir);
  const path = (name: string): string => join(dataDir, 'secrets', name);
  const give = (name: string, content: string): string => put(path(name), content);
  const authority = await createAuthority('First');
  const issued = await authority.issue({ names: HOSTS });
  const client = await authority.issue({ names: ['service'] });
  const postgres = await startSecurePostgres(dataDir, issued);
  const nats = await startSecureNats({ dataDir, secrets, issued, authority, mutual: true });

  for (const service of SERVICES)
    for (const [role, password] of Object.entries(secrets.database[service])) give(`${service}_${role}`, password);
  for (const user of NATS_USERS) give(`nats_${user}`, secrets.nats[user]);
  give('signing', secrets.signing);
  give('seal', secrets.caller.seal);
  give('open', secrets.caller.open);
  give('jwks.json', jwks);
  give('oidc', oidc);
  give('postgres-ca.crt', authority.cert);
  give('nats-ca.crt', authority.cert);
  give('nats.crt', client.cert);
  give('nats.key', client.key);
  give('admin', 'password of the database admin');
  give('backup', 'first password of the backup');
  await postgres.sql("create role teaching_admin superuser login password 'password of the database admin'");

  const url = (user: string): string =>
    `postgres://${user}@localhost:${postgres.port}/teaching?sslmode=verify-full&sslrootcert=${path('postgres-ca.crt')}`;
  const bus: Env = {
    NATS_URL: nats.url,
    NATS_CA_FILE: path('nats-ca.crt'),
    NATS_CERT_FILE: path('nats.crt'),
    NATS_KEY_FILE: path('nats.key'),
  };
  const common = (user: string): Env => ({
    ...bus,
    NATS_USER: user,
    NATS_PASSWORD_FILE: path(`nats_${user}`),
    SIGNING_SECRET_FILE: path('signing'),
    LOG_LEVEL: 'info',
    ...COMPILE_CACHE,
  });
  const run: SecureSystem['run'] = async (tool, ...args) => {
    const passwords = SERVICES.flatMap((service) =>
      ['owner', 'app', 'worker'].map(
        (role) => [`${service}_${role}`.toUpperCase(), path(`${service}_${role}`)] as const,
      ),
    ).map(([name, file]) => [`${name}_PASSWORD_FILE`, file]);
    const ended = await runTool(
      tool,
      {
        ...bus,
        ...Object.fromEntries(passwords),
        DATABASE_ADMIN_URL: url('teaching_admin'),
        DATABASE_ADMIN_PASSWORD_FILE: path('admin'),
        BACKUP_PASSWORD_FILE: path('backup'),
        NATS_ADMIN_PASSWORD_FILE: path('nats_admin'),
      },
      ...args,
    );
    if (ended.code !== 0) throw new Error(`${tool}: ${ended.err}${ended.out}`);
  };
  await run('migrate.ts');

  const logDir = join(dataDir, 'logs');
  mkdirSync(logDir);
  const instance = async (service: string, n: number, portName: string, env: Env): Promise<Instance> => {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const all = { ...common(service), ...env, [portName]: String(port) };
    return createInstance({ name: `${service}-${n}`, service, address, checkout: inCheckout(''), env: all, logDir });
  };
  const serviceOf = (service: ServiceName, n: number): Promise<Instance> =>
    instance(service, n, 'HEALTH_PORT', {
      HEALTH_HOST: '127.0.0.1',
      CALLER_KEYS_FILE: path('open'),
      DATABASE_URL: url(`${service}_app`),
      DATABASE_PASSWORD_FILE: path(`${service}_app`),
      WORKER_DATABASE_URL: url(`${service}_worker`),
      WORKER_DATABASE_PASSWORD_FILE: path(`${service}_worker`),
      MIGRATION_DATABASE_URL: url(`${service}_owner`),
      MIGRATION_DATABASE_PASSWORD_FILE: path(`${service}_owner`),
    });
  const services = await Promise.all([1, 2].map((n) => serviceOf('package', n)));
  // They receive no requests, but a gateway is ready only after it has received announcements of all services.
  const others = await Promise.all((['clazz', 'course', 'stats'] as const).map((service) => serviceOf(service, 1)));
  const gateways = await Promise.all(
    [1, 2].map((n) =>
      instance('gateway', n, 'PORT', {
        HOST: '127.0.0.1',
        CALLER_SEAL_KEY_FILE: path('seal'),
        JWKS_FILE: path('jwks.json'),
        JWKS_REFRESH_SECONDS: '1',
        JWT_ISSUER: ISSUER,
        JWT_AUDIENCE: AUDIENCE,
        RATE_LIMIT: '1000000',
        DRAIN_MS: '1000',
        ...login,
        OIDC_CLIENT_SECRET_FILE: path('oidc'),
      }),
    ),
  );
  const all = [...services, ...others, ...gateways];
  for (const one of all) one.start();
  await Promise.all(all.map((one) => waitUntilReady(one)));
  return {
    authority,
    secrets,
    postgres,
    nats,
    gateways,
    services,
    give,
    path,
    run,
    renew: async (instances, more) => {
      for (const one of instances) {
        if (more !== undefined) one.configure(more);
        await one.stop(30_000);
        one.start();
        await waitUntilReady(one);
      }
    },
    stop: async () => {
      await Promise.all(all.map((one) => one.stop(30_000)));
      await Promise.all([postgres.stop(), nats.stop()]);
      removeDataDir(dataDir);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
