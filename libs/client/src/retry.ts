import { ApiError, NoAnswerError } from './api-error.ts';

/** How a call is repeated that may do better the next time. */
export interface RepeatOptions {
  /** Tries altogether. */
  tries: number;
  /** From the beginning of the first try until the last one may begin. */
  total_ms: number;
  /** How long one try may take; longer than the gateway takes to answer 504. */
  try_ms: number;
  /** Before the second try; each further pause is twice as long, and some shorter, by chance. */
  pause_ms: number;
  longest_pause_ms: number;
}

export const RETRY_DEFAULTS: RepeatOptions = {
  tries: 8,
  total_ms: 30_000,
  try_ms: 15_000,
  pause_ms: 100,
  longest_pause_ms: 5_000,
};

/** Too many requests; and what proxies and gateways say while something is away, overloaded or too slow. */
const PASSING = new Set([429, 502, 503, 504]);

/**
 * Whether the same request may fare better a little later. It does no harm to send it again: reads change
 * nothing, and a write has its Idempotency-Key.
 */
export const isTransient = (error: unknown): boolean =>
  error instanceof NoAnswerError ||
  (error instanceof ApiError && (PASSING.has(error.status) || error.code === 'idempotency_in_flight'));

/** The pause after so many tries: as long as the answer asks, and a part that spreads those who were told the same. */
export const pauseAfter = (error: unknown, tries: number, options: RepeatOptions, chance = Math.random()): number => {
  const asked = error instanceof ApiError ? (error.retry_after_ms ?? 0) : 0;
  const own = Math.min(options.longest_pause_ms, options.pause_ms * 2 ** (tries - 1));
  return asked + own * (0.5 + chance / 2);
};

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

/** Performs `attempt` until it succeeds, fails for good, or was tried often or long enough; then its error is thrown. */
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
