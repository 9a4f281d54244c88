import { LRUCache } from 'lru-cache';
import { SerializedAnswer } from './handler.ts';
import type { Session } from './session.ts';

/**
 * Reads the state of the data behind an answer, for example the id of the last change. Two equal states mean equal
 * data, also after the database was restored from an older copy. `undefined`: no state is certain at this moment.
 */
export type StateReader = (session: Session) => Promise<string | undefined>;

/** An answer, and the time at which it changes although its data does not: epoch milliseconds; left out: never. */
export interface ComputedAnswer<A> {
  answer: A;
  until?: number;
}

interface Entry {
  state: string;
  from: number;
  until: number;
  written: SerializedAnswer<object>;
}

/** About 32 MB. The least recently used entries are removed first. */
const MOST_CHARACTERS = 16_000_000;

/** The entry of a key after its first request. An answer is only cached when it is requested a second time. */
const REQUESTED_ONCE: Entry = { state: '', from: Infinity, until: -Infinity, written: new SerializedAnswer({}) };

/** The definition of one cached answer. */
export interface CachedAnswer<A> {
  /**
   * The call and everything else that the answer depends on besides the data of the organization: the access of the
   * caller, the query. The first part decides the type of the answer.
   */
  key: readonly [call: string, ...rest: unknown[]];
  state: StateReader;
  compute: () => Promise<ComputedAnswer<A>>;
}

/**
 * Cached responses of one instance (ADR 38). An answer is stored only if the state is the same before and after it was
 * computed. An answer is taken from the cache only if the state, read after the request arrived, equals the state of
 * the entry. So every answer is the one that would be computed now, whichever instance wrote last. The cache needs no
 * clock, no messages between instances and no time to live.
 */
export class AnswerCache {
  readonly #entries = new LRUCache<string, Entry>({ maxSize: MOST_CHARACTERS });

  /** Returns the cached or computed answer. The handler checks access before this call, or while it reads the state. */
  async answer<A extends object>(
    session: Session,
    { key, state: readState, compute }: CachedAnswer<A>,
  ): Promise<A | SerializedAnswer<A>> {
    const name = JSON.stringify([session.org_id, session.cursor_secrets, ...key]);
    const entry = this.#entries.get(name);
    if (entry === undefined) {
      this.#entries.set(name, REQUESTED_ONCE, { size: name.length });
      return (await compute()).answer;
    }
    const now = session.now.getTime();
    const state = await readState(session);
    const isCurrent = entry.state === state && entry.from <= now && now < entry.until;
    if (isCurrent) return entry.written as SerializedAnswer<A>;
    const { answer, until = Infinity } = await compute();
    if (state === undefined || (await readState(session)) !== state) return answer;
    const written = new SerializedAnswer(answer);
    const size = name.length + state.length + written.text.length;
    this.#entries.set(name, { state, from: now, until, written }, { size });
    return written;
  }
}
