import { setTimeout as pause } from 'node:timers/promises';

/**
 * How long brokers may need, in milliseconds: until their streams are ready after a start, until all of them have a
 * restored stream, and until they forget a restore that was not completed.
 */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 500;

/** Repeats the work until it succeeds. After a minute it throws the last error. */
export const withRetries = async <T>(work: () => Promise<T>): Promise<T> => {
  for (const end = performance.now() + PATIENCE_MS; ; await pause(PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
};
