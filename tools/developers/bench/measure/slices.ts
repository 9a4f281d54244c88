import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../load/work.ts';
import { type ByProcess, since, total, usedBy } from './by-process.ts';
import { cpuOf } from './cpu.ts';

/** Something that is measured against others. */
export interface Contender {
  name: string;
  /** Contenders of one system share processes. */
  system: string;
  /** What of a system is left out, where something is; of several systems the same. */
  floor?: string;
  /** The processes whose CPU counts. */
  roots: () => readonly number[];
  /** Brings what the load will use up; not measured. */
  prepare?: (seconds: number) => Promise<void>;
  /** Makes load for a while. */
  run: (seconds: number) => Promise<Outcome>;
}

/** What one contender did in one round. */
export interface Slice {
  requests: number;
  seconds: number;
  /** Beyond what it uses standing still. */
  cpuUs: number;
  /** By process, with what it uses standing still. */
  cpu: ByProcess;
  idleShare: number;
  /** What other systems used meanwhile, as a share of one core: they should stand still. */
  othersShare: number;
  outcome: Outcome;
}

const LOOK_MS = 60;
const QUIET_SHARE = 0.25;
const LONGEST_MS = 4_000;

/**
 * Waits until the processes have nothing left to do: a request is not over with its answer. Events are relayed and
 * statistics stored afterwards, and that belongs to the request's cost and not into somebody else's slice.
 */
export const quiet = async (roots: readonly number[]): Promise<void> => {
  const deadline = Date.now() + LONGEST_MS;
  for (let [before] = cpuOf([roots]); Date.now() < deadline;) {
    await sleep(LOOK_MS);
    const [now] = cpuOf([roots]);
    if ((now ?? 0) - (before ?? 0) <= LOOK_MS * 1_000 * QUIET_SHARE) return;
    before = now;
  }
};

const usedOf = (before: readonly number[], after: readonly number[]): number[] =>
  after.map((us, index) => us - (before[index] ?? 0));

/** What each of them uses standing still, as a share of one core. */
export const idleShares = async (groups: readonly (readonly number[])[], seconds: number): Promise<number[]> => {
  const before = cpuOf(groups);
  await sleep(seconds * 1_000);
  return usedOf(before, cpuOf(groups)).map((us) => us / (seconds * 1_000_000));
};

interface Ranked extends Contender {
  others: Contender[];
  idleShare: number;
}

const measureSlice = async ({ roots, run, others, idleShare }: Ranked, seconds: number): Promise<Slice> => {
  const groups = [others.flatMap(({ roots }) => roots())];
  const [before, own] = [cpuOf(groups), usedBy(roots())];
  const began = performance.now();
  const outcome = await run(seconds);
  await quiet(roots());
  const cpu = since(own, usedBy(roots()));
  const [othersUs = 0] = usedOf(before, cpuOf(groups));
  const tookUs = (performance.now() - began) * 1_000;
  const cpuUs = Math.max(0, total(cpu) - idleShare * tookUs);
  return {
    requests: outcome.latencies.length,
    seconds: outcome.seconds,
    cpuUs,
    cpu,
    idleShare,
    othersShare: othersUs / tookUs,
    outcome,
  };
};

/**
 * Short slices in turn, the order turned round each time: what changes on the machine in the course of a run meets
 * all contenders alike. Answers the slices of each, by rounds.
 */
export const alternate = async (
  contenders: readonly Contender[],
  plan: { rounds: number; seconds: number; idleS: number },
  onSlice: () => void,
): Promise<Slice[][]> => {
  const idle = await idleShares(
    contenders.map(({ roots }) => roots()),
    plan.idleS,
  );
  const ranked = contenders.map((one, index) => ({
    ...one,
    others: contenders.filter(({ system }) => system !== one.system),
    idleShare: idle[index] ?? 0,
    slices: new Array<Slice>(),
  }));
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const one of round % 2 === 0 ? ranked : ranked.toReversed()) {
      await one.prepare?.(plan.seconds);
      one.slices.push(await measureSlice(one, plan.seconds));
      onSlice();
    }
  }
  return ranked.map(({ slices }) => slices);
};
