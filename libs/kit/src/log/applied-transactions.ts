import type { ReceivedEvent } from './received-event.ts';

const KEPT = 50_000;

/** How many events of each transaction this process applied lately: most tokens are about these. */
export class AppliedTransactions {
  readonly #byTx = new Map<string, number>();

  add(events: readonly ReceivedEvent[]): void {
    for (const { txid } of events) this.#byTx.set(txid, (this.#byTx.get(txid) ?? 0) + 1);
    for (const oldest of this.#byTx.keys()) {
      if (this.#byTx.size <= KEPT) break;
      this.#byTx.delete(oldest);
    }
  }

  count(tx_id: string): number {
    return this.#byTx.get(tx_id) ?? 0;
  }
}
