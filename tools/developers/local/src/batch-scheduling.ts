import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fieldsOfStat } from './proc-stat.ts';

/** `chrt` of util-linux or busybox: the policy is SCHED_BATCH, for which nobody needs a right. */
const BATCH = ['-b', '0'];
let found: boolean | undefined;

const hasBatch = (): boolean =>
  (found ??= process.platform === 'linux' && spawnSync('chrt', [...BATCH, 'true'], { stdio: 'ignore' }).status === 0);

/**
 * How to run a program so that it does not take the core from whoever wakes it, where the system knows of that. A statement that is
 * sent wakes Postgres, which Linux would let go on at once in place of the sender, though that one has more to do and another core
 * may be free. What is started is the program itself, under the same process id.
 */
export const withBatchScheduling = (program: string, args: readonly string[]): { command: string; args: string[] } =>
  hasBatch() ? { command: 'chrt', args: [...BATCH, program, ...args] } : { command: program, args: [...args] };

const SCHED_BATCH = '3';
const POLICY = 41;

/** Whether a process runs like this. */
export const hasBatchScheduling = (pid: number): boolean =>
  process.platform === 'linux' && fieldsOfStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))(POLICY) === SCHED_BATCH;
