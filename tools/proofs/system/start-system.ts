import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { COMPILE_CACHE } from '@teaching/local/compile-cache.ts';
import { keysIn } from '@teaching/local/keys.ts';
import { natsPasswordName, natsPasswords, secretsIn, SERVICES } from '@teaching/local/secrets.ts';
import type { Env } from '@teaching/local/service-env.ts';
import { type Api, createApi, tokensOf } from './plain-api.ts';
import { createBrokers, urlsOf } from './nats-cluster.ts';
import type { NatsServer } from './nats-server.ts';
import { waitFor } from './poll.ts';
import { createPostgresServer, type PostgresServer } from './postgres-server.ts';
import { folderIn, writeNatsConfig, migrate, preparePostgres } from './prepare-servers.ts';
import { createProxiedInstances, type ProxiedInstance } from './proxied-instances.ts';

const run = promisify(execFile);
export const OWN_CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '');
const READY_TIMEOUT_MS = 180_000;

export interface SystemOptions {
  /** Folder of the checkout whose services run. Their servers come from this checkout. */
  checkout: string;
  /** Number of instances by service, `gateway` included; default 1. */
  instances?: Readonly<Record<string, number>>;
  /** Additional environment variables of all instances. */
  env?: Env;
  /** Without proxies, for load tests that cut no connections. */
  direct?: boolean;
  /** Gives the statistics a Postgres of their own. */
  separateStatsDatabase?: boolean;
  /** Number of brokers in the cluster; default 1. Instances connect to several brokers only without proxies. */
  brokers?: number;
  /** For how long the tokens of callers exist already, in seconds; default 0. */
  tokenAgeSeconds?: number;
  /** Size limit of the broker's store; default `10GB`. */
  store?: string;
}

/** A complete system in separate processes, with a proxy on each connection. */
export interface System {
  checkout: string;
  /** A client of the first gateway. */
  api: Api;
  /** A client of another gateway. */
  apiOf: (gateway: ProxiedInstance) => Api;
  /** A token that the gateways accept. */
  tokenOf: (org: string) => string;
  /** Postgres of the sources, and of the statistics unless they have their own. */
  postgres: PostgresServer;
  statsPostgres: PostgresServer;
  /** The first broker. */
  nats: NatsServer;
  brokers: readonly NatsServer[];
  instances: readonly ProxiedInstance[];
  /** All instances of one service, or all gateways. */
  instancesOf: (service: string) => ProxiedInstance[];
  allReady: () => Promise<boolean>;
  /** Thaws, reconnects and starts everything. Resolves when the gateways are ready. */
  heal: () => Promise<void>;
  /** Output of all instances of one service. */
  log: (service: string) => string;
  /**
   * Runs the migration of another checkout, for databases and streams, before its services start. Returns the output.
   */
  migrate: (checkout: string) => Promise<string>;
  /** Writes the configuration of another checkout, which the brokers use from their next start on. */
  configureBrokers: (checkout: string) => void;
  /** Environment of an operator: address and admin password of the broker. */
  operator: () => Env;
  /** Runs a tool of the checkout with the environment of an operator. Returns its output. */
  tool: (file: string, ...args: string[]) => Promise<string>;
  end: () => Promise<void>;
}

const running: Set<() => Promise<void>> = new Set();
/** Ends all systems that still run, for example on Ctrl-C. */
export const endAll = async (): Promise<void> => {
  await Promise.all([...running].map((end) => end().catch(() => undefined)));
};

const isReady = async (api: Api): Promise<boolean> => {
  const { status, body } = await api({ path: '//health/ready', org: '-', timeout: 2_000 });
  return status === 200 && !JSON.stringify(body).includes('"down"');
};

const noApi: Api = () => Promise.reject(new Error('the system has no gateway'));

/** Creates the servers of a system, each with its own folder. Starts none. */
const createServers = async (
  { checkout, separateStatsDatabase, store, brokers: count = 1 }: SystemOptions,
  dataDir: string,
) => {
  const secrets = secretsIn(dataDir);
  const postgres = createPostgresServer(folderIn(dataDir, 'one'));
  const statsPostgres = separateStatsDatabase === true ? createPostgresServer(folderIn(dataDir, 'two')) : postgres;
  const config = writeNatsConfig(checkout, dataDir, store);
  const brokers = await createBrokers(count, { dataDir, config, passwords: natsPasswords(secrets) });
  return { secrets, postgres, statsPostgres, databases: [...new Set([postgres, statsPostgres])], brokers };
};

