import type { LogEntry, StoreBatch } from './applier.ts';
import type { Offset } from './offset.ts';

/** Applies entries in the background, so that the next can be read meanwhile; after a failure nothing is applied. */
export class ApplyPipeline {
  #running: Promise<void> = Promise.resolve();
  #failure: { reason: unknown } | undefined;
  /** Something is being applied. */
  isBusy = false;
  readonly #apply: (from: Offset, entries: readonly LogEntry[], store: StoreBatch | undefined) => Promise<void>;
  readonly #onFailure: () => void;

  constructor(
    apply: (from: Offset, entries: readonly LogEntry[], store: StoreBatch | undefined) => Promise<void>,
    onFailure: () => void,
  ) {
    this.#apply = apply;
    this.#onFailure = onFailure;
  }

  /** Throws what failed meanwhile. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  /** Resolves when nothing is being applied. */
  idle(): Promise<void> {
    return this.#running;
  }

  /** Waits until the entries before these are applied, and begins. */
  async push(from: Offset, entries: readonly LogEntry[], store: StoreBatch | undefined): Promise<void> {
    await this.#running;
    this.check();
    this.isBusy = true;
    this.#running = this.#apply(from, entries, store)
      .catch((reason: unknown) => {
        this.#failure = { reason };
        this.#onFailure();
      })
      .finally(() => {
        this.isBusy = false;
      });
  }
}
