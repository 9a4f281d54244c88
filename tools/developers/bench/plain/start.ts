import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { stopChild } from '@teaching/local/child.ts';
import type { Undo } from '@teaching/local/runner.ts';
import type { Recorded } from '../load/work.ts';
import type { System } from '../system/system.ts';

export interface Plain {
  address: string;
  pid: number;
  /** From then on it answers these requests, too. */
  learn: (requests: readonly Recorded[]) => Promise<void>;
}

/** Starts the plain server on a system's Postgres. */
export const startPlain = async ({ adminUrl }: System, undo: Undo): Promise<Plain> => {
  const env = { ...process.env, NODE_ENV: 'production', DATABASE_URL: adminUrl };
  const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)), { env, serialization: 'advanced' });
  undo(() => stopChild(child, [['SIGKILL', 1_000]]));
  const [address] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (typeof address !== 'string') throw new Error('The plain server did not start');
  return {
    address,
    pid: child.pid ?? 0,
    learn: async (requests) => {
      const learned = once(child, 'message');
      child.send(requests);
      await learned;
    },
  };
};
