import { Problem } from '@teaching/contracts';
import { FairQueue } from './fair-queue.ts';

/** A call waits for its turn no longer than for this part of the time its caller has: the rest is for the call. */
const WAIT_SHARE = 0.3;
/** The latest call counts this much less than all before it. */
const MEMORY = 16;
/** Nearly all take less than the usual time and so many times what they usually differ from it (as in RFC 6298). */
const SPREAD = 4;

export const tooMany = (): Problem => new Problem('unavailable', 'Too many requests are waiting');

/** Until when a call waits for a turn, of which it could make use until `deadline`. */
const patienceOf = (deadline: number): number => {
  const now = Date.now();
  return now + (deadline - now) * WAIT_SHARE;
};

/** The place of one call among those that are performed at the same time. */
export class Slot {
  /** Where it has its place now. */
  #queue: FairQueue;
  readonly #wide: FairQueue;
  readonly #org: string;
  readonly #deadline: number;
  #since = 0;
  #isHeld = false;
  /** For how long it was held, without what was done aside. */
  held_ms = 0;

  constructor(queue: FairQueue, wide: FairQueue, org: string, deadline: number) {
    this.#queue = queue;
    this.#wide = wide;
    this.#org = org;
    this.#deadline = deadline;
  }

  /** It is this call's turn. */
  hold(): void {
    this.#isHeld = true;
    this.#since = Date.now();
  }

  /** Does something that only waits: meanwhile others have the slot. */
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
   * Leaves its place for one among calls that touch much, which are performed one at a time, organizations in turn, and
   * half of the time at most. Who has that place already goes behind the others that wait for it.
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

/** For how long a call has its slot of late, and by how much that differs. */
interface Usual {
  ms: number;
  spread_ms: number;
}

/** Turns of calls: so many at the same time, as many others as there is room for wait. */
export class AdmissionQueue {
  readonly #queue: FairQueue;
  /** Of calls that touch much. */
  readonly #wide: FairQueue;
  /** By what is called. */
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
   * Performs `work` when it is the turn of a call of this organization, or refuses. `what`: what is called; `deadline`: epoch
   * milliseconds after which its caller waits no longer. What could not be answered in time is refused while somebody
   * still hears it.
   */
  enter(org: string, what: string, deadline: number, work: (slot: Slot) => Promise<void>, refuse: () => void): void {
    const usual = this.#usualOf(what);
    const until = patienceOf(deadline);
    const slot = new Slot(this.#queue, this.#wide, org, deadline);
    this.#queue.enter(org, {
      isLate: (now) => now >= until || deadline - now < usual.ms + SPREAD * usual.spread_ms,
      begin: () => void this.#perform(slot, usual, work),
      refuse,
    });
  }

  #usualOf(what: string): Usual {
    const known = this.#usual.get(what) ?? { ms: 0, spread_ms: 0 };
    this.#usual.set(what, known);
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
