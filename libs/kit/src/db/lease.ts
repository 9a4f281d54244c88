import pg from 'pg';
import type { Logger } from 'pino';
import { connectionOptions } from './pool.ts';

/** Others try this often; it is also how long a killed leader's duties lie idle at most. */
const TRY_MS = 1_000;
const BEAT_MS = 2_000;
/** A leader whose heartbeat gets no answer steps down before the database gives its duties to somebody else. */
const SILENCE_MS = 5_000;
/** The database ends the session of a leader that says nothing for this long: it is frozen, or cut off. */
const IDLE_MS = 8_000;

/** One term of leading: who has it does what only one instance of the service may do. */
export interface Lease {
  /** Counts up with every change of leader; a transaction of a former term can be told by it. */
  term: number;
  /** Aborted when the lease is lost or the process stops. */
  signal: AbortSignal;
}

/** Resolves after `ms`, or at once when `signal` is aborted. */
export const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted || ms <= 0) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });

const LOCK = 'select pg_try_advisory_lock(hashtextextended($1, 7)) as held';
const TERM = `insert into duty (name, term) values ($1, 1)
  on conflict (name) do update set term = duty.term + 1, since = now() returning term`;

const within = <T>(ms: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the database does not answer')), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

export interface LeaseOptions {
  url: string;
  /** What is led; one lease has this name in a database. */
  name: string;
  log: Logger;
  stop: AbortSignal;
}

/** Asks for the lease until it is there. */
const acquire = async (client: pg.Client, { name, stop }: LeaseOptions): Promise<number | undefined> => {
  while (!stop.aborted) {
    const { rows } = await within(SILENCE_MS, client.query<{ held: boolean }>(LOCK, [name]));
    if (rows[0]?.held === true) {
      const term = await within(SILENCE_MS, client.query<{ term: number }>(TERM, [name]));
      return term.rows[0]?.term ?? 0;
    }
    await wait(TRY_MS, stop);
  }
  return undefined;
};

const lead = async (client: pg.Client, term: number, { stop }: LeaseOptions, work: Work): Promise<void> => {
  const lost = new AbortController();
  const end = (): void => lost.abort();
  client.on('error', end);
  client.on('end', end);
  stop.addEventListener('abort', end, { once: true });
  if (stop.aborted) end();
  let heard = Date.now();
  const beat = setInterval(() => {
    // A process that was frozen finds here, before anything else, that it has lost its lease meanwhile.
    if (Date.now() - heard > SILENCE_MS + BEAT_MS) end();
    client.query('select 1').then(() => {
      heard = Date.now();
    }, end);
  }, BEAT_MS);
  const silence = setInterval(() => (Date.now() - heard > SILENCE_MS ? end() : undefined), BEAT_MS / 2);
  try {
    await work({ term, signal: lost.signal });
  } finally {
    clearInterval(beat);
    clearInterval(silence);
    stop.removeEventListener('abort', end);
    lost.abort();
  }
};

type Work = (lease: Lease) => Promise<void>;

/** Several duties under one lease: when one fails, the others end too, and only then is the lease given up. */
export const together =
  (...works: readonly Work[]): Work =>
  async ({ term, signal }) => {
    const failed = new AbortController();
    const lease = { term, signal: AbortSignal.any([signal, failed.signal]) };
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
  const { url, name, log, stop } = options;
  while (!stop.aborted) {
    const client = new pg.Client(connectionOptions(url, `${name} lease`, `idle_session_timeout=${IDLE_MS}`));
    client.on('error', () => {});
    try {
      await client.connect();
      const term = await acquire(client, options);
      if (term !== undefined) await lead(client, term, options, work);
    } catch (error) {
      if (!stop.aborted) log.warn({ err: error, duty: name }, 'the duties were given up, trying again');
    } finally {
      // Closing the connection gives the lock back whatever state it is in; a dead one is not waited for.
      await within(BEAT_MS, client.end()).catch(() => {});
    }
    await wait(TRY_MS, stop);
  }
};
