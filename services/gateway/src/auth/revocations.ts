import { accessCalls, type Output, Problem, type ShutOut, type ShutOutPlace } from '@teaching/contracts';
import { systemCaller, callService, HOUR_MS, type Logger, type Requester, FailureLog, wait } from '@teaching/kit';
import { type Caller, Unauthenticated } from './authenticate.ts';

/** With the time of one lost request, its repeat and the answer, a revocation applies within 5 s. */
const PAUSE_MS = 1_000;
const ANSWER_MS = 1_500;
/** While nothing is known yet: shorter pauses, and longer waits for the answer. A missing service answers at once. */
const FIRST_PAUSE_MS = 250;
const FIRST_ANSWER_MS = 10_000;
/** After this time without an answer the whole list is read again; the service keeps lifted revocations for a day. */
const FORGET_MS = HOUR_MS;
const SAY_MS = 5_000;

type Page = Output<typeof accessCalls.listShutOut>;
/** Reads a page of revocations. */
export type FetchRevocations = (after: ShutOutPlace | null, beyond: ShutOut | null) => Promise<Page>;

/**
 * By organization and person: tokens that were issued up to then are refused, in epoch milliseconds; all of them where it is
 * infinite.
 */
type Until = Map<string, Map<string, number>>;

/** The people and organizations whose tokens are revoked. */
export interface Revocations {
  /** False until the list was read, and when its last read is too old. */
  isSure: () => boolean;
  /** Milliseconds since it was heard; undefined before that. */
  age_ms: () => number | undefined;
  /** Throws 401 for a revoked caller, and 503 for every caller while the list is unknown. */
  check: (caller: Pick<Caller, 'org_id' | 'user_id' | 'issued_ms'>) => void;
}

interface RevocationOptions {
  ask: FetchRevocations;
  /** Milliseconds for which what was heard counts while nothing more is. */
  maxStale_ms: number;
  teller: FailureLog;
  clock?: () => number;
}

/** Remembers what the class service tells, page by page and change by change. */
export class RevocationList implements Revocations {
  #until: Until = new Map();
  /** Organizations that were deleted. */
  #over = new Set<string>();
  #place: ShutOutPlace | null = null;
  #heardAt = -Infinity;
  readonly #options: Required<RevocationOptions>;

  constructor(options: RevocationOptions) {
    this.#options = { clock: Date.now, ...options };
  }

  isSure = (): boolean => this.#options.clock() - this.#heardAt <= this.#options.maxStale_ms;

  age_ms = (): number | undefined => (this.#heardAt === -Infinity ? undefined : this.#options.clock() - this.#heardAt);

  check = ({ org_id, user_id, issued_ms }: Pick<Caller, 'org_id' | 'user_id' | 'issued_ms'>): void => {
    if (!this.isSure()) throw new Problem('unavailable', 'Who must not enter is not known');
    if (this.#over.has(org_id))
      throw new Unauthenticated('inactive', 'The organization was deleted: no token of its people is good');
    const until = this.#until.get(org_id)?.get(user_id);
    if (until === undefined || issued_ms > until) return;
    throw until === Infinity
      ? new Unauthenticated('inactive', 'The organization has set this person inactive: no token of theirs is good')
      : new Unauthenticated('signed_out', 'The person was signed out after this token was issued: sign in again');
  };

  /** Hears what is new, or all; rejects when it does not come to the end of it. What it heard so far counts. */
  async hear(): Promise<void> {
    const { ask, clock } = this.#options;
    const began = clock();
    const first = await ask(began - this.#heardAt > FORGET_MS ? null : this.#place, null);
    // Nothing of a list is used before its end: until then the one before counts.
    const until = first.whole ? new Map() : this.#until;
    const over = new Set(first.whole ? first.over : [...this.#over, ...first.over]);
    const after = first.whole ? null : this.#place;
    for (let page = first; ;) {
      for (const one of page.items) remember(until, one);
      const last = page.items.at(-1);
      if (!page.more || last === undefined) break;
      page = await ask(after, last);
      if (page.place.database !== first.place.database) throw new Error('the database became another one meanwhile');
    }
    this.#until = until;
    this.#over = over;
    this.#place = first.place;
    this.#heardAt = began;
  }

  /** Hears what is new, and says what is in the way. Never rejects. */
  async hearOnce(): Promise<void> {
    const { teller } = this.#options;
    try {
      await this.hear();
      teller.over();
    } catch (error) {
      teller.tell(error instanceof Error ? error.message : String(error));
    }
  }

  /** Hears what is new again and again until `stop` is aborted. */
  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await wait(this.isSure() ? PAUSE_MS : FIRST_PAUSE_MS, stop);
      if (!stop.aborted) await this.hearOnce();
    }
  }
}

const remember = (until: Until, { org_id, user_id, inactive, signed_out_at }: ShutOut): void => {
  const ofOrg = until.get(org_id) ?? new Map<string, number>();
  if (inactive) ofOrg.set(user_id, Infinity);
  else if (signed_out_at === null) ofOrg.delete(user_id);
  else ofOrg.set(user_id, Date.parse(signed_out_at));
  if (ofOrg.size > 0) until.set(org_id, ofOrg);
  else until.delete(org_id);
};

/** Follows the list of revocations; resolves after the first read, also after a failed one. `stop` ends it. */
export const followRevocations = async (
  requester: Requester,
  maxStale_ms: number,
  log: Logger,
  stop: AbortSignal,
): Promise<Revocations> => {
  const teller = new FailureLog(log, 'waiting to hear who must not enter', SAY_MS);
  const ask: FetchRevocations = (after, beyond) => {
    const key = beyond && { org_id: beyond.org_id, user_id: beyond.user_id };
    const patience_ms = list.isSure() ? ANSWER_MS : FIRST_ANSWER_MS;
    return callService(systemCaller(requester, patience_ms), accessCalls.listShutOut, { after, beyond: key });
  };
  const list: RevocationList = new RevocationList({ ask, maxStale_ms, teller });
  await list.hearOnce();
  void list.run(stop);
  return list;
};
