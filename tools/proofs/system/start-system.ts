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
import { folderIn, layNatsConfig, migrate, preparePostgres } from './prepare-servers.ts';
import { createProxiedInstances, type ProxiedInstance } from './proxied-instances.ts';

const run = promisify(execFile);
export const OWN_CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '');
const READY_MS = 180_000;

export interface SystemOptions {
  /** Whose services run; their servers come from here. */
  checkout: string;
  /** How many of each, gateways as well; 1 unless said otherwise. */
  instances?: Readonly<Record<string, number>>;
  /** What all of them have in their environment besides. */
  env?: Env;
  /** No proxies: for what is about load and cuts no wires. */
  direct?: boolean;
  /** Statistics have a Postgres of their own. */
  statsApart?: boolean;
  /** How many brokers, as a cluster; 1 unless said otherwise. Several are found by everybody without proxies. */
  brokers?: number;
  /** How much the broker may store; `10GB` unless said otherwise. */
  store?: string;
}

/** The whole system in processes of their own, every wire through a proxy. */
export interface System {
  checkout: string;
  /** Asks the first gateway. */
  api: Api;
  /** Asks another one. */
  apiOf: (gateway: ProxiedInstance) => Api;
  /** A token that gateways accept. */
  tokenOf: (org: string) => string;
  /** Of the sources; of the statistics, too, unless these are apart. */
  postgres: PostgresServer;
  statsPostgres: PostgresServer;
  /** The first of the brokers. */
  nats: NatsServer;
  brokers: readonly NatsServer[];
  instances: readonly ProxiedInstance[];
  /** All instances of one service. */
  of: (service: string) => ProxiedInstance[];
  allReady: () => Promise<boolean>;
  /** Nothing frozen, nothing cut, everything running, and the gateway says so. */
  heal: () => Promise<void>;
  /** What all instances of a service have printed. */
  log: (service: string) => string;
  /** What an operator does before services of another checkout start: its migration, of databases and streams; answers what it said. */
  migrate: (checkout: string) => Promise<string>;
  /** The broker knows from now on what the services of another checkout may do. */
  useBrokerOf: (checkout: string) => void;
  /** The bus as its operator sees it, in the environment's words. */
  operator: () => Env;
  /** One of the checkout's own tools with the environment of an operator. */
  tool: (file: string, ...args: string[]) => Promise<string>;
  end: () => Promise<void>;
}

const ended: Set<() => Promise<void>> = new Set();
/** Ends whatever still runs: for Ctrl-C. */
export const endAll = async (): Promise<void> => {
  await Promise.all([...ended].map((end) => end().catch(() => undefined)));
};

const isReady = async (api: Api): Promise<boolean> => {
  const { status, body } = await api({ path: '//health/ready', org: '-', patience: 2_000 });
  return status === 200 && !JSON.stringify(body).includes('"down"');
};

const noApi: Api = () => Promise.reject(new Error('There is no gateway'));

/** The servers of a system, each with a folder of its own; nothing runs yet. */
const createServers = async ({ checkout, statsApart, store, brokers: count = 1 }: SystemOptions, dataDir: string) => {
  const secrets = secretsIn(dataDir);
  const postgres = createPostgresServer(folderIn(dataDir, 'one'));
  const statsPostgres = statsApart === true ? createPostgresServer(folderIn(dataDir, 'two')) : postgres;
  const config = layNatsConfig(checkout, dataDir, store);
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
  if (nats === undefined) throw new Error('a system has a broker');
  const { env = {}, direct = false } = options;
  const wiring = createProxiedInstances({ checkout, dataDir, secrets, jwksFile: keys.jwksFile, brokers, direct, env });
  const { instances, proxies } = wiring;
  const of = (service: string): ProxiedInstance[] => instances.filter((one) => one.service === service);

  const end = async (): Promise<void> => {
    ended.delete(end);
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
    await waitFor('the system is ready again', allReady, READY_MS);
  };
  const operator = (): Env => ({ NATS_URL: urlsOf(brokers), [natsPasswordName('admin')]: secrets.nats.admin });
  const tool = async (file: string, ...args: string[]): Promise<string> => {
    const env = { PATH: process.env['PATH'], ...COMPILE_CACHE, ...operator() };
    return run(process.execPath, [join(checkout, 'tools', file), ...args], { env }).then(
      ({ stdout }) => stdout,
      (error: unknown) => String(error instanceof Error && 'stdout' in error ? error.stdout : error),
    );
  };

  ended.add(end);
  try {
    await Promise.all([
      ...databases.map((server) => preparePostgres(server, checkout, secrets)),
      ...brokers.map((broker) => broker.start()),
    ]);
    for (const service of SERVICES) {
      const database = service === 'stats' ? statsPostgres : postgres;
      for (let n = 1; n <= (wanted[service] ?? 1); n += 1) await wiring.addService(service, n, database);
    }
    for (let n = 1; n <= (wanted['gateway'] ?? 1); n += 1) await wiring.addGateway(n);
    const tokenFor = tokensOf(keys);
    const apiOf = ({ address }: ProxiedInstance): Api => createApi(address, tokenFor);
    const apis = of('gateway').map(apiOf);
    const [api = noApi] = apis;
    const allReady = async (): Promise<boolean> => (await Promise.all(apis.map(isReady))).every(Boolean);
    for (const one of instances) one.start();
    await waitFor('the system is ready', allReady, READY_MS);
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
      of,
      allReady,
      heal: () => heal(allReady),
      migrate: async (wanted) => {
        const said = await Promise.all(
          databases.map((server) => migrate(wanted, server.adminUrl(), secrets, operator())),
        );
        return said.join('');
      },
      useBrokerOf: (wanted) => {
        layNatsConfig(wanted, dataDir, options.store);
        for (const broker of brokers) broker.reload();
      },
      log: (service) =>
        of(service)
          .map((one) => one.log())
          .join('\n'),
      operator,
      tool,
      end,
    };
  } catch (error) {
    const logs = instances.map((one) => `${one.name}: ${one.log().slice(-2_000)}`).join('\n');
    await end();
    throw new Error(`The system did not start: ${String(error)}\n${logs}`, { cause: error });
  }
};
