import { accessCalls, type Output, Problem, type RevokedPerson, type RevocationOffset } from '@teaching/contracts';
import { systemCaller, callService, HOUR_MS, type Logger, type Requester, FailureLog, wait } from '@teaching/kit';
import { type Caller, Unauthenticated } from './authenticate.ts';

/**
 * Milliseconds between two requests. With one lost request, its repeat and the answer, a revocation applies within 5 s.
 */
const PAUSE_MS = 1_000;
const ANSWER_MS = 1_500;
/** Before the first list: shorter pauses and a longer timeout. A missing service answers at once. */
const FIRST_PAUSE_MS = 250;
const FIRST_ANSWER_MS = 10_000;
/** After this time without an answer the whole list is read again; the service keeps lifted revocations for a day. */
const FORGET_MS = HOUR_MS;
const LOG_INTERVAL_MS = 5_000;

type Page = Output<typeof accessCalls.listRevokedPeople>;
/** Reads a page of revocations. */
export type FetchRevocations = (after: RevocationOffset | null, beyond: RevokedPerson | null) => Promise<Page>;

/**
 * By organization and person: tokens issued up to this time are refused, in epoch milliseconds. Infinity refuses all of
 * them.
 */
type Until = Map<string, Map<string, number>>;

/** The people and organizations whose tokens are revoked. */
export interface Revocations {
  /** False until the list was read, and when its last read is too old. */
  isFresh: () => boolean;
  /** Milliseconds since the last read of the list; undefined before the first. */
  age_ms: () => number | undefined;
  /** Throws 401 for a revoked caller, and 503 for every caller while the list is unknown. */
  check: (caller: Pick<Caller, 'org_id' | 'user_id' | 'issued_ms'>) => void;
  /** Grows with each read that may have revoked access. Until then a caller that `check` accepted is still accepted. */
  version: () => number;
}

interface RevocationOptions {
  fetchPage: FetchRevocations;
  /** Milliseconds for which the list stays valid without a further read. */
  maxStale_ms: number;
  failureLog: FailureLog;
  clock?: () => number;
}

/** Stores the revocations that the class service returns, page by page and change by change. */
export class RevocationList implements Revocations {
  #until: Until = new Map();
  /** Organizations that were deleted. */
  #over = new Set<string>();
  #place: RevocationOffset | null = null;
  #heardAt = -Infinity;
  #version = 0;
  readonly #options: Required<RevocationOptions>;

  constructor(options: RevocationOptions) {
    this.#options = { clock: () => performance.now(), ...options };
  }

  isFresh = (): boolean => this.#options.clock() - this.#heardAt <= this.#options.maxStale_ms;

  age_ms = (): number | undefined => (this.#heardAt === -Infinity ? undefined : this.#options.clock() - this.#heardAt);

  version = (): number => this.#version;

  check = ({ org_id, user_id, issued_ms }: Pick<Caller, 'org_id' | 'user_id' | 'issued_ms'>): void => {
    if (!this.isFresh()) throw new Problem('unavailable', 'The list of revoked people is not available');
    if (this.#over.has(org_id))
      throw new Unauthenticated('inactive', 'The organization was deleted: its tokens are no longer valid');
    const until = this.#until.get(org_id)?.get(user_id);
    if (until === undefined || issued_ms > until) return;
    throw until === Infinity
      ? new Unauthenticated(
          'inactive',
          'The organization has made this person inactive: their tokens are no longer valid',
        )
      : new Unauthenticated('signed_out', 'The person was signed out after this token was issued: sign in again');
  };

  /** Reads the changes, or the whole list. Rejects when a page fails; changes already applied stay. */
  async readChanges(): Promise<void> {
    const { fetchPage, clock } = this.#options;
    const began = clock();
    const first = await fetchPage(began - this.#heardAt > FORGET_MS ? null : this.#place, null);
    // A whole list replaces the previous one only when all its pages are read.
    const until = first.whole ? new Map() : this.#until;
    const over = new Set(first.whole ? first.over : [...this.#over, ...first.over]);
    const after = first.whole ? null : this.#place;
    for (let page = first; ;) {
      if (first.whole || page.items.length > 0 || page.over.length > 0) this.#version += 1;
      for (const one of page.items) store(until, one);
      const last = page.items.at(-1);
      if (!page.more || last === undefined) break;
      page = await fetchPage(after, last);
      if (page.place.database !== first.place.database)
        throw new Error('the class service changed to another database during the read');
    }
    this.#until = until;
    this.#over = over;
    this.#place = first.place;
    this.#heardAt = began;
  }

  /** Reads the changes and logs a failure. Never rejects. */
  async readOnce(): Promise<void> {
    const { failureLog } = this.#options;
    try {
      await this.readChanges();
      failureLog.logRecovery();
    } catch (error) {
      failureLog.report(error instanceof Error ? error.message : String(error));
    }
  }

  /** Reads the changes repeatedly until `stop` is aborted. */
  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await wait(this.isFresh() ? PAUSE_MS : FIRST_PAUSE_MS, stop);
      if (!stop.aborted) await this.readOnce();
    }
  }
}

const store = (until: Until, { org_id, user_id, inactive, signed_out_at }: RevokedPerson): void => {
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
  const failureLog = new FailureLog(log, 'waiting for the list of revoked people', LOG_INTERVAL_MS);
  const fetchPage: FetchRevocations = (after, beyond) => {
    const key = beyond && { org_id: beyond.org_id, user_id: beyond.user_id };
    const timeout_ms = list.isFresh() ? ANSWER_MS : FIRST_ANSWER_MS;
    return callService(systemCaller(requester, timeout_ms), accessCalls.listRevokedPeople, { after, beyond: key });
  };
  const list: RevocationList = new RevocationList({ fetchPage, maxStale_ms, failureLog });
  await list.readOnce();
  void list.run(stop);
  return list;
};
