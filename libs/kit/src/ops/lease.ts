import type { Logger } from 'pino';
import { wait } from '../base/wait.ts';
import { withTimeout } from '../base/timeout.ts';
import type { Address } from '../db/address.ts';
import { connectionOptions } from '../db/pool.ts';
import { DatabaseClient, queryRows } from '../db/database-client.ts';
import { notNull, p } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import { watchConnection } from '../db/connection-watchdog.ts';
import { record } from '../telemetry/metrics.ts';
import { DUTY } from './lease.table.ts';

/** Interval at which other instances try to get the lease. A killed leader is replaced at most this much later. */
const RETRY_MS = 1_000;
const HEARTBEAT_MS = 2_000;
/**
 * A leader whose heartbeat gets no answer for this long stops leading before the database gives its lease to another
 * instance.
 */
const ANSWER_TIMEOUT_MS = 5_000;
/** Postgres ends the session of a leader that sends nothing for this long: it is frozen or cut off. */
const IDLE_MS = 8_000;

/** One term of leadership. Its holder does the work that only one instance of the service may do. */
export interface Lease {
  /** The name of the lease. */
  duty: string;
  /** Increases with each change of leader; it identifies transactions of former terms. */
  term: number;
  /** Begin of the term, in milliseconds of `performance.now()`. */
  since: number;
  /** Aborted when the lease is lost or the process stops. */
  signal: AbortSignal;
}

const TRY_LOCK = statement('select pg_try_advisory_lock(hashtextextended($1, 7)) as is_mine', {
  is_mine: notNull(p.boolean()),
});
const TERM = DUTY.pick('term');
const BEGIN_TERM = statement(
  `insert into duty (name, term) values ($1, 1)
   on conflict (name) do update set term = duty.term + 1, since = now() returning term`,
  TERM.shape,
);
const HEARTBEAT = statement('select 1 as alive', { alive: notNull(p.integer()) });

const NO_ANSWER = 'the database does not answer';

export interface LeaseOptions {
  address: Address;
  /** The name of the lease, unique in a database. */
  name: string;
  log: Logger;
  stop: AbortSignal;
}

/** Tries to get the lease until it succeeds. Returns its term, or undefined when stopped. */
const acquire = async (client: DatabaseClient, { name, stop }: LeaseOptions): Promise<number | undefined> => {
  while (!stop.aborted) {
    const [lock] = await withTimeout(ANSWER_TIMEOUT_MS, NO_ANSWER, queryRows(client, TRY_LOCK, name));
    if (lock?.is_mine === true) {
      const [begun] = await withTimeout(ANSWER_TIMEOUT_MS, NO_ANSWER, queryRows(client, BEGIN_TERM, name));
      return begun?.term ?? 0;
    }
    await wait(RETRY_MS, stop);
  }
  return undefined;
};

const lead = async (client: DatabaseClient, term: number, { name, stop }: LeaseOptions, work: Work): Promise<void> => {
  const lost = new AbortController();
  const end = (): void => lost.abort();
  client.on('error', end);
  client.on('end', end);
  stop.addEventListener('abort', end, { once: true });
  if (stop.aborted) end();
  // After a freeze of the process this timer fires first, so it notices the lost lease before it does other work.
  const answerTimer = setTimeout(end, ANSWER_TIMEOUT_MS);
  const heartbeat = setInterval(() => {
    queryRows(client, HEARTBEAT).then(() => answerTimer.refresh(), end);
  }, HEARTBEAT_MS);
  try {
    record.leaderTerm(name);
    await work({ duty: name, term, since: performance.now(), signal: lost.signal });
  } finally {
    clearInterval(heartbeat);
    clearTimeout(answerTimer);
    stop.removeEventListener('abort', end);
    lost.abort();
  }
};

type Work = (lease: Lease) => Promise<void>;

/**
 * Runs several pieces of work under one lease. If one fails, the others end too; the lease is released after all have
 * ended.
 */
export const runTogether =
  (...works: readonly Work[]): Work =>
  async ({ signal, ...rest }) => {
    const failed = new AbortController();
    const lease = { ...rest, signal: AbortSignal.any([signal, failed.signal]) };
    const ends = await Promise.allSettled(
      works.map((work) =>
        work(lease).catch((error: unknown) => {
          failed.abort();
          throw error;
        }),
      ),
    );
    const end = ends.find(({ status }) => status === 'rejected');
    if (end?.status === 'rejected') throw end.reason;
  };

/**
 * Runs `work` in one process at a time, under an advisory lock that one connection holds for all work of the leader. A
 * killed leader is replaced within about a second, a frozen or disconnected one within ten. Resolves when `stop` is
 * aborted and the work has ended.
 */
export const runAsLeader = async (options: LeaseOptions, work: Work): Promise<void> => {
  const { address, name, log, stop } = options;
  while (!stop.aborted) {
    const client = new DatabaseClient(
      connectionOptions(address, `${name} lease`, { idle_session_timeout: `${IDLE_MS}ms` }),
    );
    watchConnection(client);
    let pause = RETRY_MS;
    try {
      await client.connect();
      const term = await acquire(client, options);
      if (term !== undefined) await lead(client, term, options, work);
      // The former leader may try again at once after it lost its connection.
      pause = 0;
    } catch (error) {
      if (!stop.aborted) log.warn({ err: error, duty: name }, 'the lease was lost, trying again');
    } finally {
      // Closing the connection releases the lock in any state. A dead connection is not waited for.
      await withTimeout(HEARTBEAT_MS, NO_ANSWER, client.end()).catch(() => {});
    }
    await wait(pause, stop);
  }
};
