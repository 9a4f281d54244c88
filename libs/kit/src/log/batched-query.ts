import { wait } from '../base/wait.ts';
import type { Requester } from '../rpc/requester.ts';
import { queryReach } from './query-source.ts';
import { MAX_QUERIED, type Reach } from './source-messages.ts';

/** A source that nobody leads just now will be led in a moment. */
const AGAIN_MS = 100;
/** Who leads may be gone: then another one is asked. */
const ANSWER_MS = 500;

interface Asker {
  until: number;
  resolve: (reach: Reach[string] | undefined) => void;
}

const never = new AbortController().signal;

/** Asks one source one question at a time. Whatever is asked meanwhile goes along with the next. */
class Questions {
  readonly #open = new Map<string, Asker[]>();
  readonly #ask: (tx_ids: readonly string[], patience_ms: number) => Promise<Reach>;
  #isAsking = false;

  constructor(ask: (tx_ids: readonly string[], patience_ms: number) => Promise<Reach>) {
    this.#ask = ask;
  }

  add(tx_id: string, asker: Asker): void {
    this.#open.set(tx_id, [...(this.#open.get(tx_id) ?? []), asker]);
    if (this.#isAsking) return;
    this.#isAsking = true;
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    while (this.#open.size > 0) {
      const tx_ids = [...this.#open.keys()].slice(0, MAX_QUERIED);
      const reach = await this.#ask(tx_ids, this.#patience()).catch(() => undefined);
      if (reach !== undefined) for (const tx_id of tx_ids) this.#answer(tx_id, reach[tx_id]);
      this.#giveUpOverdue();
      if (reach === undefined && this.#open.size > 0) await wait(AGAIN_MS, never);
    }
    this.#isAsking = false;
  }

  #patience(): number {
    const first = Math.min(...[...this.#open.values()].flat().map(({ until }) => until));
    return Math.min(ANSWER_MS, Math.max(0, first - Date.now()));
  }

  #answer(tx_id: string, reach: Reach[string] | undefined): void {
    for (const { resolve } of this.#open.get(tx_id) ?? []) resolve(reach);
    this.#open.delete(tx_id);
  }

  #giveUpOverdue(): void {
    const now = Date.now();
    for (const [tx_id, askers] of this.#open) {
      for (const { until, resolve } of askers) if (until <= now) resolve(undefined);
      const waiting = askers.filter(({ until }) => until > now);
      if (waiting.length > 0) this.#open.set(tx_id, waiting);
      else this.#open.delete(tx_id);
    }
  }
}

/**
 * Asks a source how far a transaction reaches, together with all others who ask it. Undefined when the source does
 * not know the transaction, or when nobody answered for it until then.
 */
export const batchedQuery = (requester: Pick<Requester, 'request' | 'user'>) => {
  const bySource = new Map<string, Questions>();
  return (service: string, tx_id: string, until: number): Promise<Reach[string] | undefined> => {
    const questions =
      bySource.get(service) ??
      new Questions((tx_ids, patience_ms) => queryReach(requester, service, tx_ids, patience_ms));
    bySource.set(service, questions);
    return new Promise((resolve) => questions.add(tx_id, { until, resolve }));
  };
};
