import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { withDatabase } from '../../operators/migrate/provision.ts';
import { until } from '@teaching/local/child.ts';
import { type LocalPostgres, startPostgres } from '@teaching/local/postgres.ts';
import { postgresFolder, removeDataDir } from '@teaching/local/postgres-folder.ts';
import { postgresUser } from '@teaching/local/postgres-user.ts';
import { identityOf } from '@teaching/local/process-identity.ts';
import { copyFolder } from './copy-folder.ts';
import { familyOf, signal, signalFamily } from './process-family.ts';
import type { Target } from './tcp-proxy.ts';

export const DATABASE = 'teaching';

/** A Postgres server that a test can stop, kill, freeze and restore. */
export interface PostgresServer {
  /** Path of the server program. */
  program: string;
  /** Path of the data directory. */
  cluster: string;
  target: () => Target;
  /** URL of the superuser for clients that connect through the port `port`. */
  urlThrough: (port: number) => string;
  /** URL of the superuser through the Unix socket. */
  adminUrl: (database?: string) => string;
  /** Sets additional environment variables for the next starts; `{}` removes them. */
  configure: (more: NodeJS.ProcessEnv) => void;
  start: () => Promise<void>;
  /** Stops it cleanly, as a restart does. */
  stop: () => Promise<void>;
  /** Sends SIGKILL to all its processes at once. */
  kill: () => Promise<void>;
  freeze: () => void;
  thaw: () => void;
  /** Copies the data directory as of one moment; the server is frozen meanwhile. Returns that moment in epoch ms. */
  copy: (name: string) => Promise<number>;
  /** Kills the server and starts it on a copy. Returns the time of the kill in epoch ms. */
  restoreCopy: (name: string) => Promise<number>;
  /** Kills the server and deletes its data directory, like a lost disk. Returns the path of that directory. */
  deleteData: () => Promise<string>;
  sql: <R extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<R[]>;
  /** Runs a statement in a transaction that stays open with its locks. Returns a function that ends it. */
  holdTransaction: (text: string, values?: unknown[]) => Promise<() => Promise<void>>;
  end: () => Promise<void>;
}

const doNothing = (): void => undefined;

/** `database` is the database of `sql` and `adminUrl`. */
export const createPostgresServer = (dataDir: string, database = DATABASE): PostgresServer => {
  const { cluster, native } = postgresFolder(dataDir, postgresUser(), doNothing);
  const pidFile = join(cluster, 'postmaster.pid');
  const copyOf = (name: string): string => `${cluster}-copy-${name}`;
  let server: LocalPostgres | undefined;
  let env: NodeJS.ProcessEnv = {};
  let pool: pg.Pool | undefined;

  const running = (): LocalPostgres => {
    if (server === undefined) throw new Error('Postgres is not running');
    return server;
  };
  /** Process id of a server that this object started. A pid file of a dead server may name another process. */
  const pid = (): number | undefined =>
    server !== undefined && existsSync(pidFile) ? Number.parseInt(readFileSync(pidFile, 'utf8'), 10) : undefined;
  const adminUrl = (wanted = database): string => withDatabase(running().adminUrl, wanted);
  const closePool = async (): Promise<void> => {
    const closing = pool;
    pool = undefined;
    await closing?.end().catch(doNothing);
  };
  const start = async (): Promise<void> => {
    if (server !== undefined) return;
    server = await startPostgres({ dataDir, throwaway: true, env });
    pool = new pg.Pool({ connectionString: adminUrl(), max: 3 });
    pool.on('error', doNothing);
  };
  const kill = async (): Promise<void> => {
    const id = pid();
    const family = id === undefined ? [] : familyOf(id);
    for (const member of family) signal(member, 'SIGSTOP');
    for (const member of family) signal(member, 'SIGKILL');
    await server?.exited;
    await until(() => family.every((member) => identityOf(member) === undefined), 10_000);
    await closePool();
    server = undefined;
  };
  const send = (name: NodeJS.Signals): void => {
    const id = pid();
    if (id !== undefined) signalFamily(id, name);
  };
  const freeze = (): void => send('SIGSTOP');
  const thaw = (): void => send('SIGCONT');

  return {
    program: join(native, 'bin', 'postgres'),
    cluster,
    target: () => ({ host: '127.0.0.1', port: server?.port ?? 1 }),
    urlThrough: (port) => {
      const url = new URL(adminUrl());
      return `postgresql://${url.username}:${url.password}@127.0.0.1:${port}/${database}`;
    },
    adminUrl,
    configure: (more) => void (env = more),
    start,
    stop: async () => {
      thaw();
      await closePool();
      await server?.stop();
      server = undefined;
    },
    kill,
    freeze,
    thaw,
    copy: async (name) => {
      freeze();
      const at = Date.now();
      await copyFolder(cluster, copyOf(name)).finally(thaw);
      rmSync(join(copyOf(name), 'postmaster.pid'), { force: true });
      return at;
    },
    restoreCopy: async (name) => {
      await kill();
      const at = Date.now();
      await copyFolder(copyOf(name), cluster);
      await start();
      return at;
    },
    deleteData: async () => {
      await kill();
      rmSync(cluster, { recursive: true, force: true });
      return cluster;
    },
    sql: async (text, values) => {
      if (pool === undefined) throw new Error('Postgres is not running');
      return (await pool.query(text, values)).rows;
    },
    holdTransaction: async (text, values) => {
      const client = new pg.Client({ connectionString: adminUrl() });
      client.on('error', doNothing);
      await client.connect();
      await client.query('begin');
      await client.query(text, values);
      return () => client.end().catch(doNothing);
    },
    end: async () => {
      await kill();
      removeDataDir(dataDir);
    },
  };
};
