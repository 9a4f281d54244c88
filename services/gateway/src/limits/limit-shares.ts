/**
 * Which part of every limit this gateway gives out: all of it over the number of gateways. What another one may have given
 * out becomes this one's only after its window has passed, so a share shrinks at once and grows late.
 */
export class LimitShares {
  readonly #rest_ms: number;
  #all: readonly string[] = [];
  #count = 1;
  #rank = 0;
  /** Gateways that left, and until when units that they gave out may still count. */
  readonly #gone = new Map<string, number>();
  /** How many there were before some left, and until when that counts. */
  #before: { count: number; until: number }[] = [];
  #begun = Number.NEGATIVE_INFINITY;

  /** `rest_ms`: how long after it was used, here or elsewhere, a unit may be used again. */
  constructor(rest_ms: number) {
    this.#rest_ms = rest_ms;
  }

  /** The gateways that are there now, this one among them. */
  changed(own: string, all: readonly string[], now: number): void {
    const until = now + this.#rest_ms;
    if (all.length < this.#count) this.#before.push({ count: this.#count, until });
    for (const one of this.#all) if (!all.includes(one)) this.#gone.set(one, until);
    for (const one of all) this.#gone.delete(one);
    this.#all = all;
    this.#count = all.length;
    this.#rank = all.filter((one) => one < own).length;
  }

  /** Whether a gateway left lately: the units that it gave out are unknown. */
  isMissing(now: number): boolean {
    for (const [one, until] of this.#gone) if (until <= now) this.#gone.delete(one);
    return this.#gone.size > 0;
  }

  /** What was given out is not known: this one's part grows from nothing. */
  begin(now: number): void {
    this.#begun = now;
  }

  /** A gateway that left looks the same as one that is not heard, so current shares go on counting. */
  hold(now: number): void {
    for (const one of this.#counting(now)) one.until = now + this.#rest_ms;
  }

  /** Among how many it is divided. */
  among(now: number): number {
    let most = this.#count;
    if (this.#before.length > 0) for (const { count } of this.#counting(now)) most = Math.max(most, count);
    return most;
  }

  /** This gateway's part of so many units. The parts of all who know of the same gateways are together no more. */
  of(quota: number, now: number): number {
    const among = this.among(now);
    const isOdd = among === this.#count && this.#rank < quota % among;
    const part = Math.floor(quota / among) + (isOdd ? 1 : 0);
    const age = now - this.#begun;
    return age < this.#rest_ms ? Math.floor((part * age) / this.#rest_ms) : part;
  }

  #counting(now: number): { count: number; until: number }[] {
    this.#before = this.#before.filter(({ until }) => until > now);
    return this.#before;
  }
}
