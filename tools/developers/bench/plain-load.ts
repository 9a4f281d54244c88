import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { stopChild } from '@teaching/local/child.ts';
import type { Undo } from '@teaching/local/runner.ts';
import type { Data } from './bench-data.ts';
import { runLoad } from './load.ts';
import { type Load, listItems, type Scenario, searchPackages, syncItems } from './scenarios.ts';
import type { System } from './system.ts';

/** The scenarios of the plain server. */
export const PLAIN: readonly Scenario[] = ['w1', 'w2', 'w3'];

export interface Plain {
  address: string;
  pid: number;
}

/** Starts the plain server on a system's Postgres. */
export const startPlain = async (system: System, undo: Undo): Promise<Plain> => {
  const env = { ...process.env, NODE_ENV: 'production', DATABASE_URL: system.adminUrl() };
  const child = fork(fileURLToPath(new URL('plain-server.ts', import.meta.url)), { env });
  undo(() => stopChild(child, [['SIGKILL', 1_000]]));
  const [address] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (typeof address !== 'string') throw new Error('The plain server did not start');
  return { address, pid: child.pid ?? 0 };
};

/** The same scenario at the plain server, which takes the organization's id instead of a token. */
export const plainLoad = async (name: Scenario, { address }: Plain, data: Data): Promise<Load> => {
  const packages = (await data.packages(1)).map((one) => ({ ...one, token: one.org }));
  if (name === 'w2') {
    const { begin, next } = syncItems(packages);
    return { prepare: async () => begin(), run: (plan) => runLoad(address, next, plan) };
  }
  const next = name === 'w1' ? listItems(packages) : searchPackages(packages);
  return { run: (plan) => runLoad(address, next, plan) };
};
