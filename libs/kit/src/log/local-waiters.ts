import type { WriteToken } from '../rpc/tokens.ts';

/** If this process follows the source itself, it usually applies a write within this time, and no query is needed. */
const TIMEOUT_MS = 100;

interface Waiting {
  write: WriteToken;
  resolve: (included: boolean) => void;
}

/** Reads that wait for a write that this process is about to apply. */
export class LocalWaiters {
  #waiting: Waiting[] = [];
  readonly #isApplied: (write: WriteToken) => boolean;

  constructor(isApplied: (write: WriteToken) => boolean) {
    this.#isApplied = isApplied;
  }

  /** Resolves with whether this process applied the write in time. */
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
      }, TIMEOUT_MS);
      this.#waiting.push(one);
    });
  }

  /** Call after events were applied. */
  applied(): void {
    const appliedWaiters = this.#waiting.filter(({ write }) => this.#isApplied(write));
    if (appliedWaiters.length === 0) return;
    this.#waiting = this.#waiting.filter((one) => !appliedWaiters.includes(one));
    for (const one of appliedWaiters) one.resolve(true);
  }
}
