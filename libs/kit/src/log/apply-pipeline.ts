import type { LogEntry, StoreBatch } from './applier.ts';
import type { Offset } from './offset.ts';

/**
 * Applies entries in the background, so that the next ones can be read meanwhile. After a failure nothing more is
 * applied.
 */
export class ApplyPipeline {
  #running: Promise<void> = Promise.resolve();
  #failure: { reason: unknown } | undefined;
  /** True while entries are being applied. */
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

  /** Throws the failure of an earlier batch. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  /** Resolves when no entries are being applied. */
  idle(): Promise<void> {
    return this.#running;
  }

  /** Waits until earlier entries are applied, and begins with these. */
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
