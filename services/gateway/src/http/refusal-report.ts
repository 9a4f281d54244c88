import { MOST_REFUSALS, type Refused, refusalCalls } from '@teaching/contracts';
import { asSystem, callService, type Logger, newId, type Requester, FailureLog } from '@teaching/kit';

/** What is known of one request that was refused. */
export type OneRefused = Pick<Refused, 'org_id' | 'user_id' | 'method' | 'route' | 'status' | 'reason' | 'address'>;

interface Counted {
  row: Refused;
  minute: number;
  /** How many of them were kept already. */
  kept: number;
}

const MINUTE_MS = 60_000;
/** Rows of one org at a time; what is different from all of them is counted together. */
const MOST_OF_AN_ORG = 100;

/**
 * Who was refused in which org, counted by minute until it is kept. However many are refused, it holds a bounded number of
 * rows; beyond it nothing is counted until some are kept.
 */
export class RefusalCounts {
  readonly #rows = new Map<string, Counted>();
  readonly #ofOrg = new Map<string, number>();

  add(one: OneRefused, now: number): void {
    const minute = Math.floor(now / MINUTE_MS);
    const isOne = this.#rows.has(keyOf(one, minute)) || (this.#ofOrg.get(one.org_id) ?? 0) < MOST_OF_AN_ORG;
    const counted = isOne ? one : { ...one, user_id: null, method: null, route: null, address: null };
    const key = keyOf(counted, minute);
    const at = new Date(now).toISOString();
    const found = this.#rows.get(key);
    if (found !== undefined) {
      found.row = { ...found.row, count: found.row.count + 1, last_at: at };
    } else if (this.#rows.size < MOST_REFUSALS) {
      this.#rows.set(key, { row: { ...counted, id: newId(), count: 1, first_at: at, last_at: at }, minute, kept: 0 });
      this.#ofOrg.set(one.org_id, (this.#ofOrg.get(one.org_id) ?? 0) + 1);
    }
  }

  /** What is not kept yet. */
  news(): Refused[] {
    return [...this.#rows.values()].filter(({ row, kept }) => row.count > kept).map(({ row }) => row);
  }

  /** These are kept; what is of a minute that is over counts no more. */
  kept(rows: readonly Refused[], now: number): void {
    const counts = new Map(rows.map(({ id, count }) => [id, count]));
    for (const [key, one] of this.#rows) {
      one.kept = counts.get(one.row.id) ?? one.kept;
      if (one.kept < one.row.count || one.minute >= Math.floor(now / MINUTE_MS)) continue;
      this.#rows.delete(key);
      const left = (this.#ofOrg.get(one.row.org_id) ?? 1) - 1;
      if (left > 0) this.#ofOrg.set(one.row.org_id, left);
      else this.#ofOrg.delete(one.row.org_id);
    }
  }
}

const keyOf = ({ org_id, user_id, method, route, status, reason, address }: OneRefused, minute: number): string =>
  JSON.stringify([minute, org_id, user_id, method, route, status, reason, address]);

/** How often they are told, all of them in one call. */
const TELL_MS = 1_000;
const PATIENCE_MS = 3_000;

export interface RefusalReport {
  add(one: OneRefused): void;
  /** Tells what is left. */
  close(): Promise<void>;
}

/**
 * Has refusals kept by the class service, for supervisors to list. What cannot be kept is told again; what a gateway has
 * counted in the last second goes with it when it is killed.
 */
export const createRefusalReport = (requester: Requester, log: Logger): RefusalReport => {
  const counts = new RefusalCounts();
  const trouble = new FailureLog(log, 'refusals wait to be kept');
  let telling: Promise<void> | undefined;

  const tell = async (): Promise<void> => {
    const refused = counts.news();
    if (refused.length === 0) return counts.kept([], Date.now());
    try {
      await callService(asSystem(requester, PATIENCE_MS), refusalCalls.keep, { refused });
      counts.kept(refused, Date.now());
      trouble.over();
    } catch (error) {
      trouble.tell(error);
    }
  };
  const tellOnce = (): Promise<void> =>
    (telling ??= tell().finally(() => {
      telling = undefined;
    }));
  const timer = setInterval(() => void tellOnce(), TELL_MS).unref();
  return {
    add: (one) => counts.add(one, Date.now()),
    close: async () => {
      clearInterval(timer);
      await telling;
      await tellOnce();
    },
  };
};
