import type { Undo } from '@teaching/local/runner.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress } from '../progress.ts';
import { type Answered, startFlood } from './flood.ts';
import type { Flood } from './floods.ts';
import type { Crowd, Guarded } from './user.ts';
import { gatewayOf, memoryOf, transactionsBeside, watchMemory } from './witness.ts';

/** In turn, since a machine has better minutes and worse. */
export const ROUNDS = 3;
const ASIDE_S = 3;

export interface Measuring {
  contenders: readonly Guarded[];
  /** For each round, alone and beside. */
  seconds: number;
  connections: number;
  progress: Progress;
  undo: Undo;
}

/** How long the requests of the one who is measured took, in milliseconds. */
export interface Beside {
  alone: number[];
  beside: number[];
}

export interface FloodRow extends Beside {
  flood: Flood;
  contender: string;
  answered: Answered;
  /** Seconds in which they were answered. */
  seconds: number;
  /** Of the gateway, in MiB: the least before, the most during. */
  memory: { before: number; most: number };
  /** Of Postgres in so many seconds: with nobody there, and with the flood alone. */
  transactions: { idle: number; flooded: number };
}

export interface CrowdRow extends Beside {
  crowd: Crowd;
  contender: string;
  /** Of the crowd's own requests. */
  perSecond: number;
}

const add = (to: Answered, more: Answered): void => {
  for (const [what, count] of Object.entries(more)) to[what] = (to[what] ?? 0) + count;
};

const beginRow = async (
  { system, token }: Guarded,
  flood: Flood,
  { connections, undo }: Measuring,
): Promise<FloodRow> => {
  const { address } = system;
  const nobody = await transactionsBeside(system, ASIDE_S, async () => undefined);
  const flooded = await transactionsBeside(system, ASIDE_S, async () => {
    const end = startFlood({ address, flood, connections, token }, undo);
    await sleep(ASIDE_S * 1_000);
    await end();
  });
  const transactions = { idle: nobody, flooded };
  const memory = { before: Infinity, most: 0 };
  return { flood, contender: system.name, answered: {}, seconds: 0, memory, transactions, alone: [], beside: [] };
};

const floodOnce = async (row: FloodRow, it: Guarded, { seconds, connections, undo }: Measuring): Promise<void> => {
  const { system, token, work } = it;
  row.alone.push(...(await work(seconds)));
  const gateway = gatewayOf(system);
  row.memory.before = Math.min(row.memory.before, memoryOf(gateway));
  const seen = watchMemory(gateway);
  const began = performance.now();
  const end = startFlood({ address: system.address, flood: row.flood, connections, token }, undo);
  row.beside.push(...(await work(seconds)));
  add(row.answered, await end());
  row.seconds += (performance.now() - began) / 1_000;
  row.memory.most = Math.max(row.memory.most, seen());
};

/** What a flood costs the gateway, the database and somebody who is logged in. */
export const measureFlood = async (measuring: Measuring, flood: Flood): Promise<FloodRow[]> => {
  const { contenders, progress } = measuring;
  progress.say(flood);
  const all: { it: Guarded; row: FloodRow }[] = [];
  for (const it of contenders) all.push({ it, row: await beginRow(it, flood, measuring) });
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { it, row } of round % 2 === 0 ? all : all.toReversed()) {
      await floodOnce(row, it, measuring);
      progress.sliceDone();
    }
  return all.map(({ row }) => row);
};

/** What an organization that asks without end costs somebody of another one. */
export const measureCrowd = async ({ contenders, seconds, progress }: Measuring, crowd: Crowd): Promise<CrowdRow[]> => {
  progress.say(`a crowd, ${crowd}`);
  const all = contenders.map((it) => {
    const row: CrowdRow = { crowd, contender: it.system.name, alone: [], beside: [], perSecond: 0 };
    return { it, row };
  });
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { it, row } of round % 2 === 0 ? all : all.toReversed()) {
      row.alone.push(...(await it.work(seconds)));
      const [theirs, mine] = await Promise.all([it.crowd(crowd, seconds), it.work(seconds)]);
      row.beside.push(...mine);
      row.perSecond += theirs.latencies.length / theirs.seconds / ROUNDS;
      progress.sliceDone();
    }
  return all.map(({ row }) => row);
};
