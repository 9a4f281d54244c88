import { p } from '../db/columns.ts';
import { Problem } from '@teaching/contracts';
import { newId } from '../base/ids.ts';
import type { StatementRunner } from '../db/connection.ts';
import { OutcomeUnknown } from '../db/database-fault.ts';
import { type Statement, statement } from '../db/statement.ts';
import { table } from '../db/table.ts';

/** How many records of one kind refer to something, e.g. `{ what: 'course', count: 3 }`. */
export interface ReferenceCount {
  what: string;
  count: number;
}

/**
 * Refuses to delete a record that is used, with the code `in_use`; `used_by` lists the kinds of records that use it.
 */
export const requireUnused = (uses: readonly ReferenceCount[]): void => {
  const used_by = uses.filter(({ count }) => count > 0);
  if (used_by.length === 0) return;
  const words = used_by.map(({ what, count }) => `${count} × ${what}`);
  throw new Problem('in_use', { detail: `Still used by ${words.join(', ')}`, members: { used_by } });
};

/** Running deletions of records that other services may refer to. A job removes marks of abandoned deletions. */
export const DELETION_MARK = table('deletion_mark', {
  org_id: p.uuid().primary(),
  /** Identifies the deletion: the same record may have several at once. */
  attempt: p.uuid().primary(),
  id: p.uuid(),
  since: p.text().columnType('timestamptz'),
});

const MARK = statement('insert into deletion_mark (org_id, attempt, id, since) values ($1, $2, $3, clock_timestamp())');
const MARKED = DELETION_MARK.pick('attempt');
const UNMARK = statement(
  `delete from deletion_mark where org_id = $1 and attempt = $2 returning ${MARKED.columns}`,
  MARKED.shape,
);

/** The mark was removed before the commit. A retry finds out whether the record exists, and sets another mark. */
export class DeletionExpired extends Problem {
  constructor() {
    super('unavailable', 'The deletion took too long');
  }
}

interface Deps {
  org_id: () => string;
  connection: StatementRunner;
  /** Runs and commits one statement on another connection. */
  runSeparately: (query: Statement, params: readonly unknown[]) => Promise<unknown>;
  /** Does work during which the call holds no slot (`Slot.releaseDuring`). */
  releaseDuring: <T>(work: () => Promise<T>) => Promise<T>;
}

interface DeletionSteps<T> {
  /** Finds the record. Throws refusals that need no other service: access of the caller, version, state. */
  check: () => Promise<T>;
  /** Asks the services that may refer to the record for their counts. */
  countReferences: (it: T) => Promise<ReferenceCount[]>;
}

/** The deletion of one record that other services may refer to (ADR 10). */
export class AnnouncedDeletion {
  readonly #deps: Deps;
  #attempt: string | undefined;
  #refusal: Problem | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * For `prepare`. Marks the record: until the transaction deletes it or the call fails, this service confirms to no
   * other service that the record exists. Then returns the references that `countReferences` finds. If `check`
   * refuses, no service is asked and the result is empty. The refusal is thrown later, by the handler or by `confirm`,
   * since the call may have succeeded before under its idempotency key.
   */
  async announce<T>(id: string, { check, countReferences }: DeletionSteps<T>): Promise<ReferenceCount[]> {
    let found: T;
    try {
      found = await check();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.#refusal = error;
      return [];
    }
    this.#attempt = newId();
    try {
      await this.#deps.runSeparately(MARK, [this.#deps.org_id(), this.#attempt, id]);
      return await this.#deps.releaseDuring(() => countReferences(found));
    } catch (error) {
      // Nothing was deleted, so it does not matter whether the mark was stored or the other service was asked.
      if (error instanceof OutcomeUnknown) throw new Problem('unavailable');
      const isUnknown = error instanceof Problem && error.code === 'outcome_unknown';
      throw isUnknown ? new Problem('unavailable', 'A service that may use it did not answer') : error;
    }
  }

  /** Called before the commit. Refuses a deletion whose mark was removed because it took too long. */
  async confirm(): Promise<void> {
    if (this.#refusal !== undefined) throw this.#refusal;
    if (this.#attempt === undefined) return;
    const found = await this.#deps.connection.query(UNMARK, [this.#deps.org_id(), this.#attempt]);
    if (found.length === 0) throw new DeletionExpired();
  }

  /** Removes the mark after a failed call. If this fails, too, a job removes the mark later. */
  async cancel(): Promise<void> {
    if (this.#attempt === undefined) return;
    await this.#deps.runSeparately(UNMARK, [this.#deps.org_id(), this.#attempt]).catch(() => {});
  }
}
