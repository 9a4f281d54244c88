import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fieldsOfStat } from '@teaching/local/proc-stat.ts';

/** All processes with their parents. */
const allProcesses = (): [pid: number, parent: number][] => {
  if (!existsSync('/proc/self/stat')) {
    const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    return text
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .map(([pid = 0, parent = 0]) => [pid, parent]);
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [[Number(name), Number(fieldsOfStat(readFileSync(`/proc/${name}/stat`, 'utf8'))(4))]];
      } catch {
        return []; // The process has ended.
      }
    });
};

/** A process and all its descendants, parents first. */
export const familyOf = (pid: number): number[] => {
  const all = allProcesses();
  const family = [pid];
  for (const member of family) family.push(...all.filter(([, parent]) => parent === member).map(([child]) => child));
  return family;
};

/** Sends a signal. A process that has ended is ignored. */
export const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
};

/** Signals a server of several processes, parents first, because a frozen parent starts no more children. */
export const signalFamily = (pid: number, name: NodeJS.Signals): void => {
  if (name === 'SIGCONT') for (const member of familyOf(pid).toReversed()) signal(member, name);
  else for (const member of familyOf(pid)) signal(member, name);
  // Children that were started while the list was made.
  if (name === 'SIGSTOP') for (const member of familyOf(pid)) signal(member, name);
};
