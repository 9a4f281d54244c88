import { Problem } from '@teaching/contracts';
import { newId } from '../base/ids.ts';
import type { Work } from '../db/connection.ts';
import { type Statement, statement } from '../db/statement.ts';
import { DELETION_MARK } from './deletion-mark.table.ts';
import { Overtaken } from './references.ts';

const MARK = statement('insert into deletion_mark (org_id, attempt, id, since) values ($1, $2, $3, clock_timestamp())');
const MARKED = DELETION_MARK.some('attempt');
const UNMARK = statement(
  `delete from deletion_mark where org_id = $1 and attempt = $2 returning ${MARKED.columns}`,
  MARKED.shape,
);

interface Deps {
  org_id: () => string;
  connection: Work;
  /** One statement that stands at once, on a connection of its own. */
  apart: (what: Statement, params: readonly unknown[]) => Promise<unknown>;
  aside: <T>(work: () => Promise<T>) => Promise<T>;
}

/** The deletion of one thing that other services may refer to (ADR 10). */
export class Deletion {
  readonly #deps: Deps;
  #attempt: string | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * In `prepare`: from now on nobody is told that the thing is there, until the transaction deleted it or the call
   * failed. `ask` then asks those who may refer to it.
   */
  async announce<T>(id: string, ask: () => Promise<T>): Promise<T> {
    this.#attempt = newId();
    await this.#deps.apart(MARK, [this.#deps.org_id(), this.#attempt, id]);
    try {
      return await this.#deps.aside(ask);
    } catch (error) {
      // Whether it was asked is open, and of no consequence: nothing was deleted.
      const isUnknown = error instanceof Problem && error.code === 'outcome_unknown';
      throw isUnknown ? new Problem('unavailable', 'A service that may use it did not answer') : error;
    }
  }

  /** Before the commit, by what performs the call: what took too long to be believed deletes nothing. */
  async confirm(): Promise<void> {
    if (this.#attempt === undefined) return;
    const found = await this.#deps.connection.query(UNMARK, [this.#deps.org_id(), this.#attempt]);
    if (found.length === 0) throw new Overtaken();
  }

  /** The call failed: the thing stays. If this fails, too, the mark runs out. */
  async takeBack(): Promise<void> {
    if (this.#attempt === undefined) return;
    await this.#deps.apart(UNMARK, [this.#deps.org_id(), this.#attempt]).catch(() => {});
  }
}
