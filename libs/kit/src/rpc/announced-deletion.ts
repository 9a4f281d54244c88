import { p } from '../db/columns.ts';
import { Problem } from '@teaching/contracts';
import { newId } from '../base/ids.ts';
import type { StatementRunner } from '../db/connection.ts';
import { OutcomeUnknown } from '../db/database-fault.ts';
import { type Statement, statement } from '../db/statement.ts';
import { table } from '../db/table.ts';

/** How often something is used by records of one kind, e.g. `{ what: 'course', count: 3 }`. */
export interface ReferenceCount {
  what: string;
  count: number;
}

/** Refuses to delete what is used; the answer says by what (`used_by`). */
export const requireUnused = (uses: readonly ReferenceCount[]): void => {
  const used_by = uses.filter(({ count }) => count > 0);
  if (used_by.length === 0) return;
  const words = used_by.map(({ what, count }) => `${count} × ${what}`);
  throw new Problem('in_use', { detail: `Still used by ${words.join(', ')}`, members: { used_by } });
};

/** Deletions under way of things that other services may refer to; an abandoned one runs out. */
export const DELETION_MARK = table('deletion_mark', {
  org_id: p.uuid().primary(),
  /** Which deletion: the same thing may have several at once. */
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

/** The mark was gone: a second try sees whether the thing is there, and sets another one. */
export class DeletionExpired extends Problem {
  constructor() {
    super('unavailable', 'The deletion took too long');
  }
}

interface Deps {
  org_id: () => string;
  connection: StatementRunner;
  /** One statement that stands at once, on a connection of its own. */
  apart: (what: Statement, params: readonly unknown[]) => Promise<unknown>;
  aside: <T>(work: () => Promise<T>) => Promise<T>;
}

interface Announced<T> {
  /** Finds it, and refuses what is certain without asking: that it is not the caller's, not as the caller knows it. */
  first: () => Promise<T>;
  /** Asks those who may refer to it. */
  ask: (it: T) => Promise<ReferenceCount[]>;
}

/** The deletion of one thing that other services may refer to (ADR 10). */
export class AnnouncedDeletion {
  readonly #deps: Deps;
  #attempt: string | undefined;
  #refusal: Problem | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * In `prepare`: from now on nobody is told that the thing is there, until the transaction deleted it or the call
   * failed. `ask` then asks those who may refer to it, and answers who does. What `first` refuses asks nobody; since the
   * call may have been done already under its key, the handler says so again, or else `confirm`.
   */
  async announce<T>(id: string, { first, ask }: Announced<T>): Promise<ReferenceCount[]> {
    let found: T;
    try {
      found = await first();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.#refusal = error;
      return [];
    }
    this.#attempt = newId();
    try {
      await this.#deps.apart(MARK, [this.#deps.org_id(), this.#attempt, id]);
      return await this.#deps.aside(() => ask(found));
    } catch (error) {
      // Whether it was marked, or asked, is open, and of no consequence: nothing was deleted.
      if (error instanceof OutcomeUnknown) throw new Problem('unavailable');
      const isUnknown = error instanceof Problem && error.code === 'outcome_unknown';
      throw isUnknown ? new Problem('unavailable', 'A service that may use it did not answer') : error;
    }
  }

  /** Before the commit, by what performs the call: what took too long to be believed deletes nothing. */
  async confirm(): Promise<void> {
    if (this.#refusal !== undefined) throw this.#refusal;
    if (this.#attempt === undefined) return;
    const found = await this.#deps.connection.query(UNMARK, [this.#deps.org_id(), this.#attempt]);
    if (found.length === 0) throw new DeletionExpired();
  }

  /** The call failed: the thing stays. If this fails, too, the mark runs out. */
  async takeBack(): Promise<void> {
    if (this.#attempt === undefined) return;
    await this.#deps.apart(UNMARK, [this.#deps.org_id(), this.#attempt]).catch(() => {});
  }
}
