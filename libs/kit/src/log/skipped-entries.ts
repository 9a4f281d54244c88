import type { Offset } from './offset.ts';

/** The offset in the database may be behind for this long, in milliseconds. */
const STORE_DELAY_MS = 50;

/**
 * Entries of one log that were skipped because none of them is followed, and whose offset is not stored yet. The offset
 * moves over many of them at once. A follower that stops before reads them again, without any effect.
 */
export class SkippedEntries {
  readonly #store: () => Promise<void>;
  #skipped: { from: Offset; to: Offset } | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `store` stores the offset and calls `markStored`. If it fails, the follower has to try again. */
  constructor(store: () => Promise<void>) {
    this.#store = store;
  }

  add(from: Offset, to: Offset): void {
    this.#skipped = { from: this.storedOffset(from), to };
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#store().catch(() => {});
    }, STORE_DELAY_MS);
  }

  /** The offset in the database of a follower that is at `offset`. */
  storedOffset(offset: Offset): Offset {
    return this.#skipped?.from ?? offset;
  }

  /** The offset of the last skipped entry. */
  get lastOffset(): Offset | undefined {
    return this.#skipped?.to;
  }

  /** True if entries wait and no timer is about to store them. */
  get isOverdue(): boolean {
    return this.#skipped !== undefined && this.#timer === undefined;
  }

  /** Call when this offset is stored. More entries may have been skipped meanwhile. */
  markStored(offset: Offset): void {
    if (this.#skipped !== undefined && this.#skipped.to !== offset) this.#skipped = { ...this.#skipped, from: offset };
    else this.reset();
  }

  /** Call when the offset is read from the database again. */
  reset(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#skipped = undefined;
  }
}
