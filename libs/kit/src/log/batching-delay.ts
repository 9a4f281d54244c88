/** At a moderate rate each commit is numbered almost at once … */
const SHORT_MS = 5;
/** … and under load commits wait for each other a little: numbering them together costs far less than one by one. */
const LONG_MS = 15;
/** Commits a second at which waiting begins to pay, and how quickly it grows from there. */
const BUSY = 500;
const PER_MS = 40;
/** How much the latest round counts for the rate. */
const WEIGHT = 0.2;

/** How long to wait between two rounds of numbering, by the rate of commits lately. */
export class BatchingDelay {
  #rate = 0;
  #last = performance.now();

  /** What so many commits told was numbered just now. */
  count(commits: number): void {
    const now = performance.now();
    const rate = (commits * 1_000) / Math.max(1, now - this.#last);
    this.#rate += (rate - this.#rate) * WEIGHT;
    this.#last = now;
  }

  get gap_ms(): number {
    return Math.min(LONG_MS, SHORT_MS + Math.max(0, this.#rate - BUSY) / PER_MS);
  }
}
