import { withLogin } from '../../../operators/migrate/provision.ts';
import { AUDIENCE, ISSUER } from './keys.ts';
import type { Secrets, ServiceName } from './secrets.ts';

export type Env = Record<string, string | undefined>;

/** The addresses of database and bus for a service. */
export type Addresses = {
  /** Superuser's URL; its path names the database. */
  adminUrl: string;
  natsUrl: string;
  secrets: Secrets;
};

const busEnv = (name: ServiceName | 'gateway', { natsUrl, secrets }: Pick<Addresses, 'natsUrl' | 'secrets'>): Env => ({
  NATS_URL: natsUrl,
  NATS_USER: name,
  NATS_PASSWORD: secrets.nats[name],
  SIGNING_SECRET: secrets.signing,
});

/** The environment of one service: the bus, and its database as three different roles. */
export const serviceEnv = (name: ServiceName, addresses: Addresses): Env => {
  const passwords = addresses.secrets.database[name];
  const as = (role: keyof typeof passwords) => withLogin(addresses.adminUrl, `${name}_${role}`, passwords[role]);
  return {
    ...busEnv(name, addresses),
    DATABASE_URL: as('app'),
    WORKER_DATABASE_URL: as('worker'),
    CALLER_KEYS: addresses.secrets.caller.open,
    MIGRATION_DATABASE_URL: as('owner'),
    // Several run on one machine.
    HEALTH_HOST: '127.0.0.1',
    HEALTH_PORT: '0',
  };
};

/** Where a gateway listens, on a free port of the loopback address by default, and the keys of the tokens that it takes. */
export type Entrance = { jwksFile: string; host?: string; port?: number };

/** The environment of a gateway, which knows the bus only. There is no other one to go to, so it stops at once. */
export const gatewayEnv = (
  addresses: Pick<Addresses, 'natsUrl' | 'secrets'>,
  { jwksFile, host = '127.0.0.1', port = 0 }: Entrance,
): Env => ({
  ...busEnv('gateway', addresses),
  CALLER_SEAL_KEY: addresses.secrets.caller.seal,
  DRAIN_MS: '0',
  HOST: host,
  PORT: String(port),
  JWKS_FILE: jwksFile,
  JWT_ISSUER: ISSUER,
  JWT_AUDIENCE: AUDIENCE,
});
