import { COMPILE_CACHE } from '@teaching/local/compile-cache.ts';
import { freePort } from '@teaching/local/ports.ts';
import type { Secrets, ServiceName } from '@teaching/local/secrets.ts';
import { type Env, gatewayEnv, serviceEnv } from '@teaching/local/service-env.ts';
import type { NatsServer } from './nats-server.ts';
import type { PostgresServer } from './postgres-server.ts';
import { type Proxy, startProxy, type Target } from './tcp-proxy.ts';
import { createInstance, type Instance } from './instance.ts';

/** An instance with its own wires to the servers. */
export interface ProxiedInstance extends Instance {
  /** Undefined for the gateway. */
  toPostgres: Proxy | undefined;
  toNats: Proxy;
}

export interface ProxiedInstancesOptions {
  checkout: string;
  /** Where logs go. */
  dataDir: string;
  secrets: Secrets;
  jwksFile: string;
  /** Proxies are before the first. */
  brokers: readonly NatsServer[];
  /** Nothing is to be cut, and proxies would be what is measured: instances find the servers themselves. */
  direct: boolean;
  /** What all of them have besides. */
  env: Env;
}

/** Makes instances whose every connection goes through a proxy of their own. */
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
  const wire = async (target: () => Target): Promise<Proxy> => {
    const proxy = await startProxy(target);
    proxies.push(proxy);
    return proxy;
  };
  const toBroker = (): Target => brokers[0]?.target() ?? { host: '127.0.0.1', port: 1 };
  /** What instances know of the bus. */
  const natsUrlBy = (proxy: Proxy): string =>
    direct ? brokers.map((broker) => broker.url()).join(',') : `nats://127.0.0.1:${proxy.port}`;
  const portOf = (proxy: Proxy, target: () => Target): number => (direct ? target().port : proxy.port);
  const add = (
    name: string,
    n: number,
    port: number,
    env: Env,
    wires: Pick<ProxiedInstance, 'toNats' | 'toPostgres'>,
  ): void => {
    const address = `http://127.0.0.1:${port}`;
    const all = { ...COMMON, ...env, ...options.env };
    const parts = { name: `${name}-${n}`, service: name, address, checkout, env: all, logDir: dataDir };
    instances.push({ ...createInstance(parts), ...wires });
  };
  return {
    instances,
    proxies,
    addService: async (service, n, database) => {
      const [toPostgres, toNats] = [await wire(database.target), await wire(toBroker)];
      const adminUrl = database.urlThrough(portOf(toPostgres, database.target));
      const natsUrl = natsUrlBy(toNats);
      const port = await freePort();
      // The schemas are there already.
      const own = { MIGRATION_DATABASE_URL: '', HEALTH_PORT: String(port) };
      add(service, n, port, { ...serviceEnv(service, { adminUrl, natsUrl, secrets }), ...own }, { toNats, toPostgres });
    },
    addGateway: async (n) => {
      const toNats = await wire(toBroker);
      const port = await freePort();
      const own = gatewayEnv({ natsUrl: natsUrlBy(toNats), secrets }, { jwksFile, port });
      add('gateway', n, port, { ...own, LOG_LEVEL: 'warn' }, { toNats, toPostgres: undefined });
    },
  };
};
