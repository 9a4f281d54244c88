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
import {
  writeAtomic,
  type SecureNats,
  type SecurePostgres,
  startSecureNats,
  startSecurePostgres,
} from './secure-servers.ts';

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
  writeSecret: (name: string, content: string) => string;
  secretPath: (name: string) => string;
  /** Runs a tool with the secrets of an operator. */
  run: (tool: string, ...args: string[]) => Promise<void>;
  /** Restarts instances one after another, while the others serve. */
  restart: (instances: readonly Instance[], more?: Env) => Promise<void>;
  stop: () => Promise<void>;
}

const waitUntilReady = (one: Instance, path = '/health/ready'): Promise<void> =>
  waitFor(
    `${one.name} is ready (${one.logSinceStart().slice(-500)})`,
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
  const secretPath = (name: string): string => join(dataDir, 'secrets', name);
  const writeSecret = (name: string, content: string): string => writeAtomic(secretPath(name), content);
  const authority = await createAuthority('First');
  const issued = await authority.issue({ names: HOSTS });
  const client = await authority.issue({ names: ['service'] });
  const postgres = await startSecurePostgres(dataDir, issued);
  const nats = await startSecureNats({ dataDir, secrets, issued, authority, mutual: true });

  for (const service of SERVICES)
    for (const [role, password] of Object.entries(secrets.database[service]))
      writeSecret(`${service}_${role}`, password);
  for (const user of NATS_USERS) writeSecret(`nats_${user}`, secrets.nats[user]);
  writeSecret('signing', secrets.signing);
  writeSecret('seal', secrets.caller.seal);
  writeSecret('open', secrets.caller.open);
  writeSecret('jwks.json', jwks);
  writeSecret('oidc', oidc);
  writeSecret('postgres-ca.crt', authority.cert);
  writeSecret('nats-ca.crt', authority.cert);
  writeSecret('nats.crt', client.cert);
  writeSecret('nats.key', client.key);
  writeSecret('admin', 'password of the database admin');
  writeSecret('backup', 'first password of the backup');
  await postgres.sql("create role teaching_admin superuser login password 'password of the database admin'");

  const url = (user: string): string =>
    `postgres://${user}@localhost:${postgres.port}/teaching?sslmode=verify-full&sslrootcert=${secretPath('postgres-ca.crt')}`;
  const bus: Env = {
    NATS_URL: nats.url,
    NATS_CA_FILE: secretPath('nats-ca.crt'),
    NATS_CERT_FILE: secretPath('nats.crt'),
    NATS_KEY_FILE: secretPath('nats.key'),
  };
  const common = (user: string): Env => ({
    ...bus,
    NATS_USER: user,
    NATS_PASSWORD_FILE: secretPath(`nats_${user}`),
    SIGNING_SECRET_FILE: secretPath('signing'),
    LOG_LEVEL: 'info',
    ...COMPILE_CACHE,
  });
  const run: SecureSystem['run'] = async (tool, ...args) => {
    const passwords = SERVICES.flatMap((service) =>
      ['owner', 'app', 'worker'].map(
        (role) => [`${service}_${role}`.toUpperCase(), secretPath(`${service}_${role}`)] as const,
      ),
    ).map(([name, file]) => [`${name}_PASSWORD_FILE`, file]);
    const ended = await runTool(
      tool,
      {
        ...bus,
        ...Object.fromEntries(passwords),
        DATABASE_ADMIN_URL: url('teaching_admin'),
        DATABASE_ADMIN_PASSWORD_FILE: secretPath('admin'),
        BACKUP_PASSWORD_FILE: secretPath('backup'),
        NATS_ADMIN_PASSWORD_FILE: secretPath('nats_admin'),
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
      CALLER_KEYS_FILE: secretPath('open'),
      DATABASE_URL: url(`${service}_app`),
      DATABASE_PASSWORD_FILE: secretPath(`${service}_app`),
      WORKER_DATABASE_URL: url(`${service}_worker`),
      WORKER_DATABASE_PASSWORD_FILE: secretPath(`${service}_worker`),
      MIGRATION_DATABASE_URL: url(`${service}_owner`),
      MIGRATION_DATABASE_PASSWORD_FILE: secretPath(`${service}_owner`),
    });
  const services = await Promise.all([1, 2].map((n) => serviceOf('package', n)));
  // They receive no requests, but a gateway is ready only after it has received announcements of all services.
  const others = await Promise.all((['clazz', 'course', 'stats'] as const).map((service) => serviceOf(service, 1)));
  const gateways = await Promise.all(
    [1, 2].map((n) =>
      instance('gateway', n, 'PORT', {
        HOST: '127.0.0.1',
        CALLER_SEAL_KEY_FILE: secretPath('seal'),
        JWKS_FILE: secretPath('jwks.json'),
        JWKS_REFRESH_SECONDS: '1',
        JWT_ISSUER: ISSUER,
        JWT_AUDIENCE: AUDIENCE,
        RATE_LIMIT: '1000000',
        DRAIN_MS: '1000',
        ...login,
        OIDC_CLIENT_SECRET_FILE: secretPath('oidc'),
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
    writeSecret,
    secretPath,
    run,
    restart: async (instances, more) => {
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
