import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fieldsOfStat } from './proc-stat.ts';

/** `chrt` of util-linux or busybox. The policy SCHED_BATCH needs no permission. */
const BATCH = ['-b', '0'];
let found: boolean | undefined;

const hasBatch = (): boolean =>
  (found ??= process.platform === 'linux' && spawnSync('chrt', [...BATCH, 'true'], { stdio: 'ignore' }).status === 0);

/**
 * The command that runs a program without taking the core from the process that wakes it, on systems that support this. By
 * default, a statement wakes Postgres, and Linux runs it at once in place of the sender, although the sender has more to do and another
 * core may be idle. The process id is that of the program.
 */
export const withBatchScheduling = (program: string, args: readonly string[]): { command: string; args: string[] } =>
  hasBatch() ? { command: 'chrt', args: [...BATCH, program, ...args] } : { command: program, args: [...args] };

const SCHED_BATCH = '3';
const POLICY = 41;

/** Whether a process runs like this. */
export const hasBatchScheduling = (pid: number): boolean =>
  process.platform === 'linux' && fieldsOfStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))(POLICY) === SCHED_BATCH;
