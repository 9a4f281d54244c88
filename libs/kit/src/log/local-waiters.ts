import type { WriteToken } from '../rpc/tokens.ts';

/** Where this process follows itself, a write is usually here within this time, and nobody has to be asked. */
const NEARBY_MS = 100;

interface Waiting {
  write: WriteToken;
  resolve: (included: boolean) => void;
}

/** Reads that wait a little for a write which this process is about to apply. */
export class LocalWaiters {
  #waiting: Waiting[] = [];
  readonly #isHere: (write: WriteToken) => boolean;

  constructor(isHere: (write: WriteToken) => boolean) {
    this.#isHere = isHere;
  }

  /** Whether the write was applied here in time. */
  wait(write: WriteToken): Promise<boolean> {
    return new Promise((resolve) => {
      const one: Waiting = {
        write,
        resolve: (included) => {
          clearTimeout(timer);
          resolve(included);
        },
      };
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((other) => other !== one);
        resolve(false);
      }, NEARBY_MS);
      this.#waiting.push(one);
    });
  }

  /** Events were applied just now. */
  applied(): void {
    const here = this.#waiting.filter(({ write }) => this.#isHere(write));
    if (here.length === 0) return;
    this.#waiting = this.#waiting.filter((one) => !here.includes(one));
    for (const one of here) one.resolve(true);
  }
}
