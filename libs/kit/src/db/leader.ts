import type pg from 'pg';
import type { Logger } from 'pino';

const RETRY_MS = 1_000;
const CHECK_MS = 2_000;

export interface Leadership {
  /** Aborted when leadership is lost or the process stops. */
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

/** Holds the advisory lock while `work` runs; its connection's death ends the term. */
const term = async (
  client: pg.PoolClient,
  stop: AbortSignal,
  work: (term: Leadership) => Promise<void>,
): Promise<void> => {
  const lost = new AbortController();
  const end = (): void => lost.abort();
  client.on('error', end);
  client.on('end', end);
  stop.addEventListener('abort', end, { once: true });
  if (stop.aborted) end();
  const check = setInterval(() => void client.query('select 1').catch(end), CHECK_MS);
  try {
    await work({ signal: lost.signal });
  } finally {
    clearInterval(check);
    stop.removeEventListener('abort', end);
    lost.abort();
  }
};

/**
 * Runs `work` in at most one process at a time, by a Postgres advisory lock named `name`. Others stand
 * by and take over within about a second. Resolves when `stop` is aborted and the work has ended.
 */
export const asLeader = async (
  pool: pg.Pool,
  name: string,
  stop: AbortSignal,
  log: Logger,
  work: (term: Leadership) => Promise<void>,
): Promise<void> => {
  while (!stop.aborted) {
    let client: pg.PoolClient | undefined;
    try {
      client = await pool.connect();
      const { rows } = await client.query<{ held: boolean }>(
        'select pg_try_advisory_lock(hashtextextended($1, 7)) as held',
        [name],
      );
      if (rows[0]?.held === true) await term(client, stop, work);
    } catch (error) {
      if (!stop.aborted) log.warn({ err: error, leader: name }, 'leadership ended, trying again');
    } finally {
      // Closing the connection gives the lock back whatever state it is in.
      client?.release(true);
    }
    await wait(RETRY_MS, stop);
  }
};
