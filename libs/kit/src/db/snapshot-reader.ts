import { spannedSql } from '../telemetry/trace.ts';
import type { Work } from './connection.ts';
import { Reader } from './reader.ts';
import type { Asked } from './shared-reads.ts';
import type { Statement } from './statement.ts';

/**
 * The reads of one call, all of one moment: statements sent in one turn of the event loop share a snapshot. What is sent
 * later would see another moment and is an error: whatever an answer needs is asked for at once.
 */
export class SnapshotReader extends Reader implements Work {
  readonly #asked: Asked[] = [];
  #rows: Promise<unknown[][]> | undefined;
  #isSent = false;

  override query<R>(what: Statement<R>, params: readonly unknown[]): Promise<R[]> {
    if (this.#isSent) return Promise.reject(new Error(`not of the moment that was read before: ${what.text}`));
    const index = this.#asked.push([what, params]) - 1;
    const rows = (this.#rows ??= this.#send());
    return spannedSql(what.text, async () => (await rows)[index] as R[]);
  }

  async #send(): Promise<unknown[][]> {
    await new Promise<void>((resolve) => {
      process.nextTick(resolve);
    });
    this.#isSent = true;
    return this.together(this.#asked);
  }
}
