import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Site } from '../site/site.ts';
import { findStatistics } from '../system/statistics.ts';
import type { Ask, System } from '../system/system.ts';
import { type ByProcess, since, usedBy } from './by-process.ts';
import { cpuOf } from './cpu.ts';
import { quiet } from './slices.ts';

export interface Backlog {
  rollCalls: number;
  connections: number;
}

/** What became of a backlog. */
export interface CaughtUp {
  /** Roll calls that were taken in while it was measured. */
  rollCalls: number;
  seconds: number;
  /** From the moment when the statistics go on until it is measured. */
  beganMs: number;
  cpu: ByProcess;
  /** CPU that other systems used meanwhile. */
  othersUs: number;
}

/** Longer than a lease, so that every round begins alike: the statistics find that they lead no longer. */
const FROZEN_MS = 10_000;
/**
 * Measured from here on. What reached a frozen process before it noticed may be stored at once, and the rest only
 * when it leads again: the pause between is no matter of speed.
 */
const BEGUN = 1 / 5;
const LOOK_MS = 20;
const PATIENCE_MS = 60_000;

const STATE = `
  select (select count(*)::int from stats.roll_call as r where r.gen = g.gen) as taken,
    (select string_agg(gen || ' ' || state, ', ' order by gen) from stats.generation) as generations
  from stats.generation as g where g.state = 'current'`;
const State = z.tuple([z.object({ taken: z.int(), generations: z.string() })]);
type State = z.infer<typeof State>[0];

/** How the statistics stand, over one connection: looking often must not cost much. */
const withState = <T>({ session }: System, work: (state: () => Promise<State>) => Promise<T>): Promise<T> =>
  session((ask: Ask) => work(async () => State.parse(await ask(STATE))[0]));

const untilTaken = async (state: () => Promise<State>, taken: number): Promise<State> => {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await sleep(LOOK_MS)) {
    const now = await state();
    if (now.taken >= taken) return now;
  }
  throw new Error(`The statistics did not go on within ${PATIENCE_MS / 1_000} s`);
};

/** Roll calls while the statistics stand still; the last one by itself, so that it is certainly the last. */
const fill = async ({ system, run }: Site, { rollCalls, connections }: Backlog): Promise<void> => {
  const frozen = sleep(FROZEN_MS);
  await run('backlog', { connections, count: rollCalls - 1 });
  await run('backlog', { connections: 1, count: 1 });
  // Housekeeping of what was written is no part of taking it in.
  await system.sql('vacuum (analyze)');
  await frozen;
  await quiet(system.roots());
};

const prepare = async ({ system, prepare, run }: Site, { rollCalls, connections }: Backlog): Promise<void> => {
  await prepare('backlog', { connections, count: rollCalls });
  const one = { connections: 1, count: 1 };
  await prepare('roll-call', one);
  // Statistics that contain this one contain everything before it.
  await run('roll-call', one);
  await quiet(system.roots());
};

/** From a good part of the backlog to its end. */
const measure = async (
  { system, follow }: Site,
  others: readonly number[],
  begun: () => Promise<number>,
): Promise<Omit<CaughtUp, 'rollCalls'> & { from: number }> => {
  const thawed = performance.now();
  const from = await begun();
  const began = performance.now();
  const [[othersBefore = 0], before] = [cpuOf([others]), usedBy(system.roots())];
  await follow('backlog');
  const seconds = (performance.now() - began) / 1_000;
  const [cpu, [othersAfter = 0]] = [since(before, usedBy(system.roots())), cpuOf([others])];
  return { from, seconds, beganMs: began - thawed, cpu, othersUs: othersAfter - othersBefore };
};

const requireAll = (name: string, before: State, after: State, { rollCalls }: Backlog): void => {
  if (after.generations !== before.generations)
    throw new Error(`The statistics of ${name} were built anew while they were measured`);
  const taken = after.taken - before.taken;
  if (taken !== rollCalls) throw new Error(`The statistics of ${name} took in ${taken} of ${rollCalls} roll calls`);
};

/** Stops the statistics, makes a backlog, and measures how fast they take it in while nothing else happens. */
export const catchUp = async (site: Site, backlog: Backlog, others: readonly number[]): Promise<CaughtUp> => {
  await prepare(site, backlog);
  const { system } = site;
  return withState(system, async (state) => {
    const before = await state();
    const statistics = findStatistics(system);
    const goal = before.taken + Math.ceil(backlog.rollCalls * BEGUN);
    statistics.freeze();
    try {
      await fill(site, backlog);
    } finally {
      statistics.thaw();
    }
    const begun = async (): Promise<number> => (await untilTaken(state, goal)).taken;
    // That they ended is told rather than what came of it.
    const { from, ...measured } = await measure(site, others, begun).finally(statistics.requireSame);
    requireAll(system.name, before, await state(), backlog);
    return { ...measured, rollCalls: backlog.rollCalls - (from - before.taken) };
  });
};
