import { readFileSync } from 'node:fs';

/** How a process was started; nothing when it is gone. A database's process tells here what it is doing. */
export const commandOf = (pid: number): string[] => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
  } catch {
    return [];
  }
};
