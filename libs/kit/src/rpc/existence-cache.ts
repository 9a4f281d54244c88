import { LRUCache } from 'lru-cache';

/** The fence of each id when its owner was asked; null where there was none. */
export type Fences = ReadonlyMap<string, string | null>;

const MOST = 200_000;
const VALID_MS = 60_000;

/**
 * Things of other services that exist, as their owners said, with the fences of that moment. An entry follows the rule of all
 * caches (ADR 38), with the fences as its state: they are read before the owner is asked, and the transaction that stores the
 * id commits only if they are still equal (`References.confirm`). A fence is removed after an hour, so entries end long before.
 */
export class ExistenceCache {
  /** With `max` instead of `maxSize` all entries are allocated at the start: 40 ms and 10 MB. */
  readonly #things = new LRUCache<string, Fences>({ maxSize: MOST, sizeCalculation: () => 1, ttl: VALID_MS });

  find(org_id: string, thing: string): Fences | undefined {
    return this.#things.get(`${org_id} ${thing}`);
  }

  keep(org_id: string, thing: string, fences: Fences): void {
    this.#things.set(`${org_id} ${thing}`, fences);
  }

  forget(org_id: string, thing: string): void {
    this.#things.delete(`${org_id} ${thing}`);
  }
}
