import { LRUCache } from 'lru-cache';

/** The fence of each id when its owner was asked; null where there was none. */
export type Fences = ReadonlyMap<string, string | null>;

const MOST = 200_000;
const KEPT_MS = 60_000;

/**
 * Things that their owners said are there, with the fences of that moment: while these stand, none of them was deleted.
 * That they do stand is looked up when an id is stored, so nothing here is the last word.
 */
export class KnownThings {
  /** With `max` the room for all of them would be laid out at once: 40 ms and 10 MB of every start. */
  readonly #things = new LRUCache<string, Fences>({ maxSize: MOST, sizeCalculation: () => 1, ttl: KEPT_MS });

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
