import { COMPILE_CACHE } from '@teaching/local/compile-cache.ts';
import { freePort } from '@teaching/local/ports.ts';
import type { Secrets, ServiceName } from '@teaching/local/secrets.ts';
import { type Env, gatewayEnv, serviceEnv } from '@teaching/local/service-env.ts';
import type { NatsServer } from './nats-server.ts';
import type { PostgresServer } from './postgres-server.ts';
import { type Proxy, startProxy, type Target } from './tcp-proxy.ts';
import { createInstance, type Instance } from './instance.ts';

/** An instance with proxies of its own for its connections to the servers. */
export interface ProxiedInstance extends Instance {
  /** Undefined for the gateway. */
  toPostgres: Proxy | undefined;
  toNats: Proxy;
}

export interface ProxiedInstancesOptions {
  checkout: string;
  /** Folder of the logs. */
  dataDir: string;
  secrets: Secrets;
  jwksFile: string;
  /** The proxies lead to the first broker. */
  brokers: readonly NatsServer[];
  /** Connects instances to the servers without proxies, for tests that measure load and cut no connection. */
  direct: boolean;
  /** Environment variables of all instances. */
  env: Env;
}

/** Creates instances whose connections go through proxies of their own. */
export interface ProxiedInstances {
  instances: ProxiedInstance[];
  proxies: Proxy[];
  addService: (service: ServiceName, n: number, database: PostgresServer) => Promise<void>;
  addGateway: (n: number) => Promise<void>;
}

const COMMON: Env = {
  LOG_LEVEL: 'info',
  RATE_LIMIT: '10000000',
  CALL_TIMEOUT_MS: '3000',
  DATABASE_POOL: '6',
  ...COMPILE_CACHE,
};

export const createProxiedInstances = (options: ProxiedInstancesOptions): ProxiedInstances => {
  const { checkout, dataDir, secrets, jwksFile, brokers, direct } = options;
  const instances: ProxiedInstance[] = [];
  const proxies: Proxy[] = [];
  const addProxy = async (target: () => Target): Promise<Proxy> => {
    const proxy = await startProxy(target);
    proxies.push(proxy);
    return proxy;
  };
  const toBroker = (): Target => brokers[0]?.target() ?? { host: '127.0.0.1', port: 1 };
  /** The broker addresses for an instance. */
  const natsUrlBy = (proxy: Proxy): string =>
    direct ? brokers.map((broker) => broker.url()).join(',') : `nats://127.0.0.1:${proxy.port}`;
  const portOf = (proxy: Proxy, target: () => Target): number => (direct ? target().port : proxy.port);
  const add = (
    name: string,
    n: number,
    port: number,
    env: Env,
    links: Pick<ProxiedInstance, 'toNats' | 'toPostgres'>,
  ): void => {
    const address = `http://127.0.0.1:${port}`;
    const all = { ...COMMON, ...env, ...options.env };
    const settings = { name: `${name}-${n}`, service: name, address, checkout, env: all, logDir: dataDir };
    instances.push({ ...createInstance(settings), ...links });
  };
  return {
    instances,
    proxies,
    addService: async (service, n, database) => {
      const [toPostgres, toNats] = [await addProxy(database.target), await addProxy(toBroker)];
      const adminUrl = database.urlThrough(portOf(toPostgres, database.target));
      const natsUrl = natsUrlBy(toNats);
      const port = await freePort();
      // `startSystem` has already migrated the schemas.
      const own = { MIGRATION_DATABASE_URL: '', HEALTH_PORT: String(port) };
      add(service, n, port, { ...serviceEnv(service, { adminUrl, natsUrl, secrets }), ...own }, { toNats, toPostgres });
    },
    addGateway: async (n) => {
      const toNats = await addProxy(toBroker);
      const port = await freePort();
      const own = gatewayEnv({ natsUrl: natsUrlBy(toNats), secrets }, { jwksFile, port });
      add('gateway', n, port, { ...own, LOG_LEVEL: 'warn' }, { toNats, toPostgres: undefined });
    },
  };
};
