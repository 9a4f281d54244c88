import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clusterIn } from '@teaching/local/postgres-place.ts';
import type { Ask, System } from '../system/system.ts';
import { loggedIn, type Logged } from './logged.ts';

const FILE = 'statements';
/** Nothing is written until it is said, so this costs nothing while it is measured. */
const SETTINGS = [
  'logging_collector=on',
  'log_destination=jsonlog',
  `log_filename=${FILE}`,
  'log_rotation_age=0',
  'log_rotation_size=0',
];
const PATIENCE_MS = 20_000;
const LOOK_MS = 2;
/** For processes that are there to read the changed configuration. */
const HEARD_MS = 300;

/** What processes sent to Postgres while something was done. */
export interface StatementLog {
  during: <T>(work: () => Promise<T>) => Promise<{ done: T; logged: Logged[] }>;
}

const isCollecting = async ({ sql }: System): Promise<boolean> => {
  const [row] = await sql<{ logging_collector: string }>('show logging_collector');
  return row?.logging_collector === 'on';
};

/** The log of these roles has no values, else. What is said of a role in one database goes before that. */
const APP_ROLES = "select quote_ident(rolname) as role from pg_roles where rolname like '%\\_app'";

/** Starts the system again so that its statements can be logged. `between`: what is done while it is stopped. */
export const restartLogging = async (
  { session, restart }: System,
  between?: (ask: Ask) => Promise<void>,
): Promise<void> => {
  await session(async (ask) => {
    for (const { role } of await ask<{ role: string }>(APP_ROLES))
      await ask(`alter role ${role} in database teaching set log_parameter_max_length = -1`);
  });
  await restart(SETTINGS, between);
};

const say = async (ask: Ask, ...settings: readonly string[]): Promise<void> => {
  for (const setting of settings) await ask(`alter system ${setting}`);
  await ask('select pg_reload_conf()');
  await sleep(HEARD_MS);
};

/** The whole lines that came to a file since it was that long, and how long it is with them. */
const linesIn = (file: string, from: number): { lines: string[]; to: number } => {
  if (!existsSync(file)) return { lines: [], to: from };
  const fd = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(fstatSync(fd).size - from);
    const read = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, from));
    const whole = read.lastIndexOf('\n') + 1;
    return { lines: read.subarray(0, whole).toString().split('\n').filter(Boolean), to: from + whole };
  } finally {
    closeSync(fd);
  }
};

/** Marks in the log what belongs together: a question of ours before and one after it. */
const reading = (ask: Ask, file: string): StatementLog => {
  let from = 0;
  const until = async (mark: string): Promise<Logged[]> => {
    await ask(mark);
    const found: Logged[] = [];
    for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await sleep(LOOK_MS)) {
      const { lines, to } = linesIn(file, from);
      from = to;
      const logged = lines.map(loggedIn).filter((one) => one !== undefined);
      const end = logged.findIndex(({ text }) => text === mark);
      found.push(...(end < 0 ? logged : logged.slice(0, end)));
      if (end >= 0) return found;
    }
    throw new Error('Postgres does not write its log');
  };
  const next = (): string => `select 'mark ${randomUUID()}'`;
  return {
    during: async (work) => {
      await until(next());
      const done = await work();
      return { done, logged: await until(next()) };
    },
  };
};

/** Has Postgres log every statement with its parameters for as long as `work` takes. Starts the system again where it cannot yet. */
export const withStatementLog = async <T>(system: System, work: (log: StatementLog) => Promise<T>): Promise<T> => {
  if (!(await isCollecting(system))) await restartLogging(system);
  const file = join(clusterIn(system.dataDir), 'log', `${FILE}.json`);
  return system.session(async (ask) => {
    await say(ask, "set log_statement = 'all'");
    try {
      return await work(reading(ask, file));
    } finally {
      await say(ask, 'reset log_statement');
    }
  });
};
