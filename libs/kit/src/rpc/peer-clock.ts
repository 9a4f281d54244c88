/** The clocks of a process when it sent a heartbeat. Version 0.2.0 sends none. */
export interface SentTime {
  /** Epoch milliseconds. */
  at?: number | undefined;
  /** Milliseconds of `performance.now()`. */
  monotonic_ms?: number | undefined;
}

/** Heartbeats that are taken into account. */
const LATEST = 8;

/**
 * The clocks of another process, as its heartbeats show them. Each heartbeat is delayed by an unknown time, after which
 * the clock of the other process looks slower than it is. So the largest difference of the latest ones counts.
 */
export class PeerClock {
  readonly #latest: { skew_ms: number; offset_ms: number }[] = [];

  /** Adds a heartbeat that arrived now. */
  add({ at, monotonic_ms }: SentTime, now = performance.now(), wall = Date.now()): void {
    if (at === undefined || monotonic_ms === undefined) return;
    this.#latest.push({ skew_ms: at - wall, offset_ms: monotonic_ms - now });
    if (this.#latest.length > LATEST) this.#latest.shift();
  }

  /** Milliseconds by which its wall clock is ahead of that of this process. Undefined while unknown. */
  get skew_ms(): number | undefined {
    return this.#latest.length === 0 ? undefined : Math.max(...this.#latest.map(({ skew_ms }) => skew_ms));
  }

  /** Its `performance.now()` at this time of this process, or a little less. Undefined while unknown. */
  monotonicAt(now: number): number | undefined {
    if (this.#latest.length === 0) return undefined;
    return now + Math.max(...this.#latest.map(({ offset_ms }) => offset_ms));
  }
}
