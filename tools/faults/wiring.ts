import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AUDIENCE, ISSUER } from '@teaching/local/keys.ts';
import { freePort } from '@teaching/local/ports.ts';
import type { Secrets, ServiceName } from '@teaching/local/secrets.ts';
import { type Env, gatewayEnv, serviceEnv } from '@teaching/local/service-env.ts';
import type { NatsServer } from './nats-server.ts';
import type { PostgresServer } from './postgres-server.ts';
import { type Proxy, startProxy, type Target } from './proxy.ts';
import { createInstance, type Instance } from './service.ts';

/** An instance with its own wires to the servers. */
export interface Wired extends Instance {
  /** Undefined for the gateway. */
  toPostgres: Proxy | undefined;
  toNats: Proxy;
}

export interface WiringOptions {
  checkout: string;
  /** Where logs go. */
  dataDir: string;
  secrets: Secrets;
  jwksFile: string;
  nats: NatsServer;
}

/** Makes instances whose every connection goes through a proxy of their own. */
export interface Wiring {
  instances: Wired[];
  proxies: Proxy[];
  addService: (service: ServiceName, n: number, database: PostgresServer) => Promise<void>;
  /** Answers its address. */
  addGateway: () => Promise<string>;
}

const COMMON: Env = {
  LOG_LEVEL: 'info',
  RATE_LIMIT: '10000000',
  CALL_TIMEOUT_MS: '3000',
  DATABASE_POOL: '6',
  NODE_COMPILE_CACHE: join(tmpdir(), 'teaching-faults-compile-cache'),
};

export const createWiring = ({ checkout, dataDir, secrets, jwksFile, nats }: WiringOptions): Wiring => {
  const instances: Wired[] = [];
  const proxies: Proxy[] = [];
  const wire = async (target: () => Target): Promise<Proxy> => {
    const proxy = await startProxy(target);
    proxies.push(proxy);
    return proxy;
  };
  const add = (service: string, n: number, env: Env, toNats: Proxy, toPostgres: Proxy | undefined): void => {
    const instance = createInstance({ name: `${service}-${n}`, service, checkout, env, logDir: dataDir });
    instances.push({ ...instance, toPostgres, toNats });
  };
  return {
    instances,
    proxies,
    addService: async (service, n, database) => {
      const [toPostgres, toNats] = [await wire(database.target), await wire(nats.target)];
      const adminUrl = database.urlThrough(toPostgres.port);
      const addresses = { adminUrl, natsUrl: `nats://127.0.0.1:${toNats.port}`, secrets };
      // The schemas are there already.
      const env = { ...serviceEnv(service, addresses), MIGRATION_DATABASE_URL: '', ...COMMON };
      add(service, n, env, toNats, toPostgres);
    },
    addGateway: async () => {
      const toNats = await wire(nats.target);
      const port = await freePort();
      const bus = gatewayEnv({ adminUrl: '', natsUrl: `nats://127.0.0.1:${toNats.port}`, secrets });
      const own = { HOST: '127.0.0.1', PORT: String(port), JWKS_FILE: jwksFile };
      const tokens = { JWT_ISSUER: ISSUER, JWT_AUDIENCE: AUDIENCE };
      add('gateway', 1, { ...bus, ...COMMON, ...own, ...tokens, LOG_LEVEL: 'warn' }, toNats, undefined);
      return `http://127.0.0.1:${port}`;
    },
  };
};
