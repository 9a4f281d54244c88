import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '@teaching/local/ports.ts';
import { copyData, removeDataDir } from '@teaching/local/postgres-place.ts';
import type { Undo } from '@teaching/local/runner.ts';
import type { Processes } from '@teaching/local/settings.ts';
import { adminUrlOf, findPostmaster, startAgain } from './postmaster.ts';
import { startRunner, type Started } from './runner.ts';
import { tokenDesk, type Person } from './tokens.ts';

export type Ask = <R extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<R[]>;

/** One running system: a checkout with servers, data and ports of its own. */
export interface System {
  name: string;
  address: string;
  /** Where it keeps its data and keys. */
  dataDir: string;
  /** Superuser's, for measuring and never for arranging what the API can arrange. */
  adminUrl: string;
  /** Every process of the system is one of these or below one. */
  roots: () => readonly number[];
  postmaster: () => number;
  token: (person: Person) => Promise<string>;
  sql: Ask;
  /** Asks several questions over one connection. */
  session: <T>(work: (ask: Ask) => Promise<T>) => Promise<T>;
  /**
   * Starts it again on the same data with further settings of Postgres, and does something with the database alone in between.
   * Answers after how many milliseconds it took requests.
   */
  restart: (settings: readonly string[], between?: (ask: Ask) => Promise<void>) => Promise<number>;
  /** Stops all but the database for this work, which gets its superuser's URL, and then the database, too: it is not started again. */
  end: (work: (adminUrl: string) => Promise<void>) => Promise<void>;
  /** How long its first start took, in milliseconds: with a new database, its tables, passwords and keys. */
  firstMs: number;
}

/** With owners and times; blocks are shared where the file system can. */
const copyFolder = async (from: string, to: string): Promise<void> => {
  await promisify(execFile)('cp', ['-a', '--reflink=auto', `${from}/.`, to]);
};

/** Where a system keeps its data: in a folder that stays, or in one that is removed after it, empty or a copy at first. */
export interface Data {
  in?: string;
  copyOf?: string;
}

interface Form extends Data {
  processes?: Processes;
}

const folderFor = async ({ in: kept, copyOf }: Data, undo: Undo): Promise<string> => {
  if (kept !== undefined) mkdirSync(kept, { recursive: true });
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'teaching-bench-'));
  chmodSync(folder, 0o711);
  if (kept === undefined) undo(() => removeDataDir(folder));
  if (copyOf !== undefined) await copyData(copyOf, folder, copyFolder);
  return folder;
};

const resetSettings = async (ask: Ask): Promise<void> => {
  await ask('alter system reset all');
  await ask('select pg_reload_conf()');
};

const sessions =
  (connectionString: string): System['session'] =>
  async (work) => {
    const client = new pg.Client({ connectionString });
    // What is asked next tells it.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(async (text, values) => (await client.query(text, values)).rows);
    } finally {
      await client.end();
    }
  };

/** The URL of another database of the same server. */
export const otherDatabase = (url: string, name: string): string => url.replace(/\/[^/]*$/, `/${name}`);

/** Data to begin with are those that another system of the same checkout left. */
export const startSystem = async (name: string, checkout: string, undo: Undo, form: Form = {}): Promise<System> => {
  const { processes = 'many', ...data } = form;
  const dataDir = await folderFor(data, undo);
  const place = { checkout, dataDir, port: await freePort(), processes, undo };
  let runner = await startRunner(place);
  let server: Started | undefined;
  let postmaster = findPostmaster(runner.pid);
  const adminUrl = adminUrlOf(postmaster, dataDir);
  const session = sessions(adminUrl);
  // A run that was killed may have left its own.
  if (data.in !== undefined) await session(resetSettings);
  return {
    name,
    address: `http://127.0.0.1:${place.port}`,
    dataDir,
    adminUrl,
    roots: () => (server === undefined ? [runner.pid] : [runner.pid, server.pid]),
    postmaster: () => postmaster.pid,
    token: tokenDesk(checkout, dataDir),
    // One connection for each question, so that a restart of the server disturbs none.
    sql: (text, values) => session((ask) => ask(text, values)),
    session,
    restart: async (settings, between) => {
      await runner.stop();
      await server?.stop();
      server = await startAgain(postmaster, { adminUrl, settings, undo });
      postmaster = { ...postmaster, pid: server.pid };
      if (between !== undefined) await sessions(otherDatabase(adminUrl, 'postgres'))(between);
      runner = await startRunner(place, { DATABASE_ADMIN_URL: adminUrl });
      return runner.readyMs;
    },
    end: async (work) => {
      await runner.stop();
      const alone = await startAgain(postmaster, { adminUrl, settings: ['max_wal_size=8GB'], undo });
      await work(adminUrl);
      await alone.stop();
    },
    firstMs: runner.readyMs,
  };
};
