import { Problem } from '@teaching/contracts';
import type { FairQueue } from './fair-queue.ts';

/** The place of one call among those that are performed at the same time. */
export class Slot {
  readonly #queue: FairQueue;
  readonly #org: string;
  readonly #until: number;
  #isHeld = true;

  /** `until`: epoch ms; nobody waits for a slot any longer. */
  constructor(queue: FairQueue, org: string, until: number) {
    this.#queue = queue;
    this.#org = org;
    this.#until = until;
  }

  /** Does something that only waits: meanwhile others have the slot. */
  async aside<T>(work: () => Promise<T>): Promise<T> {
    this.leave();
    const result = await work();
    await new Promise<void>((resolve, reject) => {
      this.#queue.enterAgain(this.#org, {
        until: this.#until,
        begin: resolve,
        refuse: () => reject(new Problem('unavailable', 'Too many requests are waiting')),
      });
    });
    this.#isHeld = true;
    return result;
  }

  leave(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#queue.leave(this.#org);
  }
}