export const startSystem = async (options: SystemOptions): Promise<System> => {
  const { checkout, instances: wanted = {} } = options;
  const dataDir = mkdtempSync(join(tmpdir(), 'teaching-faults-'));
  chmodSync(dataDir, 0o711);
  const keys = keysIn(dataDir);
  const { secrets, postgres, statsPostgres, databases, brokers } = await createServers(options, dataDir);
  const [nats] = brokers;
  if (nats === undefined) throw new Error('createBrokers returned no broker');
  const { env = {}, direct = false } = options;
  const builder = createProxiedInstances({ checkout, dataDir, secrets, jwksFile: keys.jwksFile, brokers, direct, env });
  const { instances, proxies } = builder;
  const instancesOf = (service: string): ProxiedInstance[] => instances.filter((one) => one.service === service);

  const end = async (): Promise<void> => {
    running.delete(end);
    await Promise.all(instances.map((one) => one.kill()));
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await Promise.all(brokers.map((broker) => broker.kill()));
    await Promise.all(databases.map((server) => server.end()));
    if (process.env['KEEP_LOGS'] === undefined) rmSync(dataDir, { recursive: true, force: true });
  };
  const heal = async (allReady: () => Promise<boolean>): Promise<void> => {
    for (const server of [...databases, ...brokers]) {
      server.thaw();
      await server.start();
    }
    for (const proxy of proxies) proxy.heal();
    for (const one of instances) {
      one.thaw();
      one.start();
    }
    await waitFor('the system is ready again', allReady, READY_TIMEOUT_MS);
  };
  const operator = (): Env => ({ NATS_URL: urlsOf(brokers), [natsPasswordName('admin')]: secrets.nats.admin });
  const tool = async (file: string, ...args: string[]): Promise<string> => {
    const env = { PATH: process.env['PATH'], ...COMPILE_CACHE, ...operator() };
    return run(process.execPath, [join(checkout, 'tools', file), ...args], { env }).then(
      ({ stdout }) => stdout,
      (error: unknown) => String(error instanceof Error && 'stdout' in error ? error.stdout : error),
    );
  };

  running.add(end);
  try {
    await Promise.all([
      ...databases.map((server) => preparePostgres(server, checkout, secrets)),
      ...brokers.map((broker) => broker.start()),
    ]);
    for (const service of SERVICES) {
      const database = service === 'stats' ? statsPostgres : postgres;
      for (let n = 1; n <= (wanted[service] ?? 1); n += 1) await builder.addService(service, n, database);
    }
    for (let n = 1; n <= (wanted['gateway'] ?? 1); n += 1) await builder.addGateway(n);
    const tokenFor = tokensOf(keys, options.tokenAgeSeconds);
    const apiOf = ({ address }: ProxiedInstance): Api => createApi(address, tokenFor);
    const apis = instancesOf('gateway').map(apiOf);
    const [api = noApi] = apis;
    const allReady = async (): Promise<boolean> => (await Promise.all(apis.map(isReady))).every(Boolean);
    for (const one of instances) one.start();
    await waitFor('the system is ready', allReady, READY_TIMEOUT_MS);
    return {
      checkout,
      api,
      apiOf,
      tokenOf: (org) => tokenFor(org, 'SUPERVISOR', 'boss'),
      postgres,
      statsPostgres,
      nats,
      brokers,
      instances,
      instancesOf,
      allReady,
      heal: () => heal(allReady),
      migrate: async (other) => {
        const outputs = await Promise.all(
          databases.map((server) => migrate(other, server.adminUrl(), secrets, operator())),
        );
        return outputs.join('');
      },
      configureBrokers: (other) => void writeNatsConfig(other, dataDir, options.store),
      log: (service) =>
        instancesOf(service)
          .map((one) => one.log())
          .join('\n'),
      operator,
      tool,
      end,
    };
  } catch (error) {
    const logs = instances.map((one) => `${one.name}: ${one.log().slice(-2_000)}`).join('\n');
    await end();
    throw new Error(`the system did not start: ${String(error)}\n${logs}`, { cause: error });
  }
};
