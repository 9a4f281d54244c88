import { withStatementSpan } from '../telemetry/trace.ts';
import type { StatementRunner } from './connection.ts';
import type { PendingStatement, SharedReads } from './shared-reads.ts';
import type { Statement } from './statement.ts';

/** The reads of one call, without a transaction and without a connection of their own. */
export class Reader implements StatementRunner {
  readonly #reads: SharedReads;
  #org_id: string;
  readonly #deadline: number;
  /** It holds no connection, so a peer service can be called at any time. */
  readonly isOpen = false;

  /** `deadline`: milliseconds of `performance.now()` after which the caller no longer waits. */
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

  /** Runs several statements in one snapshot. */
  protected querySnapshot(asked: readonly PendingStatement[]): Promise<unknown[][]> {
    return this.#reads.querySnapshot(this.#org_id, asked, this.#deadline);
  }

  run(what: Statement): void {
    throw new Error(`a read cannot write: ${what.text}`);
  }

  async commit(): Promise<void> {}
  async abandon(): Promise<void> {}
}

/**
 * The reads of one call, all in one snapshot: statements of one turn of the event loop share it. A later statement
 * would see another snapshot and is an error, so a handler sends all its statements at once.
 */
export class SnapshotReader extends Reader {
  readonly #asked: PendingStatement[] = [];
  #rows: Promise<unknown[][]> | undefined;
  #isSent = false;

  override query<R>(what: Statement<R>, params: readonly unknown[]): Promise<R[]> {
    if (this.#isSent) return Promise.reject(new Error(`the snapshot was already read: ${what.text}`));
    const index = this.#asked.push([what, params]) - 1;
    const rows = (this.#rows ??= this.#send());
    return withStatementSpan(what.text, async () => (await rows)[index] as R[]);
  }

  async #send(): Promise<unknown[][]> {
    await new Promise<void>((resolve) => {
      process.nextTick(resolve);
    });
    this.#isSent = true;
    return this.querySnapshot(this.#asked);
  }
}
