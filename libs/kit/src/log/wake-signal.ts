/** Lets a loop pause until there is work, without missing what comes while it works. */
export class WakeSignal {
  #pending = false;
  #wake: (() => void) | undefined;

  wake(): void {
    this.#pending = true;
    this.#wake?.();
  }

  /** Resolves when woken, after `ms` at the latest, at once when woken since the last pause or when aborted. Answers whether it was woken. */
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
