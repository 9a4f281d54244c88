/**
 * Timers of many items with one clock: each item waits in the slot of a tick. Unlike a timer for each item it needs no
 * memory beyond the item's place in a list.
 */
export class TimerWheel<T> {
  readonly #slots: T[][];
  /** The last tick that was taken. */
  #tick = 0;

  /** `ticks` is the greatest number of ticks that an item waits. */
  constructor(ticks: number) {
    this.#slots = Array.from({ length: ticks + 1 }, () => []);
  }

  /** Adds an item that `takeDue` returns in so many ticks: at least 1, at most `ticks`. */
  add(item: T, ticks: number): void {
    const wait = Math.min(Math.max(1, ticks), this.#slots.length - 1);
    this.#slots[(this.#tick + wait) % this.#slots.length]?.push(item);
  }

  /** Advances by one tick and returns the items that are due. */
  takeDue(): T[] {
    this.#tick += 1;
    const at = this.#tick % this.#slots.length;
    const due = this.#slots[at] ?? [];
    this.#slots[at] = [];
    return due;
  }
}
