import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Undo } from '@teaching/local/runner.ts';
import { z } from 'zod';
import { commandOf, currentTree, nameOf } from './cpu.ts';
import { dataOf, type PackageData, USUAL } from './bench-data.ts';
import type { Flood, FloodTarget } from './floods.ts';
import { type NextCall, runLoad, sendByClock } from './load.ts';
import { type Times, timesOf } from './measure.ts';
import { listItems, searchPackages, syncItems } from './scenarios.ts';
import type { System } from './system.ts';

export const CROWDS = ['w1', 'w2', 'w3'] as const;
export type Crowd = (typeof CROWDS)[number];

/** How often each status was answered; `closed`: how often the gateway closed a connection. */
export const Answered = z.record(z.string(), z.number());
export type Answered = z.infer<typeof Answered>;

/** The input of the flooding process. */
export interface Flooding {
  address: string;
  /** The address that the flood comes from. */
  from: string;
  flood: Flood;
  connections: number;
  target: FloodTarget;
}

/** Durations of the measured user's requests in each round, in milliseconds. */
export interface BesideLoad {
  alone: number[][];
  beside: number[][];
}

/** The median of the rounds, so that a bad moment of the machine does not decide. */
export const medianTimes = (rounds: readonly number[][]): Times => {
  const times = rounds.map(timesOf);
  const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  return { p50: median(times.map(({ p50 }) => p50)), p99: median(times.map(({ p99 }) => p99)) };
};

/** The p99 beside the load in p99 alone. */
export const p99Ratio = ({ alone, beside }: BesideLoad): number => medianTimes(beside).p99 / medianTimes(alone).p99;

export interface FloodRow extends BesideLoad {
  flood: Flood;
  contender: string;
  answered: Answered;
  /** Seconds in which they were answered. */
  seconds: number;
  /** Of the gateway, in MiB: the least before, the most during. */
  memory: { before: number; most: number };
}

/** Transactions of Postgres with one flood after the other, and of an idle system in as many seconds. */
export interface Transactions {
  contender: string;
  idle: number;
  flooded: number;
}

export interface CrowdRow extends BesideLoad {
  crowd: Crowd;
  contender: string;
  /** Of the crowd's own requests. */
  perSecond: number;
}

/** A system with people in two organizations: the measured user, and the crowd. */
export interface GuardMeasurement {
  system: System;
  target: FloodTarget;
  mine: readonly PackageData[];
  theirs: readonly PackageData[];
}

/** Rounds alternate, because a machine has better and worse minutes. */
export const ROUNDS = 5;
const ASIDE_S = 1;
const SETTLE_MS = 1_000;
/** The user reads a package's items, so often a second. */
const QUIET_RATE = 100;
const CROWDED = 64;
const LOOK_MS = 100;
/** Postgres reports the work of an idle connection only after ten seconds (PGSTAT_IDLE_INTERVAL). */
const TOLD_MS = 11_000;

/** Production logs at this level, and strangers may see the console. */
export const GUARD_ENV = { LOG_LEVEL: 'info', CONSOLE: 'on' };

/** The path of the console's script; its largest file. */
const consoleFile = async ({ address }: System): Promise<string> => {
  const page = await (await fetch(address, { headers: { accept: 'text/html' } })).text();
  const [, path] = /<script[^>]* src="([^"]+)"/.exec(page) ?? [];
  if (path === undefined) throw new Error('The gateway serves no console');
  return path;
};

export const measureGuard = async (system: System): Promise<GuardMeasurement> => {
  const all = Map.groupBy(await dataOf(system, USUAL).packages(0), ({ org }) => org);
  const [mine, theirs] = [...all.values()];
  if (mine?.[0] === undefined || theirs === undefined) throw new Error('There are no packages');
  const target = { token: mine[0].token, console_file: await consoleFile(system) };
  return { system, target, mine, theirs };
};

/** The user works so many seconds; answers how long each request took, in milliseconds. */
export const work = async (
  { system, mine }: GuardMeasurement,
  seconds: number,
  settle_ms = SETTLE_MS,
): Promise<number[]> => {
  await sleep(settle_ms);
  return (await sendByClock(system.address, listItems(mine), { perSecond: QUIET_RATE, seconds })).latencies;
};

const crowdCalls = (crowd: Crowd, packages: readonly PackageData[]): NextCall => {
  if (crowd === 'w1') return listItems(packages);
  if (crowd === 'w3') return searchPackages(packages);
  const { begin, next } = syncItems(packages);
  begin();
  return next;
};

/** The process that has the gateway of a system. */
const gatewayOf = ({ name, root }: System): number => {
  const named = (wanted: string) => currentTree([root()]).find(({ pid }) => nameOf(commandOf(pid)) === wanted);
  const found = named('service gateway') ?? named('runner');
  if (found === undefined) throw new Error(`${name} runs no gateway`);
  return found.pid;
};

