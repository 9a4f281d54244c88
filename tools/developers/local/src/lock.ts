import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf } from './process-identity.ts';

export class AlreadyRunning extends Error {
  readonly pid: number;
  constructor(dataDir: string, pid: number) {
    super(`The system already runs on ${dataDir} (process ${pid}).`);
    this.pid = pid;
  }
}

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

/** A hard link is made whole or not at all, and never over another. */
const claim = (path: string, identity: string): boolean => {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, identity);
  try {
    linkSync(own, path);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(own, { force: true });
  }
};

/** Removes the lock of a dead holder, unless another process was faster. */
const clearStale = (path: string, judged: string): void => {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
    if (read(aside) !== judged) linkSync(aside, path);
  } catch {
    // Already removed or taken again: the next attempt decides.
  }
  rmSync(aside, { force: true });
};

/**
 * Makes this process the only one that runs on a data folder; answers how to give it back. The lock
 * of a killed run is taken over. Throws `AlreadyRunning` when its holder lives.
 */
export const lockFolder = (dataDir: string): (() => void) => {
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, 'lock');
  const identity = identityOf(process.pid) ?? String(process.pid);
  for (let attempt = 0; attempt < 20; attempt++) {
    if (claim(path, identity)) return () => rmSync(path, { force: true });
    const holder = read(path);
    if (holder === undefined) continue;
    const pid = Number.parseInt(holder, 10);
    if (identityOf(pid) === holder) throw new AlreadyRunning(dataDir, pid);
    clearStale(path, holder);
  }
  throw new Error(`The lock ${path} could not be taken.`);
};
