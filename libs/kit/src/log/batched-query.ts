import { wait } from '../base/wait.ts';
import type { Requester } from '../rpc/requester.ts';
import { queryReach } from './query-source.ts';
import { MAX_QUERIED_TRANSACTIONS, type Reach } from './source-messages.ts';

/** Pause before the next query: a source without a leader gets one within about a second. */
const RETRY_MS = 100;
/** Timeout of one query: the leader may have ended, and another one is queried then. */
const QUERY_TIMEOUT_MS = 500;

interface Waiter {
  until: number;
  resolve: (reach: Reach[string] | undefined) => void;
}

const never = new AbortController().signal;

/** Sends one query at a time to a source. Transactions that are added meanwhile go with the next one. */
class QueryBatcher {
  readonly #waiters = new Map<string, Waiter[]>();
  readonly #query: (tx_ids: readonly string[], patience_ms: number) => Promise<Reach>;
  #isQuerying = false;

  constructor(query: (tx_ids: readonly string[], patience_ms: number) => Promise<Reach>) {
    this.#query = query;
  }

  add(tx_id: string, waiter: Waiter): void {
    this.#waiters.set(tx_id, [...(this.#waiters.get(tx_id) ?? []), waiter]);
    if (this.#isQuerying) return;
    this.#isQuerying = true;
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    while (this.#waiters.size > 0) {
      const tx_ids = [...this.#waiters.keys()].slice(0, MAX_QUERIED_TRANSACTIONS);
      const reach = await this.#query(tx_ids, this.#patience()).catch(() => undefined);
      if (reach !== undefined) for (const tx_id of tx_ids) this.#answer(tx_id, reach[tx_id]);
      this.#resolveOverdue();
      if (reach === undefined && this.#waiters.size > 0) await wait(RETRY_MS, never);
    }
    this.#isQuerying = false;
  }

  #patience(): number {
    const first = Math.min(...[...this.#waiters.values()].flat().map(({ until }) => until));
    return Math.min(QUERY_TIMEOUT_MS, Math.max(0, first - performance.now()));
  }

  #answer(tx_id: string, reach: Reach[string] | undefined): void {
    for (const { resolve } of this.#waiters.get(tx_id) ?? []) resolve(reach);
    this.#waiters.delete(tx_id);
  }

  #resolveOverdue(): void {
    const now = performance.now();
    for (const [tx_id, waiters] of this.#waiters) {
      for (const { until, resolve } of waiters) if (until <= now) resolve(undefined);
      const waiting = waiters.filter(({ until }) => until > now);
      if (waiting.length > 0) this.#waiters.set(tx_id, waiting);
      else this.#waiters.delete(tx_id);
    }
  }
}

/**
 * Queries a source for the first and last offset of a transaction, together with all other callers. Undefined if the
 * source does not know the transaction or does not answer by `until` (milliseconds of `performance.now()`).
 */
export const batchedQuery = (requester: Pick<Requester, 'request' | 'user'>) => {
  const bySource = new Map<string, QueryBatcher>();
  return (service: string, tx_id: string, until: number): Promise<Reach[string] | undefined> => {
    const batcher =
      bySource.get(service) ??
      new QueryBatcher((tx_ids, patience_ms) => queryReach(requester, service, tx_ids, patience_ms));
    bySource.set(service, batcher);
    return new Promise((resolve) => batcher.add(tx_id, { until, resolve }));
  };
};
