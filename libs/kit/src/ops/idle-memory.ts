import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_MS = 5_000;
/** Of the time between two looks, this part at most was spent on the event loop. */
const QUIET = 0.1;

/** `gc` as `--expose-gc` shows it, without the flag: a process may be started in many ways. */
const exposedGc = (): ((options: { type: 'minor' }) => void) => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
};

/**
 * Has V8 give back what it needed for the start, once the process stands still. V8 does so by itself (its "memory
 * reducer") when it finds that little is allocated, but it measures that only when it collects, and a process that does little does
 * not collect for many minutes. So new objects are collected once, when the start is over. After each busy time it would cost W2 a tenth
 * of its rate: V8 then shrinks its heap between bursts and collects the more often in them.
 */
export const releaseMemoryAfterStart = (): void => {
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > QUIET) return;
    clearInterval(timer);
    exposedGc()({ type: 'minor' });
  }, LOOK_MS).unref();
};
