import { LRUCache } from 'lru-cache';
import { Usage, type Window, windowOf } from './unit-usage.ts';

/** Keys counted at once; a new key evicts the least recently used key. */
const MAX_COUNTED = 100_000;
/** Debts reported to a gateway that joins. */
const MAX_DEBTS = 10_000;
/** Milliseconds from the request within which borrowed units must be used. Longer than the timeout of the answer. */
export const LOAN_MS = 1_500;
/** Shortest time before a gateway without units is asked again. */
const EMPTY_MS = 250;
/** A request that waits longer for borrowed units is refused. */
const PATIENCE_MS = 1_500;

/** The units that a gateway lends of its share. */
export interface Loan {
  units: number;
  /** The units that the lender still has. */
  rest: number;
  /** Milliseconds until the lender has more. */
  again_ms: number;
}

/** The gateways that share limits. */
export interface LimitPool {
  /** This gateway's share of `quota` units. */
  share(quota: number, now: number): number;
  /** The other gateways, which can lend units. */
  others(): readonly string[];
  /** Never rejects: a gateway that does not answer has nothing. */
  borrow(from: string, limit: string, key: string, units: number): Promise<Loan>;
}

/** The units that another gateway reported, and the time until which the report is used. */
interface Known {
  rest: number;
  until: number;
  /** The time when it has more units. */
  more_at: number;
}

interface Waiting {
  units: number;
  since: number;
  done: (taken: boolean) => void;
}

/** The state of one key. */
class Counted extends Usage {
  loan = 0;
  loan_ends = 0;
  waiting: Waiting[] = [];
  isAsking = false;
  known = new Map<string, Known>();
}

/** The remaining units of a key. */
export interface LimitState {
  /** Remaining units, as far as this gateway knows. */
  left: number;
  /** Milliseconds for which `left` does not grow. */
  for_ms: number;
}

export interface LimitOptions {
  /** The name in the `RateLimit` header. */
  name: string;
  /** Units per window. */
  quota: number;
  window_s: number;
}

/** One limit, counted for many keys. `clock` returns milliseconds and never goes back. */
export class RateLimit {
  readonly name: string;
  readonly quota: number;
  readonly window_s: number;
  /** An item of `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-11, §3.1). */
  readonly policy: string;
  readonly #window: Window;
  readonly #pool: LimitPool;
  readonly #clock: () => number;
  readonly #counted: LRUCache<string, Counted>;
  /** The key read last: one request reads its key twice in a row. */
  #latest: { key: string; one: Counted } | undefined;

  constructor({ name, quota, window_s }: LimitOptions, pool: LimitPool, clock: () => number, most = MAX_COUNTED) {
    // `max` would allocate memory for all keys at once; `maxSize` does not.
    this.#counted = new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
    this.name = name;
    this.quota = quota;
    this.window_s = window_s;
    this.policy = `"${name}";q=${quota};w=${window_s}`;
    this.#window = windowOf(window_s * 1_000);
    this.#pool = pool;
    this.#clock = clock;
  }

