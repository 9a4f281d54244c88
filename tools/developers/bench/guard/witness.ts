import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentTree } from '../measure/cpu.ts';
import { nameOf } from '../measure/by-process.ts';
import { commandOf } from '../system/command.ts';
import type { System } from '../system/system.ts';

const LOOK_MS = 100;
/** A connection with nothing to do tells only after ten seconds what it did (PGSTAT_IDLE_INTERVAL). */
const TOLD_MS = 11_000;

/** The process that has the gateway of a system. */
export const gatewayOf = ({ name, roots }: System): number => {
  const named = (wanted: string) => currentTree(roots()).find(({ pid }) => nameOf(commandOf(pid)) === wanted);
  const found = named('service gateway') ?? named('runner');
  if (found === undefined) throw new Error(`${name} runs no gateway`);
  return found.pid;
};

/** Memory of a process in MiB, as the system counts it (`VmRSS`). */
export const memoryOf = (pid: number): number => {
  const [, kib = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1_024;
};

/** Looks again and again until told to stop; answers the most it saw, in MiB. */
export const watchMemory = (pid: number): (() => number) => {
  let most = memoryOf(pid);
  const timer = setInterval(() => (most = Math.max(most, memoryOf(pid))), LOOK_MS);
  return () => {
    clearInterval(timer);
    return Math.max(most, memoryOf(pid));
  };
};

const ALL =
  'select (xact_commit + xact_rollback)::int as count from pg_stat_database where datname = current_database()';

const transactions = async ({ sql }: System): Promise<number> => {
  await sleep(TOLD_MS);
  const [row] = await sql<{ count: number }>(ALL);
  return row?.count ?? 0;
};

/** How many transactions Postgres did in so many seconds while `meanwhile` was going on, and in the time it takes to know. */
export const transactionsBeside = async (
  system: System,
  seconds: number,
  meanwhile: () => Promise<void>,
): Promise<number> => {
  const before = await transactions(system);
  await Promise.all([meanwhile(), sleep(seconds * 1_000)]);
  return (await transactions(system)) - before;
};
