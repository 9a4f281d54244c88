import { setTimeout } from 'node:timers/promises';
import { Problem } from '@teaching/contracts';
import { LRUCache } from 'lru-cache';
import { newId } from '../base/ids.ts';
import { voidResult, p } from '../db/columns.ts';
import type { StatementRunner } from '../db/connection.ts';
import { type Statement, statement } from '../db/statement.ts';
import { table } from '../db/table.ts';

/** Records of other services whose owner asked lately, before a deletion, how many references this service has. */
export const REFERENCE_FENCE = table('reference_fence', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  /** A new value each time the owner asks. */
  attempt: p.uuid(),
  at: p.text().columnType('timestamptz'),
});

/** The fence of each id at the time its owner was asked; null if there was none. */
export type Fences = ReadonlyMap<string, string | null>;

const MOST = 200_000;
const VALID_MS = 60_000;

/**
 * Caches which records of other services exist, with the fences of that moment. The fences are the state of an entry
 * (ADR 38): they are read before the owner is asked, and the transaction that stores the id commits only if they are
 * equal then (`References.confirm`). Fences are removed after an hour, long after a cache entry has expired.
 */
export class ExistenceCache {
  /** With `max` instead of `maxSize` all entries are allocated at the start: 40 ms and 10 MB. */
  readonly #entries = new LRUCache<string, Fences>({ maxSize: MOST, sizeCalculation: () => 1, ttl: VALID_MS });

  find(org_id: string, key: string): Fences | undefined {
    return this.#entries.get(`${org_id} ${key}`);
  }

  store(org_id: string, key: string, fences: Fences): void {
    this.#entries.set(`${org_id} ${key}`, fences);
  }

  forget(org_id: string, key: string): void {
    this.#entries.delete(`${org_id} ${key}`);
  }
}

/** The answer of a service about records of its own that another service is going to refer to. */
export interface OwnerAnswer {
  /** The ids of records with a running deletion: it is not decided yet whether they stay. */
  leaving: readonly string[];
}

/**
 * Locks per organization: many transactions may store references at once, or one owner may ask for them. `RELY` is sent
 * last, so that the lock is held for a short time.
 */
const RELY = statement('select rely_on($1, $2::uuid[], $3::uuid[])', { rely_on: voidResult() });
const LOCK_REFERENCES = statement(`select own_turn($1, 'references')`, { own_turn: voidResult() });
const SET_FENCE = statement(
  `insert into reference_fence (org_id, id, attempt, at) values ($1, $2, $3, clock_timestamp())
   on conflict (org_id, id) do update set attempt = excluded.attempt, at = excluded.at`,
);
const FENCE = REFERENCE_FENCE.pick('id', 'attempt');
const READ_FENCES = statement(
  `select ${FENCE.columns} from reference_fence where org_id = $1 and id = any($2::uuid[])`,
  FENCE.shape,
);

/** A SQL expression for statements whose `$1` is the org: the array of those of `ids` (SQL) with a running deletion. */
export const idsBeingDeleted = (ids: string): string =>
  `array(select m.id from deletion_mark m where m.org_id = $1 and m.id = any(${ids}))`;

/** How long a request waits until a running deletion is decided, and how often it checks. */
const WAIT_MS = 3_000;
const POLL_MS = 20;

interface Deps {
  org_id: () => string;
  deadline: number;
  existing: ExistenceCache;
  peek: <R>(query: Statement<R>, params: readonly unknown[]) => Promise<R[]>;
  connection: StatementRunner;
  releaseDuring: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * The references of one call to records of other services (ADR 10). Before the transaction, the owners are asked
 * whether the records exist. Its last statement checks that no owner has asked for references to them since, to delete
 * them.
 */
export class References {
  readonly #deps: Deps;
  readonly #fences = new Map<string, string | null>();
  /** The keys that were found in the cache. */
  readonly #cachedKeys: string[] = [];

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * For `prepare`. Asks the owner of these ids before the transaction stores them. Waits up to three seconds for
   * running deletions to be decided, then refuses with 503.
   */
  async checkWithOwner<T extends OwnerAnswer>(ids: readonly string[], query: () => Promise<T>): Promise<T> {
    const { answer, fences } = await this.#ask(ids, query);
    this.#addFences(fences);
    return answer;
  }

