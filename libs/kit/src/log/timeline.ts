import type pg from 'pg';
import { queryRows } from '../db/database-client.ts';
import { migration, type MigrationEntry } from '../db/migration.ts';
import { always, p } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import { LOG_HEAD } from './log.table.ts';
import { storeAsWorker } from './worker-transaction.ts';

/**
 * The timeline that Postgres writes on, as SQL: the first eight digits of the name of what it writes to. A server that was
 * restored from a backup, or took over from another one, writes on a new one.
 */
export const TIMELINE = `('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int`;

export const logTimeline = (name: string): MigrationEntry =>
  migration(name, 'alter table log_head add column timeline int');

const LOOK = statement(`select timeline as known, ${TIMELINE} as now from log_head order by log limit 1`, {
  known: LOG_HEAD.shape.timeline,
  now: always(p.integer()),
});
const NOTE = statement(`update log_head set timeline = ${TIMELINE} where timeline is null`);

/** The new timeline, when Postgres left the one that the logs were last numbered on. The first time, it is only noted. */
export const changedTimeline = async (pool: pg.Pool): Promise<number | undefined> => {
  const [found] = await queryRows(pool, LOOK);
  if (found === undefined || found.known === found.now) return undefined;
  if (found.known !== null) return found.now;
  await storeAsWorker(pool, NOTE);
  return undefined;
};
