import type { Logger } from 'pino';
import { redactedMessage } from './redact-values.ts';

/** The reason of a failure as text. Several addresses of one host may each have failed with a different reason. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? redactedMessage(error) : String(error);
};

const REPEAT_MS = 30_000;
/** Limits the memory when the reasons differ in a detail each time. */
const MAX_REASONS = 20;

/** Logs the reasons of a failure: each reason at once, again at intervals while it lasts, and once that it ended. */
export class FailureLog {
  #reason: string | undefined;
  readonly #loggedAt = new Map<string, number>();
  readonly #log: Logger;
  readonly #subject: string;
  readonly #repeat_ms: number;

  constructor(log: Logger, subject: string, repeat_ms = REPEAT_MS) {
    this.#log = log;
    this.#subject = subject;
    this.#repeat_ms = repeat_ms;
  }

  get reason(): string | undefined {
    return this.#reason;
  }

  report(error: unknown): void {
    const reason = reasonOf(error);
    const now = performance.now();
    this.#reason = reason;
    if (now - (this.#loggedAt.get(reason) ?? -Infinity) < this.#repeat_ms) return;
    if (this.#loggedAt.size >= MAX_REASONS) this.#loggedAt.clear();
    this.#loggedAt.set(reason, now);
    this.#log.warn(error instanceof Error ? { err: error } : {}, `${this.#subject}: ${reason}`);
  }

  logRecovery(): void {
    if (this.#reason === undefined) return;
    this.#reason = undefined;
    this.#loggedAt.clear();
    this.#log.info(`${this.#subject}: resolved`);
  }
}
