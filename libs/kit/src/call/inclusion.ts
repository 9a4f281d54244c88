import type pg from 'pg';
import { Connection } from '../db/connection.ts';
import type { Orm } from '../db/orm.ts';
import { statement } from '../db/statement.ts';
import type { Write } from './consistency.ts';

/** How long a read waits for the write it should see. */
const PATIENCE_MS = 2_000;
const FIRST_LOOK_MS = 2;
const SLOWEST_LOOK_MS = 50;

const APPLIED = statement<{ tx_id: string; events: number }>(
  'select tx_id, sum(cardinality(event_ids)) as events from inbox where tx_id = any ($1::uuid[]) group by tx_id',
);

/** Tells whether the events of a write have been applied in this service. */
export interface Inclusion {
  /** Waits until they are; false when that takes too long. */
  includes(write: Write): Promise<boolean>;
  /** This process applied events just now: look again. */
  applied: () => void;
}

interface Waiting {
  write: Write;
  until: number;
  resolve: (included: boolean) => void;
  reject: (error: unknown) => void;
}

/**
 * All waiting reads share one statement, and none holds a connection while it waits. Looks again at once
 * when this process applies events, and by itself for events that another instance applies.
 */
export const createInclusion = (pool: pg.Pool, orm: Orm): Inclusion => {
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let pause = FIRST_LOOK_MS;
  let looking = false;
  let again = false;

  const ask = async (): Promise<Map<string, number>> => {
    const connection = new Connection(pool, orm, 'all orgs', false);
    try {
      const ids = [...new Set(waiting.map(({ write }) => write.tx_id))];
      const rows = await connection.query(APPLIED, [ids]);
      return new Map(rows.map((row) => [row.tx_id, row.events]));
    } finally {
      await connection.abandon();
    }
  };

  const look = async (): Promise<void> => {
    const asked = new Set(waiting);
    const applied = await ask();
    const now = Date.now();
    waiting = waiting.filter((one) => {
      if (!asked.has(one)) return true;
      const included = (applied.get(one.write.tx_id) ?? 0) >= one.write.events;
      if (!included && now < one.until) return true;
      one.resolve(included);
      return false;
    });
  };

  const run = async (): Promise<void> => {
    if (looking) {
      again = true;
      return;
    }
    looking = true;
    clearTimeout(timer);
    try {
      do {
        again = false;
        await look();
      } while (again && waiting.length > 0);
      pause = Math.min(pause * 2, SLOWEST_LOOK_MS);
      if (waiting.length > 0) timer = setTimeout(() => void run(), pause);
    } catch (error) {
      for (const one of waiting) one.reject(error);
      waiting = [];
    } finally {
      looking = false;
    }
  };

  return {
    includes: (write) =>
      write.events === 0
        ? Promise.resolve(true)
        : new Promise((resolve, reject) => {
            waiting.push({ write, until: Date.now() + PATIENCE_MS, resolve, reject });
            pause = FIRST_LOOK_MS;
            void run();
          }),
    applied: () => {
      if (waiting.length > 0) void run();
    },
  };
};
