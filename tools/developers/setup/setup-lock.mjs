import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OWN_FOLDER, printLine } from './setup-paths.mjs';

const LOCK = join(OWN_FOLDER, 'setup.lock');
const HEARTBEAT_MS = 2_000;
/** Age at which a lock counts as abandoned, because its process ids may have been reused. */
const DEAD_AFTER_MS = 120_000;

const claim = () => {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
};

const isRunning = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** Kills a process with its children; npm runs on for a while after its parent. */
const isAbandoned = () => {
  try {
    const age = Date.now() - statSync(LOCK).mtimeMs;
    const pids = readFileSync(LOCK, 'utf8').split(' ').map(Number);
    return age > DEAD_AFTER_MS || (pids[0] > 0 && !pids.some(isRunning));
  } catch {
    return false;
  }
};

/** While the lock is held, no other set-up begins before this process has ended. */
export const turnLastsFor = (pid) => appendFileSync(LOCK, ` ${pid}`);

/** Waits until no other set-up of this checkout runs. Returns how to release the lock. */
export const takeTurn = async () => {
  mkdirSync(OWN_FOLDER, { recursive: true });
  writeFileSync(join(OWN_FOLDER, '.gitignore'), '*\n');
  for (let waited = 0; !claim(); waited++) {
    if (process.exitCode !== undefined) throw new Error('Interrupted while waiting.');
    if (isAbandoned()) rmSync(LOCK, { force: true });
    else {
      if (waited === 0) printLine('Another set-up of this checkout is running: waiting for it.');
      await sleep(200);
    }
  }
  const heartbeat = setInterval(() => utimesSync(LOCK, new Date(), new Date()), HEARTBEAT_MS);
  return () => {
    clearInterval(heartbeat);
    rmSync(LOCK, { force: true });
  };
};
