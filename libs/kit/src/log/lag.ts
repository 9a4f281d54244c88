/** A published end of the log, and when it was learned, in milliseconds of `performance.now()`. */
interface Mark {
  no: number;
  at: number;
}

/** Shortest time between two marks, in milliseconds: the precision of the result. */
const STEP_MS = 1_000;
/** Largest number of marks. Above it every second one is dropped: a long lag is known less precisely. */
const MAX_MARKS = 600;

/**
 * The time since a follower learned of the oldest entry that it has not applied. A follower that is never at the end
 * because new entries always arrive has a short lag.
 */
export class Lag {
  #marks: Mark[] = [];
  #step_ms = STEP_MS;

  /**
   * Milliseconds by which a follower at `applied` is behind a log whose end was last published as `published`. The end
   * may be lower than before.
   */
  measure(applied: number, published: number, now: number): number {
    this.#marks = this.#marks.filter(({ no }) => no > applied && no <= published);
    if (this.#marks.length === 0) this.#step_ms = STEP_MS;
    const { no, at } = this.#marks.at(-1) ?? { no: applied, at: -Infinity };
    if (published > no && now - at >= this.#step_ms) this.#marks.push({ no: published, at: now });
    if (this.#marks.length > MAX_MARKS) {
      this.#marks = this.#marks.filter((_mark, n) => n % 2 === 0);
      this.#step_ms *= 2;
    }
    const [oldest] = this.#marks;
    return oldest === undefined ? 0 : now - oldest.at;
  }
}