/** Memory of a process in MiB, as the system counts it (`VmRSS`). */
const memoryOf = (pid: number): number => {
  const [, kib = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1_024;
};

/** Polls until stopped and returns the highest value, in MiB. */
const watchMemory = (pid: number): (() => number) => {
  let most = memoryOf(pid);
  const timer = setInterval(() => (most = Math.max(most, memoryOf(pid))), LOOK_MS);
  return () => {
    clearInterval(timer);
    return Math.max(most, memoryOf(pid));
  };
};

const TRANSACTIONS =
  'select (xact_commit + xact_rollback)::int as count from pg_stat_database where datname = current_database()';

/** How many transactions Postgres did during `meanwhile` and in the time that it takes to know, and in how many seconds. */
const transactionsDuring = async (
  { sql }: System,
  meanwhile: () => Promise<void>,
): Promise<{ count: number; seconds: number }> => {
  const count = async (): Promise<number> => {
    await sleep(TOLD_MS);
    return (await sql<{ count: number }>(TRANSACTIONS))[0]?.count ?? 0;
  };
  const before = await count();
  const began = performance.now();
  await meanwhile();
  return { count: (await count()) - before, seconds: (performance.now() - began) / 1_000 };
};

let floods = 0;
/** Each flood comes from an address of its own, so that no earlier one has used its limits. */
const nextAddress = (): string => `127.1.${Math.floor(floods / 250)}.${1 + (floods++ % 250)}`;

/** Begins a flood; answers how to end it. */
const startFlood = async (
  { system, target }: GuardMeasurement,
  flood: Flood,
  { connections, undo }: Pick<Measuring, 'connections' | 'undo'>,
) => {
  const flooding: Flooding = { address: system.address, from: nextAddress(), flood, connections, target };
  const child = fork(fileURLToPath(new URL('flood-process.ts', import.meta.url)), { detached: true });
  undo(async () => void child.kill('SIGKILL'));
  await once(child, 'message');
  child.send(flooding);
  return async (): Promise<Answered> => {
    child.send('stop');
    const [answered] = await once(child, 'message');
    child.disconnect();
    return Answered.parse(answered);
  };
};

export interface Measuring {
  contenders: readonly GuardMeasurement[];
  /** For each round, alone and beside. */
  seconds: number;
  /** Of strangers. */
  connections: number;
  onRound: () => void;
  undo: Undo;
}

/** Measures how many transactions of Postgres these floods cause, one after the other, a second each. */
export const measureTransactions = async (
  it: GuardMeasurement,
  floods: readonly Flood[],
  measuring: Pick<Measuring, 'connections' | 'undo'>,
): Promise<Transactions> => {
  const { system } = it;
  const idle = await transactionsDuring(system, () => sleep(floods.length * ASIDE_S * 1_000));
  const flooded = await transactionsDuring(system, async () => {
    for (const flood of floods) {
      const end = await startFlood(it, flood, measuring);
      await sleep(ASIDE_S * 1_000);
      await end();
    }
  });
  const inAsManySeconds = Math.round((idle.count / idle.seconds) * flooded.seconds);
  return { contender: system.name, idle: inAsManySeconds, flooded: flooded.count };
};

const floodOnce = async (row: FloodRow, it: GuardMeasurement, measuring: Measuring): Promise<void> => {
  const { seconds } = measuring;
  row.alone.push(await work(it, seconds));
  const gateway = gatewayOf(it.system);
  row.memory.before = Math.min(row.memory.before, memoryOf(gateway));
  const mostMemory = watchMemory(gateway);
  const began = performance.now();
  const end = await startFlood(it, row.flood, measuring);
  // From its first request: a flood is fastest before it has used its limits.
  row.beside.push(await work(it, seconds, 0));
  for (const [what, count] of Object.entries(await end())) row.answered[what] = (row.answered[what] ?? 0) + count;
  row.seconds += (performance.now() - began) / 1_000;
  row.memory.most = Math.max(row.memory.most, mostMemory());
};

/** Measures the cost of a flood for the gateway and a logged-in user. */
export const measureFlood = async (measuring: Measuring, flood: Flood): Promise<FloodRow[]> => {
  const all = measuring.contenders.map((it): { it: GuardMeasurement; row: FloodRow } => {
    const memory = { before: Infinity, most: 0 };
    return { it, row: { flood, contender: it.system.name, answered: {}, seconds: 0, memory, alone: [], beside: [] } };
  });
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { it, row } of round % 2 === 0 ? all : all.toReversed()) {
      await floodOnce(row, it, measuring);
      measuring.onRound();
    }
  return all.map(({ row }) => row);
};

/** Measures the cost of an organization that reads without end for a user of another one. */
export const measureCrowd = async ({ contenders, seconds, onRound }: Measuring, crowd: Crowd): Promise<CrowdRow[]> => {
  const all = contenders.map((it) => {
    const row: CrowdRow = { crowd, contender: it.system.name, alone: [], beside: [], perSecond: 0 };
    return { it, row };
  });
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { it, row } of round % 2 === 0 ? all : all.toReversed()) {
      row.alone.push(await work(it, seconds));
      const plan = { connections: CROWDED, seconds: seconds + 2 * (SETTLE_MS / 1_000) };
      const theirs = runLoad(it.system.address, crowdCalls(crowd, it.theirs), plan);
      const [{ latencies, seconds: took }, mine] = await Promise.all([theirs, work(it, seconds)]);
      row.beside.push(mine);
      row.perSecond += latencies.length / took / ROUNDS;
      onRound();
    }
  return all.map(({ row }) => row);
};
