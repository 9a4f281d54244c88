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
 * Stops the server that a killed run left working on `folder`. The caller holds the lock on the
 * data folder, so nobody else uses it. A process that got the id later is not ours and stays: its
 * command line does not name the folder.
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
