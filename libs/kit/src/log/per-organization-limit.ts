/** Limits the number of concurrent tasks of each organization. */
export class PerOrganizationLimit {
  readonly #most: number;
  readonly #working = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs `work` and returns its result, or undefined if the organization is at its limit. */
  async run<T>(org_id: string, work: () => Promise<T>): Promise<T | undefined> {
    const current = this.#working.get(org_id) ?? 0;
    if (current >= this.#most) return undefined;
    this.#working.set(org_id, current + 1);
    try {
      return await work();
    } finally {
      const left = (this.#working.get(org_id) ?? 1) - 1;
      if (left > 0) this.#working.set(org_id, left);
      else this.#working.delete(org_id);
    }
  }
}
