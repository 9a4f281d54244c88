import { ApiError, NoAnswerError } from './api-error.ts';

/** How requests with temporary errors are repeated. */
export interface RepeatOptions {
  /** Maximum number of attempts. */
  tries: number;
  /** Milliseconds from the start of the first attempt in which another attempt may start. */
  total_ms: number;
  /** Maximum milliseconds of one attempt; longer than the gateway takes to answer 504. */
  try_ms: number;
  /** Milliseconds before the second attempt. Each further pause doubles and is shortened by a random part. */
  pause_ms: number;
  /** Maximum milliseconds of a pause, without `Retry-After`. */
  longest_pause_ms: number;
}

export const RETRY_DEFAULTS: RepeatOptions = {
  tries: 8,
  total_ms: 30_000,
  try_ms: 15_000,
  pause_ms: 100,
  longest_pause_ms: 5_000,
};

/** Statuses of temporary errors: too many requests, or a server that is unavailable, overloaded or too slow. */
const TEMPORARY = new Set([429, 502, 503, 504]);

/**
 * Whether the error is temporary, so that the same request may succeed later. Repeating is safe: reads change nothing,
 * and a write has an `Idempotency-Key`.
 */
export const isTransient = (error: unknown): boolean =>
  error instanceof NoAnswerError ||
  (error instanceof ApiError && (TEMPORARY.has(error.status) || error.code === 'idempotency_in_flight'));

/**
 * Milliseconds to wait after `tries` attempts: `Retry-After` plus a random part, so that clients do not retry together.
 */
export const pauseAfter = (error: unknown, tries: number, options: RepeatOptions, chance = Math.random()): number => {
  const required = error instanceof ApiError ? (error.retry_after_ms ?? 0) : 0;
  const own = Math.min(options.longest_pause_ms, options.pause_ms * 2 ** (tries - 1));
  return required + own * (0.5 + chance / 2);
};

/** Waits `ms` milliseconds. Rejects with the reason of the signal if it is aborted. */
export const wait = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      if (signal?.aborted === true) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
    if (signal?.aborted === true) done();
  });

/**
 * Performs `attempt` until it succeeds, has a permanent error, or exceeds the limits. Then it throws the last error.
 */
export const withRetries = async <T>(
  options: RepeatOptions,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
): Promise<T> => {
  const until = Date.now() + options.total_ms;
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isTransient(error) || tries >= options.tries) throw error;
      const pause = pauseAfter(error, tries, options);
      if (Date.now() + pause > until) throw error;
      await wait(pause, signal);
    }
  }
};
