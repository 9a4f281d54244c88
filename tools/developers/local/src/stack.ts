import { fileURLToPath } from 'node:url';
import { ensureDatabase } from '../../../operators/migrate/provision.ts';
import { startNats } from './nats.ts';
import { startPostgres } from './postgres.ts';
import { DATABASE } from './running-postgres.ts';
import { NATS_USERS, natsPasswordName, natsPasswords, secretsIn, type Secrets, type ServiceName } from './secrets.ts';
import { serviceEnv, type Addresses, type Env } from './service-env.ts';

/** Runs one step of the start, telling about it as it likes. */
export type Step = <T>(title: string, work: () => Promise<T>) => Promise<T>;

export type StackOptions = {
  /** The caller holds its lock. */
  dataDir: string;
  log?: (line: string) => void;
  step?: Step;
  /** May name servers to use instead of local ones: DATABASE_ADMIN_URL, NATS_URL. */
  env?: Env;
  /** The configuration of the local broker, if not that of the release. */
  natsConfig?: string | undefined;
  /** Faster, but not safe against a power cut: for tests. */
  throwaway?: boolean;
};

export type Stack = Addresses & {
  envFor: (name: ServiceName) => Env;
  /** Resolves with the name of a server that ended unexpectedly. */
  broken: Promise<string>;
  stop: () => Promise<void>;
};

type Server = { url: string; broken: Promise<string>; stop: () => Promise<void> };

/** The broker's configuration of the release. */
const NATS_CONFIG = fileURLToPath(new URL('../../../../deploy/nats/nats.conf', import.meta.url));

const never = new Promise<never>(() => undefined);
const foreign = (url: string): Server => ({ url, broken: never, stop: async () => undefined });

const bus = async (
  { dataDir, env = {}, natsConfig = NATS_CONFIG }: StackOptions,
  secrets: Secrets,
): Promise<Server> => {
  if (env['NATS_URL']) return foreign(env['NATS_URL']);
  const server = await startNats({ dataDir, config: natsConfig, env: natsPasswords(secrets) });
  return { ...server, broken: server.exited.then(() => 'nats-server') };
};

/** A URL without a database, or with Postgres' own, gets the local name. */
const databaseOf = (adminUrl: string): string => {
  const named = decodeURIComponent(new URL(adminUrl).pathname.slice(1));
  return named === '' || named === 'postgres' ? DATABASE : named;
};

const database = async ({ dataDir, log, env = {}, throwaway }: StackOptions): Promise<Server> => {
  const given = env['DATABASE_ADMIN_URL'];
  if (given)
    try {
      return foreign(await ensureDatabase(given, databaseOf(given)));
    } catch (error) {
      throw new Error(`DATABASE_ADMIN_URL cannot be used: ${String(error)}`, { cause: error });
    }
  const server = await startPostgres({ dataDir, log, throwaway });
  const url = await ensureDatabase(server.adminUrl, databaseOf(server.adminUrl)).catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  return { url, broken: server.exited.then(() => 'Postgres'), stop: server.stop };
};

/** A foreign bus has its own passwords. */
const busSecrets = (secrets: Secrets, env: Env): Secrets => {
  if (!env['NATS_URL']) return secrets;
  const missing = NATS_USERS.filter((user) => user !== 'admin' && !env[natsPasswordName(user)]);
  if (missing.length > 0) throw new Error(`With NATS_URL, set these too: ${missing.map(natsPasswordName).join(', ')}`);
  const nats = { ...secrets.nats };
  for (const user of NATS_USERS) nats[user] = env[natsPasswordName(user)] ?? '';
  return { ...secrets, nats };
};

/** Starts both, or neither: when one fails the other is stopped again. */
const startBoth = async (starts: readonly [Promise<Server>, Promise<Server>]): Promise<[Server, Server]> => {
  try {
    return await Promise.all(starts);
  } catch (error) {
    const ended = starts.map((start) =>
      start.then(
        (server) => server.stop(),
        () => undefined,
      ),
    );
    await Promise.all(ended);
    throw error;
  }
};

/** Postgres and the bus, local unless the environment names others, with an empty database at least. */
export const startStack = async (options: StackOptions): Promise<Stack> => {
  const { dataDir, env = {}, step = (_title, work) => work() } = options;
  const secrets = busSecrets(secretsIn(dataDir), env);
  const [postgres, nats] = await startBoth([
    step('Postgres', () => database(options)),
    step('nats-server', () => bus(options, secrets)),
  ]);
  const addresses = { adminUrl: postgres.url, natsUrl: nats.url, secrets };
  return {
    ...addresses,
    envFor: (name) => serviceEnv(name, addresses),
    broken: Promise.race([postgres.broken, nats.broken]),
    stop: async () => {
      await nats.stop();
      await postgres.stop();
    },
  };
};
