import type { Offset } from './offset.ts';

/** How long the database need not know. */
const STORE_MS = 50;

/**
 * Numbers of one log that were passed, since nothing behind them is followed, and that the database does not know of. The place
 * moves over many of them at once: who stops before that reads them again, and nothing comes of it.
 */
export class SkippedEntries {
  readonly #store: () => Promise<void>;
  #stretch: { from: Offset; to: Offset } | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `store` stores them and says so by `storedTo`; where it fails, the follower has to try again. */
  constructor(store: () => Promise<void>) {
    this.#store = store;
  }

  add(from: Offset, to: Offset): void {
    this.#stretch = { from: this.stored(from), to };
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#store().catch(() => {});
    }, STORE_MS);
  }

  /** Where the database says that the follower stands, who is at `place`. */
  stored(place: Offset): Offset {
    return this.#stretch?.from ?? place;
  }

  /** The last of them. */
  get end(): Offset | undefined {
    return this.#stretch?.to;
  }

  /** Some wait, and nobody is about to store them. */
  get isOverdue(): boolean {
    return this.#stretch !== undefined && this.#timer === undefined;
  }

  /** The database says that the follower stands there; more may have been passed meanwhile. */
  storedTo(place: Offset): void {
    if (this.#stretch !== undefined && this.#stretch.to !== place) this.#stretch = { ...this.#stretch, from: place };
    else this.forget();
  }

  /** The place is whatever the database says. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#stretch = undefined;
  }
}