  /** Uses units of a key, if enough remain. Returns a promise only while other gateways are asked for units. */
  take(key: string, cost: number): boolean | Promise<boolean> {
    const now = this.#clock();
    const one = this.#of(key, now);
    // A request that costs more than the quota takes the whole quota.
    const units = Math.min(cost, this.quota);
    if (this.#use(one, units, now)) return true;
    if (this.#lender(one, now) === undefined) return false;
    return new Promise((done) => {
      one.waiting.push({ units, since: now, done });
      if (!one.isAsking) void this.#ask(key, one);
    });
  }

  /** Gives units back that must not count. */
  giveBack(key: string, cost: number): void {
    this.#counted.get(key)?.undo(Math.min(cost, this.quota));
  }

  /** Lends units of this gateway's share. The borrower uses them within `LOAN_MS` or not at all. */
  lend(key: string, units: number): Loan {
    const now = this.#clock();
    const one = this.#of(key, now);
    const own = this.#own(one, now);
    const given = Math.min(own, units);
    if (given > 0) one.use(given, now + LOAN_MS);
    const rest = own - given;
    return { units: given, rest, again_ms: rest > 0 ? 0 : (one.returnTime(1) ?? now + this.#window.step_ms) - now };
  }

  /** The keys that have used more than this gateway's share since another gateway joined, and how much more. */
  debts(): [key: string, units: number][] {
    const now = this.#clock();
    const part = this.#pool.share(this.quota, now);
    const debts: [string, number][] = [];
    for (const [key, one] of this.#counted.entries()) {
      one.refresh(now);
      if (one.used > part && debts.length < MAX_DEBTS) debts.push([key, one.used - part]);
    }
    return debts;
  }

  /** Counts units that other gateways gave out of the share that this gateway has now. */
  addDebt(key: string, units: number): void {
    const now = this.#clock();
    this.#of(key, now).use(units, now + LOAN_MS);
  }

  /** True when a key has no units left, as far as this gateway knows. Counts nothing. */
  isSpent(key: string): boolean {
    return this.#counted.has(key) && this.limitState(key).left <= 0;
  }

  limitState(key: string): LimitState {
    const now = this.#clock();
    const one = this.#of(key, now);
    const own = this.#own(one, now);
    let left = own + this.#borrowed(one, now);
    for (const other of this.#pool.others()) left += this.#reported(one, other, now)?.rest ?? own;
    return { left: Math.min(left, this.quota), for_ms: this.#untilMore(one, 1, now) };
  }

  /**
   * Milliseconds until `cost` units may be available, as far as this gateway knows; never less than `for_ms` of the
   * state.
   */
  retryDelay(key: string, cost: number): number {
    const now = this.#clock();
    const one = this.#of(key, now);
    return this.#untilMore(one, Math.min(cost, this.quota) - this.#own(one, now), now);
  }

  /** Milliseconds until so many units return here, or any unit returns to another gateway. */
  #untilMore(one: Counted, units: number, now: number): number {
    let first = one.returnTime(units) ?? now + this.#window.window_ms;
    for (const { more_at } of one.known.values()) if (more_at > now && more_at < first) first = more_at;
    return first - now;
  }

  #of(key: string, now: number): Counted {
    let one = this.#latest?.key === key ? this.#latest.one : this.#counted.get(key);
    if (one === undefined) {
      one = new Counted(this.#window);
      this.#counted.set(key, one);
    }
    if (this.#latest?.one !== one) this.#latest = { key, one };
    one.refresh(now);
    return one;
  }

  #own(one: Counted, now: number): number {
    return Math.max(0, this.#pool.share(this.quota, now) - one.used);
  }

  #borrowed(one: Counted, now: number): number {
    if (one.loan_ends <= now) one.loan = 0;
    return one.loan;
  }

  #use(one: Counted, units: number, now: number): boolean {
    const borrowed = Math.min(this.#borrowed(one, now), units);
    const own = units - borrowed;
    if (own > 0 && own > this.#own(one, now)) return false;
    one.loan -= borrowed;
    if (own > 0) one.use(own, now);
    return true;
  }

  #reported(one: Counted, other: string, now: number): Known | undefined {
    const known = one.known.get(other);
    return known === undefined || known.until <= now ? undefined : known;
  }

  /** A gateway that may have units, if any. */
  #lender(one: Counted, now: number): string | undefined {
    return this.#pool.others().find((other) => this.#reported(one, other, now)?.rest !== 0);
  }

  /**
   * Borrows the units that waiting requests lack, from one gateway after the other. Stops when all are served or no
   * gateway has more.
   */
  async #ask(key: string, one: Counted): Promise<void> {
    one.isAsking = true;
    for (let now = this.#clock(); one.waiting.length > 0; now = this.#clock()) {
      const wanted = one.waiting.reduce((sum, { units }) => sum + units, 0);
      const missing = wanted - this.#own(one, now) - this.#borrowed(one, now);
      const lender = this.#lender(one, now);
      if (lender === undefined) break;
      if (missing > 0) this.#got(one, lender, now, await this.#pool.borrow(lender, this.name, key, missing));
      this.#serve(one);
    }
    one.isAsking = false;
    for (const { done } of one.waiting.splice(0)) done(false);
  }

  #got(one: Counted, lender: string, asked: number, { units, rest, again_ms }: Loan): void {
    const now = this.#clock();
    const until = now + Math.max(EMPTY_MS, Math.min(again_ms || Infinity, this.#window.step_ms));
    one.known.set(lender, { rest, until, more_at: now + again_ms });
    if (units === 0) return;
    const left = this.#borrowed(one, now);
    one.loan_ends = left > 0 ? Math.min(one.loan_ends, asked + LOAN_MS) : asked + LOAN_MS;
    one.loan = left + units;
  }

  #serve(one: Counted): void {
    const now = this.#clock();
    one.refresh(now);
    one.waiting = one.waiting.filter(({ units, since, done }) => {
      const taken = this.#use(one, units, now);
      if (!taken && now - since < PATIENCE_MS) return true;
      done(taken);
      return false;
    });
  }
}
