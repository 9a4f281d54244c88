import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

export const hasExited = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Resolves with `true` when the process has ended, `false` if it still runs after `ms`. */
export const exitedWithin = async (child: ChildProcess, ms: number): Promise<boolean> => {
  if (hasExited(child)) return true;
  const timer = new AbortController();
  const exit = new Promise<boolean>((resolve) => child.once('exit', () => resolve(true)));
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => true);
  const gone = await Promise.race([exit, late]);
  timer.abort();
  return gone;
};

/** Sends one signal after the other until the process has ended, each with its own timeout. */
export const stopChild = async (
  child: ChildProcess,
  ladder: readonly (readonly [NodeJS.Signals, number])[],
): Promise<void> => {
  for (const [signal, patience] of ladder) {
    if (hasExited(child)) return;
    child.kill(signal);
    if (await exitedWithin(child, patience)) return;
  }
};

/** Polls until `done` holds; false when `ms` went by first. */
export const until = async (done: () => boolean, ms: number, step = 10): Promise<boolean> => {
  const deadline = Date.now() + ms;
  while (!done()) {
    if (Date.now() > deadline) return false;
    await sleep(step);
  }
  return true;
};
