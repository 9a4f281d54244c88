import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const CHECK_MS = 5_000;
/** The process is idle if at most this share of the time between two checks was spent on the event loop. */
const IDLE_SHARE = 0.1;

/** The function `gc` of `--expose-gc`, without the flag: a process may be started in many ways. */
const exposedGc = (): ((options: { type: 'minor' }) => void) => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
};

/**
 * Releases the memory that the start needed, once the process is idle. V8 does so itself (its "memory reducer") when
 * little is allocated. It measures that only when it collects, and an idle process does not collect for many minutes.
 * So new objects are collected once after the start.
 *
 * Doing so after each busy period would reduce the rate of the benchmark W2 by a tenth: V8 then shrinks its heap
 * between bursts and collects more often during them.
 */
export const releaseMemoryAfterStart = (): void => {
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > IDLE_SHARE) return;
    clearInterval(timer);
    exposedGc()({ type: 'minor' });
  }, CHECK_MS).unref();
};
