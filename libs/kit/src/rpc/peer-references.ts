import { setTimeout } from 'node:timers/promises';
import { Problem } from '@teaching/contracts';
import { LRUCache } from 'lru-cache';
import { newId } from '../base/ids.ts';
import { voidResult, p } from '../db/columns.ts';
import type { StatementRunner } from '../db/connection.ts';
import { type Statement, statement } from '../db/statement.ts';
import { table } from '../db/table.ts';

/** Ids of other services' things whose owner lately asked, in order to delete them, whether they are referred to. */
export const REFERENCE_FENCE = table('reference_fence', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  /** Another one each time the owner asks. */
  attempt: p.uuid(),
  at: p.text().columnType('timestamptz'),
});

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

/** What an owner says about things that somebody is going to refer to. */
export interface OwnerAnswer {
  /** Those whose deletion is under way: whether they stay is not decided yet. */
  leaving: readonly string[];
}

/** Of an organization: many may store references at once, or one owner may ask. Sent last, so it is held for moments. */
const RELY = statement('select rely_on($1, $2::uuid[], $3::uuid[])', { rely_on: voidResult() });
const SHUT = statement(`select own_turn($1, 'references')`, { own_turn: voidResult() });
const CLOSE = statement(
  `insert into reference_fence (org_id, id, attempt, at) values ($1, $2, $3, clock_timestamp())
   on conflict (org_id, id) do update set attempt = excluded.attempt, at = excluded.at`,
);
const FENCE = REFERENCE_FENCE.pick('id', 'attempt');
const READ = statement(
  `select ${FENCE.columns} from reference_fence where org_id = $1 and id = any($2::uuid[])`,
  FENCE.shape,
);

/** In a statement whose `$1` is the org: which of some ids, as SQL, are being deleted, as an array. */
export const idsBeingDeleted = (ids: string): string =>
  `array(select m.id from deletion_mark m where m.org_id = $1 and m.id = any(${ids}))`;

/** How long a request waits until a deletion is decided, and how often it looks. */
const PATIENCE_MS = 3_000;
const AGAIN_MS = 20;

interface Deps {
  org_id: () => string;
  deadline: number;
  existing: ExistenceCache;
  peek: <R>(what: Statement<R>, params: readonly unknown[]) => Promise<R[]>;
  connection: StatementRunner;
  aside: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * References of one call to things of other services (ADR 10). Before the transaction their owners are asked whether they
 * are there; in it, last of all, it is made sure that no owner came meanwhile to ask who refers to them.
 */
export class References {
  readonly #deps: Deps;
  readonly #relied = new Map<string, string | null>();
  /** Told from memory. */
  readonly #recalled: string[] = [];

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Asks the owner of these ids, in `prepare`, before the transaction stores them. What is being deleted is waited for,
   * up to three seconds; then 503.
   */
  async ask<T extends OwnerAnswer>(ids: readonly string[], question: () => Promise<T>): Promise<T> {
    const { said, fences } = await this.#ask(ids, question);
    this.#rely(fences);
    return said;
  }

  /**
   * The same for things that only have to be there: which of them are not. Who was said to be there lately is not asked
   * for again. A thing is an id, or several with a space between when the later is looked for within the earlier.
   */
  async missing(
    things: readonly string[],
    question: (unknown: string[]) => Promise<OwnerAnswer & { missing: readonly string[] }>,
  ): Promise<Set<string>> {
    const unknown = [...new Set(things)].filter((thing) => !this.#recall(thing));
    if (unknown.length === 0) return new Set();
    const ids = [...new Set(unknown.flatMap(idsOf))];
    const { said, fences } = await this.#ask(ids, () => question(unknown));
    this.#rely(fences);
    const missing = new Set(said.missing);
    for (const thing of unknown) {
      if (missing.has(thing)) continue;
      const own = new Map(idsOf(thing).map((id) => [id, fences.get(id) ?? null]));
      this.#deps.existing.keep(this.#deps.org_id(), thing, own);
    }
    return missing;
  }

  /**
   * Things that rows of one aggregate name already, which this transaction has locked and leaves with these references or
   * with other rows that have them: whoever asks at any moment finds them in use, so that they stay needs no last word.
   */
  trust(things: readonly string[]): void {
    for (const thing of things) for (const id of idsOf(thing)) this.#relied.delete(id);
  }

  /**
   * For the answer to an owner that is going to delete a thing: what is stored with its id from now on has to ask the
   * owner again, and what is under way is waited for. Statements sent after this see all references there are.
   */
  close(id: string): void {
    const org_id = this.#deps.org_id();
    this.#deps.connection.run(SHUT, [org_id]);
    this.#deps.connection.run(CLOSE, [org_id, id, newId()]);
  }

  /**
   * The last word before the commit, by what performs the call: with it the commit fails when a deletion came between,
   * and a second try sees what became of it.
   */
  confirm(): void {
    if (this.#relied.size === 0) return;
    this.#deps.connection.run(RELY, [this.#deps.org_id(), [...this.#relied.keys()], [...this.#relied.values()]]);
  }

  /** It lost a race: what was told from memory may be what was deleted. */
  forget(): void {
    for (const thing of this.#recalled) this.#deps.existing.forget(this.#deps.org_id(), thing);
  }

  async #ask<T extends OwnerAnswer>(
    ids: readonly string[],
    question: () => Promise<T>,
  ): Promise<{ said: T; fences: Fences }> {
    const until = Math.min(Date.now() + PATIENCE_MS, this.#deps.deadline);
    for (;;) {
      // Before the question: an owner that deletes after its answer comes here first.
      const fences = fencesOf(ids, await this.#deps.peek(READ, [this.#deps.org_id(), ids]));
      const said = await question();
      if (said.leaving.length === 0) return { said, fences };
      if (Date.now() >= until) throw new Problem('unavailable', 'Something that the request names is being deleted');
      await this.#deps.aside(() => setTimeout(AGAIN_MS));
    }
  }

  #recall(thing: string): boolean {
    const fences = this.#deps.existing.find(this.#deps.org_id(), thing);
    if (fences === undefined) return false;
    this.#recalled.push(thing);
    this.#rely(fences);
    return true;
  }

  #rely(fences: Fences): void {
    for (const [id, fence] of fences) if (!this.#relied.has(id)) this.#relied.set(id, fence);
  }
}

const idsOf = (thing: string): string[] => thing.split(' ');
const fencesOf = (ids: readonly string[], found: readonly { id: string; attempt: string }[]): Fences => {
  const fences = new Map(found.map(({ id, attempt }) => [id, attempt]));
  return new Map(ids.map((id) => [id, fences.get(id) ?? null]));
};
