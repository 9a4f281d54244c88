import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { hasExited, stopChild } from '@teaching/local/child.ts';
import { tail } from '@teaching/local/file.ts';
import { freePort } from '@teaching/local/ports.ts';
import { removeDataDir } from '@teaching/local/postgres-folder.ts';
import type { Undo } from '@teaching/local/runner.ts';
import type { Processes } from '@teaching/local/settings.ts';
import pg from 'pg';
import { nodeOf, optionsOf, pathWithNats } from './checkout.ts';
import { commandOf, currentTree } from './cpu.ts';

export interface Person {
  org: string;
  sub: string;
  role: 'SUPERVISOR' | 'TEACHER' | 'STUDENT';
}

/** One running system: a checkout with servers, data and ports of its own. */
export interface System {
  name: string;
  address: string;
  /** URL of the database's superuser: for measuring only, never for preparing data. */
  adminUrl: () => string;
  /** Every process of the system is this one or below it. */
  root: () => number;
  /** The database server among them. */
  postmaster: () => number;
  token: (person: Person) => Promise<string>;
  sql: <R extends pg.QueryResultRow>(text: string) => Promise<R[]>;
  /** Starts it again on the same data; answers after how many milliseconds it took requests. */
  restart: () => Promise<number>;
  /** How long the first start took, in milliseconds: with a new database, its tables, passwords and keys. */
  firstMs: number;
}

/** Variables of the shell that would change the system. */
const NOT_HANDED_ON =
  /^(npm_|NATS_|DATABASE_|OTEL_|JWT_|JWKS_|SERVICES_DIR$|NODE_OPTIONS$|CHECK_REPLIES$|CONCURRENCY$)/;
const READY_MS = 120_000;
const STOP = [
  ['SIGTERM', 30_000],
  ['SIGKILL', 1_000],
] as const;

interface Place {
  checkout: string;
  dataDir: string;
  port: number;
  processes: Processes;
  undo: Undo;
  /** Variables beside those that every system has. */
  env: Readonly<Record<string, string>>;
}

const environment = ({ dataDir, port, processes, env }: Place): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_HANDED_ON.test(name))),
  PATH: pathWithNats(),
  DATA_DIR: dataDir,
  HOST: '127.0.0.1',
  PORT: String(port),
  PROCESSES: processes,
  // Only the measured work runs and is stored.
  DEMO: 'off',
  CONSOLE: 'off',
  RATE_LIMIT: '100000000',
  LOG_LEVEL: 'warn',
  // Makes the runner stop when this process ends in any way.
  npm_lifecycle_event: 'bench',
  ...env,
});

const untilReady = async (child: ChildProcess, port: number): Promise<void> => {
  const isReady = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  for (const deadline = Date.now() + READY_MS; !(await isReady()); await sleep(50)) {
    if (hasExited(child)) throw new Error('it ended');
    if (Date.now() > deadline) throw new Error('it does not get ready');
  }
};

interface Started {
  pid: number;
  stop: () => Promise<void>;
  readyMs: number;
}

/** Starts a checkout's own runner, like `npm start`, in its own process group: Ctrl-C reaches only this process, which stops everything in order. */
const startRunner = async (place: Place): Promise<Started> => {
  const { checkout, dataDir, port, undo } = place;
  const began = performance.now();
  const logFile = join(dataDir, 'runner.log');
  const output = openSync(logFile, 'a', 0o600);
  const child = spawn(nodeOf(checkout), [...optionsOf(checkout), 'tools/start.ts'], {
    cwd: checkout,
    env: environment(place),
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  child.once('error', () => undefined);
  const stop = (): Promise<void> => stopChild(child, STOP);
  undo(stop);
  try {
    await untilReady(child, port);
  } catch (error) {
    await stop();
    throw new Error(`The system in ${checkout} did not start (${String(error)}):\n${tail(logFile, 15)}`, {
      cause: error,
    });
  }
  return { pid: child.pid ?? 0, stop, readyMs: performance.now() - began };
};

/** The database server of a system, and its superuser's address: the server notes port and socket in its folder. */
const postgresOf = (root: number, dataDir: string): { pid: number; adminUrl: string } => {
  const found = currentTree([root])
    .map(({ pid }) => ({ pid, command: commandOf(pid) }))
    .find(({ command }) => /[/\\]postgres$/.test(command[0] ?? '') && command.includes('-D'));
  if (found === undefined) throw new Error('The system runs no Postgres of its own');
  const { pid, command } = found;
  const cluster = command[command.indexOf('-D') + 1] ?? '';
  const [, , , port = '', socketDir = ''] = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  const password = readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim();
  const host = encodeURIComponent(socketDir.trim());
  return { pid, adminUrl: `postgresql://postgres:${password}@${host}:${port.trim()}/teaching` };
};

/** Issues tokens with the checkout's own tool, which knows the key; each is issued once. */
const tokenDesk = (checkout: string, dataDir: string): System['token'] => {
  const known = new Map<string, Promise<string>>();
  const issue = async ({ org, sub, role }: Person): Promise<string> => {
    const args = ['tools/cli.ts', 'token', '--org', org, '--sub', sub, '--role', role, '--ttl', '7d'];
    const env = { ...process.env, DATA_DIR: dataDir };
    const { stdout } = await promisify(execFile)(nodeOf(checkout), args, { cwd: checkout, env });
    return stdout.trim();
  };
  return (person) => {
    const key = JSON.stringify(person);
    const token = known.get(key) ?? issue(person);
    known.set(key, token);
    return token;
  };
};

export const startSystem = async (
  name: string,
  checkout: string,
  processes: Processes,
  undo: Undo,
  env: Place['env'] = {},
): Promise<System> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'teaching-bench-'));
  chmodSync(dataDir, 0o711);
  undo(() => removeDataDir(dataDir));
  const place = { checkout, dataDir, port: await freePort(), processes, undo, env };
  let runner = await startRunner(place);
  let postgres = postgresOf(runner.pid, dataDir);
  return {
    name,
    address: `http://127.0.0.1:${place.port}`,
    adminUrl: () => postgres.adminUrl,
    root: () => runner.pid,
    postmaster: () => postgres.pid,
    token: tokenDesk(checkout, dataDir),
    // One connection for each question, so that a restart of the server disturbs none.
    sql: async (text) => {
      const client = new pg.Client({ connectionString: postgres.adminUrl });
      // The next query reports it.
      client.on('error', () => undefined);
      await client.connect();
      try {
        return (await client.query(text)).rows;
      } finally {
        await client.end();
      }
    },
    restart: async () => {
      await runner.stop();
      runner = await startRunner(place);
      postgres = postgresOf(runner.pid, dataDir);
      return runner.readyMs;
    },
    firstMs: runner.readyMs,
  };
};
