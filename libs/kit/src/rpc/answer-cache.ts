import { LRUCache } from 'lru-cache';
import { WrittenAnswer } from './handler.ts';
import type { Session } from './session.ts';

/**
 * Reads the state of the data that an answer is made of, for example the id of the last change. Two equal states mean equal
 * data, also after the database was restored to an older copy. `undefined`: there is no certain state at this moment.
 */
export type ReadState = (session: Session) => Promise<string | undefined>;

/** An answer, and the time at which it changes although the data does not: epoch milliseconds, never if left out. */
export interface Computed<A> {
  answer: A;
  until?: number;
}

interface Entry {
  state: string;
  from: number;
  until: number;
  written: WrittenAnswer<object>;
}

/** About 32 MB. The entries that were not used for the longest time go first. */
const MOST_CHARACTERS = 16_000_000;

/** Stands for a key that was asked for once: an answer that is not asked for again is not worth keeping. */
const ASKED_ONCE: Entry = { state: '', from: Infinity, until: -Infinity, written: new WrittenAnswer({}) };

/** What makes up one cached answer. */
export interface Cached<A> {
  /**
   * Names the call and all that the answer depends on beside the data of the organization: what the caller may see, the query.
   * Its first part decides the type of the answer.
   */
  key: readonly [call: string, ...rest: unknown[]];
  state: ReadState;
  compute: () => Promise<Computed<A>>;
}

/**
 * Cached responses of one instance (ADR 38). The rule: read the state, compute the answer, read the state again, and keep
 * the answer only if both states are equal; answer from the cache only if the state read after the request arrived equals
 * the state of the entry. So an answer is the one that would be computed now, whichever instance wrote last: no clock, no
 * message between instances and no time to live is involved.
 */
export class AnswerCache {
  readonly #entries = new LRUCache<string, Entry>({ maxSize: MOST_CHARACTERS });

  /** The cached or computed answer. That the caller may ask at all is checked before, or where the state is read. */
  async answer<A extends object>(
    session: Session,
    { key, state: readState, compute }: Cached<A>,
  ): Promise<A | WrittenAnswer<A>> {
    const name = JSON.stringify([session.org_id, session.cursor_secrets, ...key]);
    const entry = this.#entries.get(name);
    if (entry === undefined) {
      this.#entries.set(name, ASKED_ONCE, { size: name.length });
      return (await compute()).answer;
    }
    const now = session.now.getTime();
    const state = await readState(session);
    const isCurrent = entry.state === state && entry.from <= now && now < entry.until;
    if (isCurrent) return entry.written as WrittenAnswer<A>;
    const { answer, until = Infinity } = await compute();
    if (state === undefined || (await readState(session)) !== state) return answer;
    const written = new WrittenAnswer(answer);
    const size = name.length + state.length + written.text.length;
    this.#entries.set(name, { state, from: now, until, written }, { size });
    return written;
  }
}
