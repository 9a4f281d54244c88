import type { Logger } from 'pino';
import { redactedMessage } from './redact-values.ts';

/** What went wrong, in words; several addresses of one host may each have failed in their own way. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? redactedMessage(error) : String(error);
};

const AGAIN_MS = 30_000;
/** Reasons that differ in a detail each time are not all remembered. */
const REMEMBERED = 20;

/** Says what stands in the way: each reason at once, again at intervals while it lasts, and once when it is over. */
export class FailureLog {
  #reason: string | undefined;
  readonly #said = new Map<string, number>();
  readonly #log: Logger;
  readonly #what: string;
  readonly #again_ms: number;

  constructor(log: Logger, what: string, again_ms = AGAIN_MS) {
    this.#log = log;
    this.#what = what;
    this.#again_ms = again_ms;
  }

  get reason(): string | undefined {
    return this.#reason;
  }

  tell(error: unknown): void {
    const reason = reasonOf(error);
    const now = Date.now();
    this.#reason = reason;
    if (now - (this.#said.get(reason) ?? -Infinity) < this.#again_ms) return;
    if (this.#said.size >= REMEMBERED) this.#said.clear();
    this.#said.set(reason, now);
    this.#log.warn(error instanceof Error ? { err: error } : {}, `${this.#what}: ${reason}`);
  }

  over(): void {
    if (this.#reason === undefined) return;
    this.#reason = undefined;
    this.#said.clear();
    this.#log.info(`${this.#what}: it goes on`);
  }
}
