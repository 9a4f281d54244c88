/** Lets at most so many of each organization work at once. */
export class PerOrganizationLimit {
  readonly #most: number;
  readonly #working = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** The work's result; undefined when so many of the organization are at work already. */
  async run<T>(org_id: string, work: () => Promise<T>): Promise<T | undefined> {
    const others = this.#working.get(org_id) ?? 0;
    if (others >= this.#most) return undefined;
    this.#working.set(org_id, others + 1);
    try {
      return await work();
    } finally {
      const left = (this.#working.get(org_id) ?? 1) - 1;
      if (left > 0) this.#working.set(org_id, left);
      else this.#working.delete(org_id);
    }
  }
}