  /**
   * The same for records that only have to exist. Returns the keys that do not exist. Keys that existed less than a
   * minute ago are taken from the cache. A key is an id, or several ids separated by spaces: each is looked up within
   * the one before.
   */
  async findMissing(
    keys: readonly string[],
    query: (unknown: string[]) => Promise<OwnerAnswer & { missing: readonly string[] }>,
  ): Promise<Set<string>> {
    const unknown = [...new Set(keys)].filter((key) => !this.#takeFromCache(key));
    if (unknown.length === 0) return new Set();
    const ids = [...new Set(unknown.flatMap(idsOf))];
    const { answer, fences } = await this.#ask(ids, () => query(unknown));
    this.#addFences(fences);
    const missing = new Set(answer.missing);
    for (const key of unknown) {
      if (missing.has(key)) continue;
      const own = new Map(idsOf(key).map((id) => [id, fences.get(id) ?? null]));
      this.#deps.existing.store(this.#deps.org_id(), key, own);
    }
    return missing;
  }

  /**
   * Excludes from the final check the records that rows of a locked aggregate refer to already. The transaction keeps
   * these references, or stores other rows with them. So a service that asks at any moment finds the records in use.
   */
  trustStored(keys: readonly string[]): void {
    for (const key of keys) for (const id of idsOf(key)) this.#fences.delete(id);
  }

  /**
   * For the answer to an owner that is going to delete a record. Waits for running transactions that store its id, and
   * sets a fence: later ones have to ask the owner again. Statements sent after this see all stored references.
   */
  setFence(id: string): void {
    const org_id = this.#deps.org_id();
    this.#deps.connection.run(LOCK_REFERENCES, [org_id]);
    this.#deps.connection.run(SET_FENCE, [org_id, id, newId()]);
  }

  /**
   * Sends the final check, just before the commit. The commit fails if an owner has asked for references in the
   * meantime, and a retry finds out whether the record still exists.
   */
  confirm(): void {
    if (this.#fences.size === 0) return;
    this.#deps.connection.run(RELY, [this.#deps.org_id(), [...this.#fences.keys()], [...this.#fences.values()]]);
  }

  /** After a lost race: removes the keys of this call from the cache, since their records may have been deleted. */
  forgetCached(): void {
    for (const key of this.#cachedKeys) this.#deps.existing.forget(this.#deps.org_id(), key);
  }

  async #ask<T extends OwnerAnswer>(
    ids: readonly string[],
    query: () => Promise<T>,
  ): Promise<{ answer: T; fences: Fences }> {
    const until = Math.min(performance.now() + WAIT_MS, this.#deps.deadline);
    for (;;) {
      // Before the query: an owner that deletes after its answer asks this service first, which changes the fence.
      const fences = fencesOf(ids, await this.#deps.peek(READ_FENCES, [this.#deps.org_id(), ids]));
      const answer = await query();
      if (answer.leaving.length === 0) return { answer, fences };
      if (performance.now() >= until)
        throw new Problem('unavailable', 'A record that the request refers to is being deleted');
      await this.#deps.releaseDuring(() => setTimeout(POLL_MS));
    }
  }

  #takeFromCache(key: string): boolean {
    const fences = this.#deps.existing.find(this.#deps.org_id(), key);
    if (fences === undefined) return false;
    this.#cachedKeys.push(key);
    this.#addFences(fences);
    return true;
  }

  #addFences(fences: Fences): void {
    for (const [id, fence] of fences) if (!this.#fences.has(id)) this.#fences.set(id, fence);
  }
}

const idsOf = (key: string): string[] => key.split(' ');
const fencesOf = (ids: readonly string[], found: readonly { id: string; attempt: string }[]): Fences => {
  const fences = new Map(found.map(({ id, attempt }) => [id, attempt]));
  return new Map(ids.map((id) => [id, fences.get(id) ?? null]));
};
