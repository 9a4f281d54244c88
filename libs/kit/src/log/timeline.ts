import type pg from 'pg';
import { queryRows } from '../db/database-client.ts';
import { migration, type MigrationEntry } from '../db/migration.ts';
import { notNull, p } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import { LOG_HEAD } from './log.table.ts';
import { storeAsWorker } from './worker-transaction.ts';

/**
 * The current timeline of Postgres, as SQL: the first eight digits of the name of its WAL file. A server that was
 * restored from a backup or promoted writes on a new timeline.
 */
export const TIMELINE = `('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int`;

export const logTimeline = (name: string): MigrationEntry =>
  migration(name, 'alter table log_head add column timeline int');

const READ_TIMELINES = statement(`select timeline as known, ${TIMELINE} as now from log_head order by log limit 1`, {
  known: LOG_HEAD.shape.timeline,
  now: notNull(p.integer()),
});
const STORE_TIMELINE = statement(`update log_head set timeline = ${TIMELINE} where timeline is null`);

/** The new timeline, if Postgres left the one on which the logs were last numbered. The first call only stores it. */
export const changedTimeline = async (pool: pg.Pool): Promise<number | undefined> => {
  const [found] = await queryRows(pool, READ_TIMELINES);
  if (found === undefined || found.known === found.now) return undefined;
  if (found.known !== null) return found.now;
  await storeAsWorker(pool, STORE_TIMELINE);
  return undefined;
};
