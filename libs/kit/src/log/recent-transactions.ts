import type { EntryRow } from './log-entry.ts';
import type { Reach } from './source-messages.ts';
import { orderOf } from './offset.ts';

const MAX_TRANSACTIONS = 50_000;

/** The offsets of transactions that this process numbered recently: most queries are about these. */
export class RecentTransactions {
  readonly #byTx = new Map<string, { first: number; last: number }>();

  add(rows: readonly EntryRow[]): void {
    for (const row of rows) {
      if (row.log !== 'domain') continue;
      const order = orderOf(row);
      const known = this.#byTx.get(row.tx_id);
      this.#byTx.set(row.tx_id, { first: Math.min(known?.first ?? order, order), last: order });
    }
    for (const oldest of this.#byTx.keys()) {
      if (this.#byTx.size <= MAX_TRANSACTIONS) break;
      this.#byTx.delete(oldest);
    }
  }

  find(tx_ids: readonly string[]): { found: Reach; missing: string[] } {
    const found: Reach = {};
    const missing: string[] = [];
    for (const tx_id of tx_ids) {
      const reach = this.#byTx.get(tx_id);
      if (reach === undefined) missing.push(tx_id);
      else found[tx_id] = reach;
    }
    return { found, missing };
  }
}
