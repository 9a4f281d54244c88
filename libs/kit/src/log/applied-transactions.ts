import type { ReceivedEvent } from './received-event.ts';

const MAX_TRANSACTIONS = 50_000;

/**
 * Counts the events of each transaction that this process applied recently: most consistency tokens are about these.
 */
export class AppliedTransactions {
  readonly #byTx = new Map<string, number>();

  add(events: readonly ReceivedEvent[]): void {
    for (const { txid } of events) this.#byTx.set(txid, (this.#byTx.get(txid) ?? 0) + 1);
    for (const oldest of this.#byTx.keys()) {
      if (this.#byTx.size <= MAX_TRANSACTIONS) break;
      this.#byTx.delete(oldest);
    }
  }

  count(tx_id: string): number {
    return this.#byTx.get(tx_id) ?? 0;
  }
}
