/** The delay at a moderate rate: each commit is numbered almost at once. */
const SHORT_MS = 5;
/** The longest delay: under load, numbering several commits together costs far less than one by one. */
const LONG_MS = 15;
/** The delay grows above this rate, in commits per second, */
const BUSY = 500;
/** and by one millisecond for this many more. */
const PER_MS = 40;
/** Weight of the latest round in the average rate. */
const WEIGHT = 0.2;

/** The delay between two rounds of numbering, by the recent rate of commits. */
export class BatchingDelay {
  #rate = 0;
  #last = performance.now();

  /** Counts the commits that were numbered in a round. */
  recordRound(commits: number): void {
    const now = performance.now();
    const rate = (commits * 1_000) / Math.max(1, now - this.#last);
    this.#rate += (rate - this.#rate) * WEIGHT;
    this.#last = now;
  }

  get delay_ms(): number {
    return Math.min(LONG_MS, SHORT_MS + Math.max(0, this.#rate - BUSY) / PER_MS);
  }
}
