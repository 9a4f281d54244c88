import { readFileSync } from 'node:fs';
import { fieldsOfStat } from './proc-stat.ts';

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** Linux: state and start time of a process, the third and the twenty-second field of its `stat`. */
const linuxIdentity = (pid: number): string | undefined => {
  try {
    const field = fieldsOfStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    const isDead = field(3) === 'Z' || field(3) === 'X';
    return isDead ? undefined : `${pid}@${field(22)}`;
  } catch {
    return undefined;
  }
};

/**
 * Names a running process; undefined if there is none. Process ids are reused, often at once in a container that restarts, so the name
 * contains the start time where the system provides it.
 */
export const identityOf = (pid: number): string | undefined => {
  if (process.platform === 'linux') return linuxIdentity(pid);
  return exists(pid) ? String(pid) : undefined;
};
