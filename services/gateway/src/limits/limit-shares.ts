/**
 * This gateway's share of every limit: the limit divided by the number of gateways. A share shrinks at once. It grows
 * only after a window, because units that another gateway gave out still count until then.
 */
export class LimitShares {
  readonly #rest_ms: number;
  #all: readonly string[] = [];
  #count = 1;
  #rank = 0;
  /** Gateways that left, with the time until which the units that they gave out may count. */
  readonly #gone = new Map<string, number>();
  /** Earlier numbers of gateways, each with the time until which it applies. */
  #before: { count: number; until: number }[] = [];
  #begun = Number.NEGATIVE_INFINITY;

  /** `rest_ms`: milliseconds after which a used unit may be used again, at any gateway. */
  constructor(rest_ms: number) {
    this.#rest_ms = rest_ms;
  }

  /** Sets the running gateways, including this one. */
  setGateways(own: string, all: readonly string[], now: number): void {
    const until = now + this.#rest_ms;
    if (all.length < this.#count) this.#before.push({ count: this.#count, until });
    for (const one of this.#all) if (!all.includes(one)) this.#gone.set(one, until);
    for (const one of all) this.#gone.delete(one);
    this.#all = all;
    this.#count = all.length;
    this.#rank = all.filter((one) => one < own).length;
  }

  /** True when a gateway left recently: the units that it gave out are unknown. */
  hasUnknownUnits(now: number): boolean {
    for (const [one, until] of this.#gone) if (until <= now) this.#gone.delete(one);
    return this.#gone.size > 0;
  }

  /** Starts with a share of 0 that grows during one rest time, because the units given out are unknown. */
  startEmpty(now: number): void {
    this.#begun = now;
  }

  /** Keeps the current divisor: a gateway that left cannot be distinguished from a gateway that cannot be reached. */
  keepDivisor(now: number): void {
    for (const one of this.#counting(now)) one.until = now + this.#rest_ms;
  }

  /** The number of gateways that the limit is divided by. */
  divisor(now: number): number {
    let most = this.#count;
    if (this.#before.length > 0) for (const { count } of this.#counting(now)) most = Math.max(most, count);
    return most;
  }

  /** This gateway's share of `quota`. The shares of gateways that know the same group add up to at most `quota`. */
  shareOf(quota: number, now: number): number {
    const among = this.divisor(now);
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
