import { setTimeout as sleep } from 'node:timers/promises';
import type { Generator } from '../load/generator.ts';
import type { Outcome, PackageSeed, Plan } from '../load/work.ts';
import { seedPackages } from '../seed/packages.ts';
import { USUAL } from '../seed/sizes.ts';
import type { System } from '../system/system.ts';

/** Somebody who reads a package's items, so often a second over so many connections. */
const QUIET: Plan = { connections: 64, rate: 100 };
const SETTLE_MS = 1_000;

/** A system with people in two organizations: one who is measured, and those of another who crowd. */
export interface Guarded {
  system: System;
  /** A token of the one who is measured. */
  token: string;
  /** The one who is measured works so many seconds; answers how long each request took, in milliseconds. */
  work: (seconds: number) => Promise<number[]>;
  /** The others ask without end over so many connections; answers when the time is over. */
  crowd: (what: Crowd, seconds: number) => Promise<Outcome>;
}

export const CROWDS = ['w1', 'w2', 'w3'] as const;
export type Crowd = (typeof CROWDS)[number];
const CROWDED = 64;

const ran = async (generator: Generator, key: string, plan: Plan): Promise<Outcome> => {
  const outcome = await generator({ kind: 'run', key, plan });
  if (outcome === null) throw new Error('A run came to nothing');
  return outcome;
};

/** `user` makes the measured one's requests and `others` the crowd's, so that neither waits for the other. */
export const guarded = async (system: System, user: Generator, others: Generator): Promise<Guarded> => {
  const { address, name } = system;
  const all = Map.groupBy(await seedPackages(system, USUAL), ({ org }) => org);
  const [mine, theirs] = [...all.values()];
  const first: PackageSeed | undefined = mine?.[0];
  if (mine === undefined || theirs === undefined || first === undefined) throw new Error('There are no packages');
  await user({ kind: 'load', key: name, address, work: { name: 'w1', seed: mine } });
  for (const crowd of CROWDS)
    await others({ kind: 'load', key: `${name} ${crowd}`, address, work: { name: crowd, seed: theirs } });
  return {
    system,
    token: first.token,
    work: async (seconds) => {
      await sleep(SETTLE_MS);
      return (await ran(user, name, { ...QUIET, seconds })).latencies;
    },
    crowd: (what, seconds) =>
      ran(others, `${name} ${what}`, { connections: CROWDED, seconds: seconds + 2 * (SETTLE_MS / 1_000) }),
  };
};
