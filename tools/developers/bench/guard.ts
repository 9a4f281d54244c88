import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Undo } from '@teaching/local/runner.ts';
import { z } from 'zod';
import { commandOf, currentTree, nameOf } from './cpu.ts';
import { dataOf, type PackageData, USUAL } from './bench-data.ts';
import type { Flood } from './floods.ts';
import { type NextCall, runLoad, sendByClock } from './load.ts';
import { listItems, searchPackages, syncItems } from './scenarios.ts';
import type { System } from './system.ts';

export const CROWDS = ['w1', 'w2', 'w3'] as const;
export type Crowd = (typeof CROWDS)[number];

/** How often each status was answered; `closed`: how often the gateway closed a connection. */
export const Answered = z.record(z.string(), z.number());
export type Answered = z.infer<typeof Answered>;

/** The input of the flooding thread. */
export interface Flooding {
  address: string;
  flood: Flood;
  connections: number;
  /** One that the gateway takes, to make others from. */
  token: string;
}

/** Durations of the measured user's requests, in milliseconds. */
export interface BesideLoad {
  alone: number[];
  beside: number[];
}

export interface FloodRow extends BesideLoad {
  flood: Flood;
  contender: string;
  answered: Answered;
  /** Seconds in which they were answered. */
  seconds: number;
  /** Of the gateway, in MiB: the least before, the most during. */
  memory: { before: number; most: number };
  /** Transactions of Postgres in the same time: idle, and with the flood alone. */
  transactions: { idle: number; flooded: number };
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
  token: string;
  mine: readonly PackageData[];
  theirs: readonly PackageData[];
}

/** Rounds alternate, because a machine has better and worse minutes. */
export const ROUNDS = 3;
const ASIDE_S = 3;
const SETTLE_MS = 1_000;
/** The user reads a package's items, so often a second. */
const QUIET_RATE = 100;
const CROWDED = 64;
const LOOK_MS = 100;
/** Postgres reports the work of an idle connection only after ten seconds (PGSTAT_IDLE_INTERVAL). */
const TOLD_MS = 11_000;

export const measureGuard = async (system: System): Promise<GuardMeasurement> => {
  const all = Map.groupBy(await dataOf(system, USUAL).packages(0), ({ org }) => org);
  const [mine, theirs] = [...all.values()];
  if (mine?.[0] === undefined || theirs === undefined) throw new Error('There are no packages');
  return { system, token: mine[0].token, mine, theirs };
};

/** The user works so many seconds; answers how long each request took, in milliseconds. */
export const work = async ({ system, mine }: GuardMeasurement, seconds: number): Promise<number[]> => {
  await sleep(SETTLE_MS);
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

/** How many transactions Postgres did in so many seconds while `meanwhile` was going on, and in the time it takes to know. */
const transactionsBeside = async ({ sql }: System, meanwhile: () => Promise<void>): Promise<number> => {
  const count = async (): Promise<number> => {
    await sleep(TOLD_MS);
    return (await sql<{ count: number }>(TRANSACTIONS))[0]?.count ?? 0;
  };
  const before = await count();
  await Promise.all([meanwhile(), sleep(ASIDE_S * 1_000)]);
  return (await count()) - before;
};

/** Begins a flood; answers how to end it. */
const startFlood = (flooding: Flooding, undo: Undo): (() => Promise<Answered>) => {
  const thread = new Worker(new URL('flood.worker.ts', import.meta.url), { workerData: flooding });
  undo(async () => void (await thread.terminate()));
  return async () => {
    thread.postMessage('stop');
    const [answered] = await once(thread, 'message');
    await thread.terminate();
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

const beginFlood = async (
  { system, token }: GuardMeasurement,
  flood: Flood,
  { connections, undo }: Measuring,
): Promise<FloodRow> => {
  const flooding = { address: system.address, flood, connections, token };
  const idle = await transactionsBeside(system, async () => undefined);
  const flooded = await transactionsBeside(system, async () => {
    const end = startFlood(flooding, undo);
    await sleep(ASIDE_S * 1_000);
    await end();
  });
  const memory = { before: Infinity, most: 0 };
  const transactions = { idle, flooded };
  return { flood, contender: system.name, answered: {}, seconds: 0, memory, transactions, alone: [], beside: [] };
};

const floodOnce = async (
  row: FloodRow,
  it: GuardMeasurement,
  { seconds, connections, undo }: Measuring,
): Promise<void> => {
  row.alone.push(...(await work(it, seconds)));
  const gateway = gatewayOf(it.system);
  row.memory.before = Math.min(row.memory.before, memoryOf(gateway));
  const mostMemory = watchMemory(gateway);
  const began = performance.now();
  const end = startFlood({ address: it.system.address, flood: row.flood, connections, token: it.token }, undo);
  row.beside.push(...(await work(it, seconds)));
  for (const [what, count] of Object.entries(await end())) row.answered[what] = (row.answered[what] ?? 0) + count;
  row.seconds += (performance.now() - began) / 1_000;
  row.memory.most = Math.max(row.memory.most, mostMemory());
};

/** Measures the cost of a flood for the gateway, the database and a logged-in user. */
export const measureFlood = async (measuring: Measuring, flood: Flood): Promise<FloodRow[]> => {
  const all: { it: GuardMeasurement; row: FloodRow }[] = [];
  for (const it of measuring.contenders) all.push({ it, row: await beginFlood(it, flood, measuring) });
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
      row.alone.push(...(await work(it, seconds)));
      const plan = { connections: CROWDED, seconds: seconds + 2 * (SETTLE_MS / 1_000) };
      const theirs = runLoad(it.system.address, crowdCalls(crowd, it.theirs), plan);
      const [{ latencies, seconds: took }, mine] = await Promise.all([theirs, work(it, seconds)]);
      row.beside.push(...mine);
      row.perSecond += latencies.length / took / ROUNDS;
      onRound();
    }
  return all.map(({ row }) => row);
};
