import { MAX_REFUSALS, refusalCalls, type Refused } from '@teaching/contracts';
import {
  systemCaller,
  callService,
  type Logger,
  newId,
  record,
  type Requester,
  traceId,
  FailureLog,
} from '@teaching/kit';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../auth/authenticate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, once it is identified. */
    identity: Caller | null;
    /** The reason of the refusal when the status does not name it; otherwise empty. */
    refusal: string;
  }
}

/** The reason by status when no more specific one is known. */
const REASONS: Readonly<Record<number, string>> = {
  401: 'no_token',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
};

/**
 * Counts refusals of a caller by reason (401, 403, 429, and 404 of a record that may belong to another person), and
 * writes them to the log with address, caller and route. It never logs a token, a raw path or a body. Refusals of an
 * organization are reported for its supervisors.
 */
export const registerRefusals = (app: FastifyInstance, log: Logger, report: RefusalReport): void => {
  app.decorateRequest('identity', null);
  app.decorateRequest('refusal', '');
  app.addHook('onResponse', (request, reply, done) => {
    const { identity, refusal } = request;
    const byStatus = REASONS[reply.statusCode];
    if (byStatus !== undefined) {
      const reason = refusal || byStatus;
      record.refused(reason);
      log.info(
        {
          request_id: request.id,
          trace_id: request.trace_id || traceId(request.id),
          reason,
          address: request.ip,
          org_id: identity?.org_id,
          user_id: identity?.user_id,
          method: request.method,
          route: request.routeOptions.url,
          status: reply.statusCode,
        },
        'refused',
      );
      if (identity !== null) {
        const { org_id, user_id } = identity;
        const { method, ip: address, routeOptions } = request;
        report.add({
          org_id,
          user_id,
          method,
          route: routeOptions.url ?? null,
          status: reply.statusCode,
          reason,
          address,
        });
      }
    }
    done();
  });
};

/** One refused request. */
export type RefusedRequest = Pick<Refused, 'org_id' | 'user_id' | 'method' | 'route' | 'status' | 'reason' | 'address'>;

interface Counted {
  row: Refused;
  minute: number;
  /** The count that is already stored. */
  markStored: number;
}

const MINUTE_MS = 60_000;
/** Rows per organization at a time; further different refusals are counted in one row. */
const MOST_OF_AN_ORG = 100;

/**
 * Refusals by organization and minute until they are stored. The number of rows is bounded; beyond it nothing is
 * counted until some rows are stored.
 */
export class RefusalCounts {
  readonly #rows = new Map<string, Counted>();
  readonly #ofOrg = new Map<string, number>();

  add(one: RefusedRequest, now: number): void {
    const minute = Math.floor(now / MINUTE_MS);
    const isOne = this.#rows.has(keyOf(one, minute)) || (this.#ofOrg.get(one.org_id) ?? 0) < MOST_OF_AN_ORG;
    const counted = isOne ? one : { ...one, user_id: null, method: null, route: null, address: null };
    const key = keyOf(counted, minute);
    const at = new Date(now).toISOString();
    const found = this.#rows.get(key);
    if (found !== undefined) {
      found.row = { ...found.row, count: found.row.count + 1, last_at: at };
    } else if (this.#rows.size < MAX_REFUSALS) {
      this.#rows.set(key, {
        row: { ...counted, id: newId(), count: 1, first_at: at, last_at: at },
        minute,
        markStored: 0,
      });
      this.#ofOrg.set(one.org_id, (this.#ofOrg.get(one.org_id) ?? 0) + 1);
    }
  }

  /** The rows with refusals that are not stored yet. */
  unsavedRows(): Refused[] {
    return [...this.#rows.values()].filter(({ row, markStored }) => row.count > markStored).map(({ row }) => row);
  }

  /** Marks rows as stored, and deletes stored rows of a past minute. */
  kept(rows: readonly Refused[], now: number): void {
    const counts = new Map(rows.map(({ id, count }) => [id, count]));
    for (const [key, one] of this.#rows) {
      one.markStored = counts.get(one.row.id) ?? one.markStored;
      if (one.markStored < one.row.count || one.minute >= Math.floor(now / MINUTE_MS)) continue;
      this.#rows.delete(key);
      const left = (this.#ofOrg.get(one.row.org_id) ?? 1) - 1;
      if (left > 0) this.#ofOrg.set(one.row.org_id, left);
      else this.#ofOrg.delete(one.row.org_id);
    }
  }
}

const keyOf = ({ org_id, user_id, method, route, status, reason, address }: RefusedRequest, minute: number): string =>
  JSON.stringify([minute, org_id, user_id, method, route, status, reason, address]);

/** Interval between two reports; each sends all rows in one call. */
const SEND_MS = 1_000;
const PATIENCE_MS = 3_000;

interface RefusalReport {
  add(one: RefusedRequest): void;
  /** Sends the remaining rows. */
  close(): Promise<void>;
}

/**
 * Stores refusals in the class service, for supervisors to list. Rows that cannot be stored are sent again. A killed
 * gateway loses the refusals of its last second.
 */
export const createRefusalReport = (requester: Requester, log: Logger): RefusalReport => {
  const counts = new RefusalCounts();
  const failures = new FailureLog(log, 'waiting to store refusals');
  let sending: Promise<void> | undefined;

  const send = async (): Promise<void> => {
    const refused = counts.unsavedRows();
    if (refused.length === 0) return counts.kept([], Date.now());
    try {
      await callService(systemCaller(requester, PATIENCE_MS), refusalCalls.keep, { refused });
      counts.kept(refused, Date.now());
      failures.logRecovery();
    } catch (error) {
      failures.report(error);
    }
  };
  const sendOnce = (): Promise<void> =>
    (sending ??= send().finally(() => {
      sending = undefined;
    }));
  const timer = setInterval(() => void sendOnce(), SEND_MS).unref();
  return {
    add: (one) => counts.add(one, Date.now()),
    close: async () => {
      clearInterval(timer);
      await sending;
      await sendOnce();
    },
  };
};
