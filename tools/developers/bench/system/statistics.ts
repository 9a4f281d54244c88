import { identityOf } from '@teaching/local/process-identity.ts';
import { currentTree } from '../measure/cpu.ts';
import { commandOf } from './command.ts';
import type { System } from './system.ts';

const MAIN = /[/\\]services[/\\]stats[/\\]src[/\\]main\.ts$/;

/** The process of the statistics service. */
export interface Statistics {
  freeze: () => void;
  thaw: () => void;
  /** Throws when it is no longer the same process. */
  requireSame: () => void;
}

const signal = (pid: number, name: 'SIGSTOP' | 'SIGCONT'): void => void process.kill(pid, name);

export const findStatistics = ({ name, roots }: System): Statistics => {
  const pids = currentTree(roots())
    .map(({ pid }) => pid)
    .filter((pid) => commandOf(pid).some((word) => MAIN.test(word)));
  const [pid, ...more] = pids;
  if (pid === undefined || more.length > 0) throw new Error(`${name} has ${pids.length} processes of statistics`);
  const identity = identityOf(pid);
  return {
    freeze: () => signal(pid, 'SIGSTOP'),
    thaw: () => signal(pid, 'SIGCONT'),
    requireSame: () => {
      if (identityOf(pid) !== identity) throw new Error(`The statistics of ${name} ended while they were measured`);
    },
  };
};
