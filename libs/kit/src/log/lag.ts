/** An end of the log that was told, and when, in epoch milliseconds. */
interface Mark {
  no: number;
  at: number;
}

/** Between two marks at least; as exact as the answer is. */
const STEP_MS = 1_000;
/** Of more than so many every second one goes: who is behind for long is known less exactly. */
const MOST = 600;

/**
 * For how long a follower has been behind: since it was told of the oldest entry that it still lacks. One that is
 * never at the end, since there is always something new, is not behind for long.
 */
export class Lag {
  #marks: Mark[] = [];
  #step_ms = STEP_MS;

  /** Milliseconds by which a follower at `applied` is behind a log that ends at `told`, be it before what was told earlier. */
  look(applied: number, told: number, now: number): number {
    this.#marks = this.#marks.filter(({ no }) => no > applied && no <= told);
    if (this.#marks.length === 0) this.#step_ms = STEP_MS;
    const { no, at } = this.#marks.at(-1) ?? { no: applied, at: 0 };
    if (told > no && now - at >= this.#step_ms) this.#marks.push({ no: told, at: now });
    if (this.#marks.length > MOST) {
      this.#marks = this.#marks.filter((_mark, n) => n % 2 === 0);
      this.#step_ms *= 2;
    }
    const [oldest] = this.#marks;
    return oldest === undefined ? 0 : now - oldest.at;
  }
}
