/** Lets a loop pause until work arrives. A wake-up during the work is not lost. */
export class WakeSignal {
  #pending = false;
  #wake: (() => void) | undefined;

  wake(): void {
    this.#pending = true;
    this.#wake?.();
  }

  /**
   * Resolves when woken, after `ms` milliseconds, or when aborted; at once if woken since the last pause. Resolves with
   * whether it was woken.
   */
  pause(ms: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        const isWoken = this.#pending;
        this.#wake = undefined;
        this.#pending = false;
        resolve(isWoken);
      };
      const timer = setTimeout(done, ms);
      this.#wake = done;
      signal.addEventListener('abort', done, { once: true });
      if (this.#pending || signal.aborted) done();
    });
  }
}
