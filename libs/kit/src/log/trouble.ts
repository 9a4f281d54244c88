import type { Logger } from 'pino';
import { databaseFault } from '../db/connection.ts';

/**
 * Three kinds of trouble. `environment`: connection, rights, missing tables, room; nothing can be done but wait,
 * and no event is to blame. `slow`: a statement ran into its limit. `event`: the data cannot be applied.
 */
export type Trouble = 'environment' | 'slow' | 'event';

/**
 * By SQLSTATE class: connection (08), authorization (28), transaction state and lost races (25, 40), resources
 * (53), operator (57), system (58), internal (XX); missing tables, columns, schemas and rights (42xxx); a lock
 * that somebody else holds (55P03).
 */
const ENVIRONMENT = /^(08|25|28|3D|3F|40|53|57|58|XX|42501|42P01|42703|42883|42P0[25]|42704|55P03|55006)/;
const CANCELLED = '57014';
const UNREACHABLE =
  /ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|terminated|timeout exceeded|not queryable|rolled back by/i;

export const troubleOf = (error: unknown): Trouble => {
  const code = databaseFault(error)?.code;
  if (code === CANCELLED) return 'slow';
  if (code !== undefined) return ENVIRONMENT.test(code) ? 'environment' : 'event';
  return error instanceof Error && UNREACHABLE.test(error.message) ? 'environment' : 'event';
};

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
