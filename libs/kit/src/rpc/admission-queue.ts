import { Problem } from '@teaching/contracts';
import { FairQueue } from './fair-queue.ts';

/** A call waits for a slot for this part of its caller's time at most: the rest is for the call. */
const WAIT_SHARE = 0.3;
/** The latest call counts this much less than all before it. */
const MEMORY = 16;
/** Nearly all take less than the usual time and so many times what they usually differ from it (as in RFC 6298). */
const SPREAD = 4;

export const tooMany = (): Problem => new Problem('unavailable', 'Too many requests are waiting');

/** Until when a call with this deadline waits for a slot. */
const patienceOf = (deadline: number): number => {
  const now = Date.now();
  return now + (deadline - now) * WAIT_SHARE;
};

/** The slot of one call among those that are performed at the same time. */
export class Slot {
  /** The queue whose slot it has. */
  #queue: FairQueue;
  readonly #wide: FairQueue;
  readonly #org: string;
  readonly #deadline: number;
  #since = 0;
  #isHeld = false;
  /** For how long it was held, without the time of `aside`. */
  held_ms = 0;

  constructor(queue: FairQueue, wide: FairQueue, org: string, deadline: number) {
    this.#queue = queue;
    this.#wide = wide;
    this.#org = org;
    this.#deadline = deadline;
  }

  /** The call begins to use the slot. */
  hold(): void {
    this.#isHeld = true;
    this.#since = Date.now();
  }

  /** Does work that only waits; other calls use the slot meanwhile. */
  async aside<T>(work: () => Promise<T>): Promise<T> {
    this.leave();
    const result = await work();
    await new Promise<void>((resolve, reject) => {
      this.#queue.enterAgain(this.#org, {
        isLate: (now) => now >= this.#deadline,
        begin: resolve,
        refuse: () => reject(tooMany()),
      });
    });
    this.hold();
    return result;
  }

  /**
   * Exchanges the slot for the one of heavy requests, which are performed one at a time, organizations in turn, and half of the
   * time at most. A call that has that slot already goes behind the others that wait for it.
   */
  async takeWideTurn(): Promise<void> {
    this.leave();
    this.#queue = this.#wide;
    const until = patienceOf(this.#deadline);
    await new Promise<void>((resolve, reject) => {
      this.#queue.enter(this.#org, {
        isLate: (now) => now >= until,
        begin: resolve,
        refuse: () => reject(tooMany()),
      });
    });
    this.hold();
  }

  leave(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    const held_ms = Date.now() - this.#since;
    this.held_ms += held_ms;
    const [queue, org] = [this.#queue, this.#org];
    if (queue === this.#wide) setTimeout(() => queue.leave(org), held_ms);
    else queue.leave(org);
  }
}

/** For how long calls of one kind held their slot lately, and the mean deviation. */
interface Usual {
  ms: number;
  spread_ms: number;
}

/** Admits calls: so many are performed at the same time, and as many as there is room for wait. */
export class AdmissionQueue {
  readonly #queue: FairQueue;
  /** The queue of heavy requests. */
  readonly #wide: FairQueue;
  /** By call id. */
  readonly #usual = new Map<string, Usual>();

  constructor(slots: number, room: number) {
    this.#queue = new FairQueue(slots, room);
    this.#wide = new FairQueue(1, room);
  }

  get running(): number {
    return this.#queue.running + this.#wide.running;
  }

  get waiting(): number {
    return this.#queue.waiting + this.#wide.waiting;
  }

  /**
   * Performs `work` once a call of this organization gets a slot, or refuses it. `deadline`: epoch milliseconds after which its
   * caller waits no longer. A call that cannot be answered in time is refused while its caller still waits.
   */
  enter(org: string, call_id: string, deadline: number, work: (slot: Slot) => Promise<void>, refuse: () => void): void {
    const usual = this.#usualOf(call_id);
    const until = patienceOf(deadline);
    const slot = new Slot(this.#queue, this.#wide, org, deadline);
    this.#queue.enter(org, {
      isLate: (now) => now >= until || deadline - now < usual.ms + SPREAD * usual.spread_ms,
      begin: () => void this.#perform(slot, usual, work),
      refuse,
    });
  }

  #usualOf(call_id: string): Usual {
    const known = this.#usual.get(call_id) ?? { ms: 0, spread_ms: 0 };
    this.#usual.set(call_id, known);
    return known;
  }

  async #perform(slot: Slot, usual: Usual, work: (slot: Slot) => Promise<void>): Promise<void> {
    slot.hold();
    await work(slot);
    slot.leave();
    const differs = slot.held_ms - usual.ms;
    usual.ms += differs / MEMORY;
    usual.spread_ms += (Math.abs(differs) - usual.spread_ms) / MEMORY;
  }
}
