import { Problem } from '@teaching/contracts';
import { FairQueue } from './fair-queue.ts';

/** A call waits for a slot for this share of its caller's remaining time at most. The rest is for the work. */
const WAIT_SHARE = 0.3;
/** The weight of the latest call in the moving average is 1 / SMOOTHING. */
const SMOOTHING = 16;
/** Nearly all calls take less than the mean plus this many mean deviations (as in RFC 6298). */
const DEVIATIONS = 4;

export const queueFullProblem = (): Problem => new Problem('unavailable', 'Too many requests are waiting');

/** The time until which a call with this deadline waits for a slot. Both are milliseconds of `performance.now()`. */
const waitLimitOf = (deadline: number): number => {
  const now = performance.now();
  return now + (deadline - now) * WAIT_SHARE;
};

/**
 * The right of one call to be performed now. The number of slots limits the calls that are performed at the same time.
 */
export class Slot {
  /** The queue that gave the slot. */
  #queue: FairQueue;
  readonly #heavy: FairQueue;
  readonly #org: string;
  readonly #deadline: number;
  #since = 0;
  #isHeld = false;
  /** For how long the call held slots, in milliseconds, without the time in `releaseDuring`. */
  held_ms = 0;

  constructor(queue: FairQueue, heavy: FairQueue, org: string, deadline: number) {
    this.#queue = queue;
    this.#heavy = heavy;
    this.#org = org;
    this.#deadline = deadline;
  }

  /** Marks the begin of the time in which the call uses the slot. */
  hold(): void {
    this.#isHeld = true;
    this.#since = performance.now();
  }

  /** Releases the slot, does work that only waits, and takes a slot again. 503 if there is none before the deadline. */
  async releaseDuring<T>(work: () => Promise<T>): Promise<T> {
    this.release();
    const result = await work();
    await new Promise<void>((resolve, reject) => {
      this.#queue.reenter(this.#org, {
        isLate: (now) => now >= this.#deadline,
        begin: resolve,
        refuse: () => reject(queueFullProblem()),
      });
    });
    this.hold();
    return result;
  }

  /**
   * Exchanges the slot for the one of heavy requests. They are performed one at a time, organizations in turn, half of
   * the time at most. A call that has that slot already goes to the end of the queue. 503 if it waits for too long.
   */
  async takeHeavySlot(): Promise<void> {
    this.release();
    this.#queue = this.#heavy;
    const until = waitLimitOf(this.#deadline);
    await new Promise<void>((resolve, reject) => {
      this.#queue.enter(this.#org, {
        isLate: (now) => now >= until,
        begin: resolve,
        refuse: () => reject(queueFullProblem()),
      });
    });
    this.hold();
  }

  /** Gives the slot back. The slot of heavy requests then stays unused for as long as it was held. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    const held_ms = performance.now() - this.#since;
    this.held_ms += held_ms;
    const [queue, org] = [this.#queue, this.#org];
    if (queue === this.#heavy) setTimeout(() => queue.release(org), held_ms);
    else queue.release(org);
  }
}

/**
 * For how long calls of one kind held their slots lately: the moving average and the mean deviation, in milliseconds.
 */
interface Duration {
  ms: number;
  deviation_ms: number;
}

/** Admits calls: `slots` of them are performed at the same time, `capacity` of them may wait, others are refused. */
export class AdmissionQueue {
  readonly #queue: FairQueue;
  /** The queue of heavy requests. */
  readonly #heavy: FairQueue;
  /** By call id. */
  readonly #durations = new Map<string, Duration>();

  constructor(slots: number, capacity: number) {
    this.#queue = new FairQueue(slots, capacity);
    this.#heavy = new FairQueue(1, capacity);
  }

  get running(): number {
    return this.#queue.running + this.#heavy.running;
  }

  get waiting(): number {
    return this.#queue.waiting + this.#heavy.waiting;
  }

  /**
   * Calls `work` once this call of the organization gets a slot, else `refuse`. `deadline`: milliseconds of `performance.now()` after
   * which the caller no longer waits. A call that cannot be answered in time is refused while its caller still waits.
   */
  enter(org: string, call_id: string, deadline: number, work: (slot: Slot) => Promise<void>, refuse: () => void): void {
    const usual = this.#durationOf(call_id);
    const until = waitLimitOf(deadline);
    const slot = new Slot(this.#queue, this.#heavy, org, deadline);
    this.#queue.enter(org, {
      isLate: (now) => now >= until || deadline - now < usual.ms + DEVIATIONS * usual.deviation_ms,
      begin: () => void this.#perform(slot, usual, work),
      refuse,
    });
  }

  #durationOf(call_id: string): Duration {
    const known = this.#durations.get(call_id) ?? { ms: 0, deviation_ms: 0 };
    this.#durations.set(call_id, known);
    return known;
  }

  async #perform(slot: Slot, usual: Duration, work: (slot: Slot) => Promise<void>): Promise<void> {
    slot.hold();
    await work(slot);
    slot.release();
    const difference = slot.held_ms - usual.ms;
    usual.ms += difference / SMOOTHING;
    usual.deviation_ms += (Math.abs(difference) - usual.deviation_ms) / SMOOTHING;
  }
}
