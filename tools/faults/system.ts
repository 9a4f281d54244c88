import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { AUDIENCE, ISSUER, keysIn } from '../local/keys.ts';
import { freePort } from '../local/ports.ts';
import { natsPasswordName, natsPasswords, secretsIn, SERVICES } from '../local/secrets.ts';
import { type Env, gatewayEnv, serviceEnv } from '../local/service-env.ts';
import { type Api, createApi } from './api.ts';
import { createNatsServer, type NatsServer } from './nats-server.ts';
import { must } from './poll.ts';
import { createPostgresServer, type PostgresServer } from './postgres-server.ts';
import { folderIn, natsConfigOf, preparePostgres } from './prepare.ts';
import { type Proxy, startProxy } from './proxy.ts';
import { createInstance, type Instance } from './service.ts';

const run = promisify(execFile);
export const OWN_CHECKOUT = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');
const READY_MS = 90_000;

export interface SystemOptions {
  /** Whose services run; their servers come from here. */
  checkout: string;
  /** How many of each; 1 unless said otherwise. */
  instances?: Readonly<Record<string, number>>;
  /** Statistics have a Postgres of their own. */
  statsApart?: boolean;
  /** How much the broker may store; `10GB` unless said otherwise. */
  store?: string;
}

/** An instance with its own wires to the servers. */
export interface Wired extends Instance {
  /** Undefined for the gateway. */
  toPostgres: Proxy | undefined;
  toNats: Proxy;
}

/** The whole system in processes of their own, every wire through a proxy. */
export interface System {
  checkout: string;
  api: Api;
  /** Of the sources; of the statistics, too, unless these are apart. */
  postgres: PostgresServer;
  statsPostgres: PostgresServer;
  nats: NatsServer;
  instances: readonly Wired[];
  /** All instances of one service. */
  of: (service: string) => Wired[];
  allReady: () => Promise<boolean>;
  /** Nothing frozen, nothing cut, everything running, and the gateway says so. */
  heal: () => Promise<void>;
  /** What all instances of a service have printed. */
  log: (service: string) => string;
  /** One of the checkout's own tools with the environment of an operator. */
  tool: (file: string, ...args: string[]) => Promise<string>;
  end: () => Promise<void>;
}

const ended: Set<() => Promise<void>> = new Set();
/** Ends whatever still runs: for Ctrl-C. */
export const endAll = async (): Promise<void> => {
  await Promise.all([...ended].map((end) => end().catch(() => undefined)));
};

export const startSystem = async (options: SystemOptions): Promise<System> => {
  const { checkout, instances: wanted = {}, statsApart = false } = options;
  const dataDir = mkdtempSync(join(tmpdir(), 'teaching-faults-'));
  chmodSync(dataDir, 0o711);
  const secrets = secretsIn(dataDir);
  const keys = keysIn(dataDir);
  const postgres = createPostgresServer(folderIn(dataDir, 'one'));
  const statsPostgres = statsApart ? createPostgresServer(folderIn(dataDir, 'two')) : postgres;
  const servers = [...new Set([postgres, statsPostgres])];
  const nats = createNatsServer({
    dataDir,
    config: natsConfigOf(checkout, dataDir, options.store),
    passwords: natsPasswords(secrets),
  });
  const instances: Wired[] = [];
  const proxies: Proxy[] = [];

  const end = async (): Promise<void> => {
    ended.delete(end);
    await Promise.all(instances.map((one) => one.kill()));
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await nats.kill();
    await Promise.all(servers.map((server) => server.end()));
    if (process.env['KEEP_LOGS'] === undefined) rmSync(dataDir, { recursive: true, force: true });
  };
  ended.add(end);

  const wire = async (target: () => { host: string; port: number }): Promise<Proxy> => {
    const proxy = await startProxy(target);
    proxies.push(proxy);
    return proxy;
  };
  const common: Env = {
    LOG_LEVEL: 'info',
    RATE_LIMIT: '10000000',
    CALL_TIMEOUT_MS: '3000',
    DATABASE_POOL: '6',
    NODE_COMPILE_CACHE: join(tmpdir(), 'teaching-faults-compile-cache'),
  };
  const addService = async (service: (typeof SERVICES)[number], n: number): Promise<void> => {
    const database = service === 'stats' ? statsPostgres : postgres;
    const toPostgres = await wire(database.target);
    const toNats = await wire(nats.target);
    const adminUrl = database.urlThrough(toPostgres.port);
    const natsUrl = `nats://127.0.0.1:${toNats.port}`;
    // The schemas are there already.
    const env = { ...serviceEnv(service, { adminUrl, natsUrl, secrets }), MIGRATION_DATABASE_URL: '', ...common };
    const instance = createInstance({ name: `${service}-${n}`, service, checkout, env, logDir: dataDir });
    instances.push({ ...instance, toPostgres, toNats });
  };
  const addGateway = async (): Promise<string> => {
    const toNats = await wire(nats.target);
    const port = await freePort();
    const env = {
      ...gatewayEnv({ adminUrl: '', natsUrl: `nats://127.0.0.1:${toNats.port}`, secrets }),
      ...common,
      HOST: '127.0.0.1',
      PORT: String(port),
      JWKS_FILE: keys.jwksFile,
      JWT_ISSUER: ISSUER,
      JWT_AUDIENCE: AUDIENCE,
      LOG_LEVEL: 'warn',
    };
    const instance = createInstance({ name: 'gateway-1', service: 'gateway', checkout, env, logDir: dataDir });
    instances.push({ ...instance, toPostgres: undefined, toNats });
    return `http://127.0.0.1:${port}`;
  };

  const ready = async (api: Api): Promise<boolean> => {
    const { status, body } = await api({ path: '//health/ready', org: '-', patience: 2_000 });
    return status === 200 && !JSON.stringify(body).includes('"down"');
  };
  try {
    await Promise.all([...servers.map((server) => preparePostgres(server, checkout, secrets)), nats.start()]);
    for (const service of SERVICES) {
      for (let n = 1; n <= (wanted[service] ?? 1); n += 1) await addService(service, n);
    }
    const api = createApi(await addGateway(), keys);
    const allReady = (): Promise<boolean> => ready(api);
    for (const one of instances) one.start();
    const system: System = {
      checkout,
      api,
      postgres,
      statsPostgres,
      nats,
      instances,
      of: (service) => instances.filter((one) => one.service === service),
      allReady,
      heal: async () => {
        for (const server of [...servers, nats]) {
          server.thaw();
          await server.start();
        }
        for (const proxy of proxies) proxy.heal();
        for (const one of instances) {
          one.thaw();
          one.start();
        }
        await must('the system is ready again', allReady, READY_MS);
      },
      log: (service) =>
        instances
          .filter((one) => one.service === service)
          .map((one) => one.log())
          .join('\n'),
      tool: async (file, ...args) => {
        const env = { NATS_URL: nats.url(), [natsPasswordName('admin')]: secrets.nats.admin };
        const command = [join(checkout, 'tools', file), ...args];
        const options = { env: { PATH: process.env['PATH'], ...env } };
        return run(process.execPath, command, options).then(
          ({ stdout }) => stdout,
          (error: unknown) => String(error instanceof Error && 'stdout' in error ? error.stdout : error),
        );
      },
      end,
    };
    await must('the system is ready', allReady, READY_MS);
    return system;
  } catch (error) {
    const logs = instances.map((one) => `${one.name}: ${one.log().slice(-2_000)}`).join('\n');
    await end();
    throw new Error(`The system did not start: ${String(error)}\n${logs}`, { cause: error });
  }
};
