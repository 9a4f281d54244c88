import { spannedSql } from '../telemetry/trace.ts';
import type { Work } from './connection.ts';
import type { Asked, SharedReads } from './shared-reads.ts';
import type { Statement } from './statement.ts';

/** The reads of one call: no transaction, no connection of its own. */
export class Reader implements Work {
  readonly #reads: SharedReads;
  #org_id: string;
  readonly #deadline: number;
  /** Holds nothing, so a neighbour may be asked at any time. */
  readonly isOpen = false;

  /** `deadline`: epoch milliseconds after which nobody waits any more. */
  constructor(reads: SharedReads, org_id: string, deadline = Infinity) {
    this.#reads = reads;
    this.#org_id = org_id;
    this.#deadline = deadline;
  }

  bind(org_id: string): void {
    this.#org_id = org_id;
  }

  async query<R>(what: Statement<R>, params: readonly unknown[]): Promise<R[]> {
    const send = () => this.#reads.query<R & Record<string, unknown>>(this.#org_id, what, params, this.#deadline);
    return (await spannedSql(what.text, send)).rows;
  }

  /** Several at once, of one moment. */
  protected together(asked: readonly Asked[]): Promise<unknown[][]> {
    return this.#reads.together(this.#org_id, asked, this.#deadline);
  }

  run(what: Statement): void {
    throw new Error(`a read does not write: ${what.text}`);
  }

  async commit(): Promise<void> {}
  async abandon(): Promise<void> {}
}
