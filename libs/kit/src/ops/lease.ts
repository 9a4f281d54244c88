import type { Logger } from 'pino';
import { wait } from '../base/wait.ts';
import { withTimeout } from '../base/timeout.ts';
import type { Address } from '../db/address.ts';
import { connectionOptions } from '../db/pool.ts';
import { DatabaseClient, queryRows } from '../db/database-client.ts';
import { always, p } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import { watchConnection } from '../db/connection-watchdog.ts';
import { record } from '../telemetry/metrics.ts';
import { DUTY } from './lease.table.ts';

/** Others try this often; it is also how long a killed leader's duties lie idle at most. */
const TRY_MS = 1_000;
const BEAT_MS = 2_000;
/** A leader whose heartbeat gets no answer steps down before the database gives its duties to somebody else. */
const SILENCE_MS = 5_000;
/** The database ends the session of a leader that says nothing for this long: it is frozen, or cut off. */
const IDLE_MS = 8_000;

/** One term of leading: who has it does what only one instance of the service may do. */
export interface Lease {
  /** What is led. */
  duty: string;
  /** Counts up with every change of leader; a transaction of a former term can be told by it. */
  term: number;
  /** When it began, in epoch milliseconds. */
  since: number;
  /** Aborted when the lease is lost or the process stops. */
  signal: AbortSignal;
}

const TRY_LOCK = statement('select pg_try_advisory_lock(hashtextextended($1, 7)) as is_mine', {
  is_mine: always(p.boolean()),
});
const TERM = DUTY.some('term');
const BEGIN_TERM = statement(
  `insert into duty (name, term) values ($1, 1)
   on conflict (name) do update set term = duty.term + 1, since = now() returning term`,
  TERM.shape,
);
const BEAT = statement('select 1 as alive', { alive: always(p.integer()) });

const SILENT = 'the database does not answer';

export interface LeaseOptions {
  address: Address;
  /** What is led; one lease has this name in a database. */
  name: string;
  log: Logger;
  stop: AbortSignal;
}

/** Asks for the lease until it is there. */
const acquire = async (client: DatabaseClient, { name, stop }: LeaseOptions): Promise<number | undefined> => {
  while (!stop.aborted) {
    const [lock] = await withTimeout(SILENCE_MS, SILENT, queryRows(client, TRY_LOCK, name));
    if (lock?.is_mine === true) {
      const [begun] = await withTimeout(SILENCE_MS, SILENT, queryRows(client, BEGIN_TERM, name));
      return begun?.term ?? 0;
    }
    await wait(TRY_MS, stop);
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
  // A process that was frozen finds by this timer, before anything else, that it has lost its lease meanwhile.
  const silence = setTimeout(end, SILENCE_MS);
  const beat = setInterval(() => {
    queryRows(client, BEAT).then(() => silence.refresh(), end);
  }, BEAT_MS);
  try {
    record.term(name);
    await work({ duty: name, term, since: Date.now(), signal: lost.signal });
  } finally {
    clearInterval(beat);
    clearTimeout(silence);
    stop.removeEventListener('abort', end);
    lost.abort();
  }
};

type Work = (lease: Lease) => Promise<void>;

/** Several duties under one lease: when one fails, the others end too, and only then is the lease given up. */
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
 * Runs `work` in one process at a time, under an advisory lock that one connection holds for all of a process's
 * duties. A killed leader is replaced within about a second, a frozen or cut-off one within ten. Resolves when
 * `stop` is aborted and the work has ended.
 */
export const asLeader = async (options: LeaseOptions, work: Work): Promise<void> => {
  const { address, name, log, stop } = options;
  while (!stop.aborted) {
    const client = new DatabaseClient(
      connectionOptions(address, `${name} lease`, { idle_session_timeout: `${IDLE_MS}ms` }),
    );
    watchConnection(client);
    let pause = TRY_MS;
    try {
      await client.connect();
      const term = await acquire(client, options);
      if (term !== undefined) await lead(client, term, options, work);
      // Whoever led until the connection was lost is the first to be able to go on.
      pause = 0;
    } catch (error) {
      if (!stop.aborted) log.warn({ err: error, duty: name }, 'the duties were given up, trying again');
    } finally {
      // Closing the connection gives the lock back whatever state it is in; a dead one is not waited for.
      await withTimeout(BEAT_MS, SILENT, client.end()).catch(() => {});
    }
    await wait(pause, stop);
  }
};
