/**
 * For how long the oldest entry of each log has waited for its number, as far as this process saw it. The time in the
 * entry itself is that of the machine that wrote it, whose clock may differ.
 */
export class WaitingSince {
  readonly #oldest = new Map<string, { seq: number; since: number }>();

  /** Seconds since this process first saw that `seq` is the oldest waiting entry of the log; 0 if none waits. */
  age_s(log: string, seq: number | null, now = performance.now()): number {
    if (seq === null) {
      this.#oldest.delete(log);
      return 0;
    }
    const known = this.#oldest.get(log);
    if (known?.seq === seq) return (now - known.since) / 1_000;
    this.#oldest.set(log, { seq, since: now });
    return 0;
  }
}
