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

/** A Postgres of its own that can be treated badly. */
export interface PostgresServer {
  /** The server's program. */
  program: string;
  /** Its data directory. */
  cluster: string;
  target: () => Target;
  /** Superuser's URL as clients see it who come through `port`. */
  urlThrough: (port: number) => string;
  /** Superuser's URL, by the Unix socket. */
  adminUrl: (database?: string) => string;
  start: () => Promise<void>;
  /** In order, as for a restart. */
  stop: () => Promise<void>;
  /** SIGKILL to all its processes at once. */
  kill: () => Promise<void>;
  freeze: () => void;
  thaw: () => void;
  /** Keeps what the disk holds at one moment: the server stands still meanwhile. Answers when that was. */
  copy: (name: string) => Promise<number>;
  /** Kills the server and starts it on what a copy holds. Answers when it was killed. */
  putBack: (name: string) => Promise<number>;
  /** Kills the server and deletes all it had, as a lost disk does. Answers where its data directory was. */
  lose: () => Promise<string>;
  sql: <R extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<R[]>;
  /** Runs it in a transaction of its own that stays open, with its locks; answers the way to end it. */
  hold: (text: string, values?: unknown[]) => Promise<() => Promise<void>>;
  end: () => Promise<void>;
}

const silent = (): void => undefined;

/** `database` is what its own statements are about. */
export const createPostgresServer = (dataDir: string, database = DATABASE): PostgresServer => {
  const { cluster, native } = postgresFolder(dataDir, postgresUser(), silent);
  const note = join(cluster, 'postmaster.pid');
  const copyOf = (name: string): string => `${cluster}-copy-${name}`;
  let server: LocalPostgres | undefined;
  let pool: pg.Pool | undefined;

  const running = (): LocalPostgres => {
    if (server === undefined) throw new Error('Postgres does not run');
    return server;
  };
  /** Of a server that we started: a note that a dead one left behind may name somebody else by now. */
  const pid = (): number | undefined =>
    server !== undefined && existsSync(note) ? Number.parseInt(readFileSync(note, 'utf8'), 10) : undefined;
  const adminUrl = (wanted = database): string => withDatabase(running().adminUrl, wanted);
  const closePool = async (): Promise<void> => {
    const closing = pool;
    pool = undefined;
    await closing?.end().catch(silent);
  };
  const start = async (): Promise<void> => {
    if (server !== undefined) return;
    server = await startPostgres({ dataDir, throwaway: true });
    pool = new pg.Pool({ connectionString: adminUrl(), max: 3 });
    pool.on('error', silent);
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
    putBack: async (name) => {
      await kill();
      const at = Date.now();
      await copyFolder(copyOf(name), cluster);
      await start();
      return at;
    },
    lose: async () => {
      await kill();
      rmSync(cluster, { recursive: true, force: true });
      return cluster;
    },
    sql: async (text, values) => {
      if (pool === undefined) throw new Error('Postgres does not run');
      return (await pool.query(text, values)).rows;
    },
    hold: async (text, values) => {
      const client = new pg.Client({ connectionString: adminUrl() });
      client.on('error', silent);
      await client.connect();
      await client.query('begin');
      await client.query(text, values);
      return () => client.end().catch(silent);
    },
    end: async () => {
      await kill();
      removeDataDir(dataDir);
    },
  };
};
