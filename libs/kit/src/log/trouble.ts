import type { Logger } from 'pino';
import { type FaultKind, faultOf } from '../db/fault.ts';

/**
 * Three kinds of trouble. `environment`: connection, rights, missing tables, room, locks, lost races; nothing can be
 * done but wait, and no event is to blame. `slow`: a statement ran into its limit. `event`: the data cannot be applied.
 */
export type Trouble = 'environment' | 'slow' | 'event';

const TROUBLES: Record<FaultKind, Trouble> = {
  lost: 'environment',
  busy: 'environment',
  race: 'environment',
  setup: 'environment',
  slow: 'slow',
  value: 'event',
  other: 'event',
};
/** A statement had failed before, and whoever sent it went on all the same. */
const ROLLED_BACK = /rolled back by/;

export const troubleOf = (error: unknown): Trouble =>
  error instanceof Error && ROLLED_BACK.test(error.message) ? 'environment' : TROUBLES[faultOf(error)];

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const AGAIN_MS = 30_000;

/** Says what stands in the way once, again at intervals while it lasts, and once when it is over. */
export class TroubleTeller {
  #reason: string | undefined;
  #said = 0;
  readonly #log: Logger;
  readonly #what: string;

  constructor(log: Logger, what: string) {
    this.#log = log;
    this.#what = what;
  }

  get reason(): string | undefined {
    return this.#reason;
  }

  tell(error: unknown): void {
    const reason = reasonOf(error);
    const now = Date.now();
    if (this.#reason === reason && now - this.#said < AGAIN_MS) return;
    this.#reason = reason;
    this.#said = now;
    this.#log.warn({ err: error }, `${this.#what}: ${reason}`);
  }

  over(): void {
    if (this.#reason === undefined) return;
    this.#reason = undefined;
    this.#log.info(`${this.#what}: it goes on`);
  }
}
