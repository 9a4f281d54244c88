import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { until } from './child.ts';
import { identityOf } from './process-identity.ts';

const commandOf = (pid: number): string => {
  try {
    return existsSync('/proc/self/cmdline')
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      : execFileSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' });
  } catch {
    return '';
  }
};

/**
 * Stops a server that a killed run left running on `folder`. The caller holds the lock on the data folder, so no other process uses it.
 * A process that reused the id is left alone: its command line does not contain the folder.
 */
export const stopLeftover = async (pid: number, folder: string, signals: readonly NodeJS.Signals[]): Promise<void> => {
  const runs = () => pid > 1 && identityOf(pid) !== undefined && commandOf(pid).includes(folder);
  for (const signal of signals) {
    if (!runs()) return;
    process.kill(pid, signal);
    if (await until(() => !runs(), 10_000, 20)) return;
  }
  if (runs()) throw new Error(`Process ${pid} of an earlier run does not stop. End it, then start again.`);
};
