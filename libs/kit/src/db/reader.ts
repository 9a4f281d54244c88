import { withStatementSpan } from '../telemetry/trace.ts';
import type { StatementRunner } from './connection.ts';
import type { PendingStatement, SharedReads } from './shared-reads.ts';
import type { Statement } from './statement.ts';

/** The reads of one call: no transaction, no connection of its own. */
export class Reader implements StatementRunner {
  readonly #reads: SharedReads;
  #org_id: string;
  readonly #deadline: number;
  /** Holds nothing, so a peer service may be asked at any time. */
  readonly isOpen = false;

  /** `deadline`: epoch milliseconds after which no caller waits any more. */
  constructor(reads: SharedReads, org_id: string, deadline = Infinity) {
    this.#reads = reads;
    this.#org_id = org_id;
    this.#deadline = deadline;
  }

  bind(org_id: string): void {
    this.#org_id = org_id;
  }

  async query<R>(what: Statement<R>, params: readonly unknown[]): Promise<R[]> {
    return withStatementSpan(what.text, () =>
      this.#reads.query<R & Record<string, unknown>>(this.#org_id, what, params, this.#deadline),
    );
  }

  /** Several at once, of one moment. */
  protected together(asked: readonly PendingStatement[]): Promise<unknown[][]> {
    return this.#reads.together(this.#org_id, asked, this.#deadline);
  }

  run(what: Statement): void {
    throw new Error(`a read does not write: ${what.text}`);
  }

  async commit(): Promise<void> {}
  async abandon(): Promise<void> {}
}

/**
 * The reads of one call, all of one moment: statements sent in one turn of the event loop share a snapshot. What is sent
 * later would see another moment and is an error: all that an answer needs is asked for at once.
 */
export class SnapshotReader extends Reader {
  readonly #asked: PendingStatement[] = [];
  #rows: Promise<unknown[][]> | undefined;
  #isSent = false;

  override query<R>(what: Statement<R>, params: readonly unknown[]): Promise<R[]> {
    if (this.#isSent) return Promise.reject(new Error(`not of the moment that was read before: ${what.text}`));
    const index = this.#asked.push([what, params]) - 1;
    const rows = (this.#rows ??= this.#send());
    return withStatementSpan(what.text, async () => (await rows)[index] as R[]);
  }

  async #send(): Promise<unknown[][]> {
    await new Promise<void>((resolve) => {
      process.nextTick(resolve);
    });
    this.#isSent = true;
    return this.together(this.#asked);
  }
}
