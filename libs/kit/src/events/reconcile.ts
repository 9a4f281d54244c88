import type { JetStreamManager } from '@nats-io/jetstream';
import type pg from 'pg';
import type { Logger } from 'pino';
import { STREAM, STREAM_DAYS } from './stream.ts';

interface Published {
  id: string;
  stream_seq: number;
}

const PAGE = 100;
const RECENT = `published_at > now() - interval '${STREAM_DAYS} days'`;

/** Whether the stream still holds this event where it said it does. */
const isThere = async (manager: JetStreamManager, row: Published): Promise<boolean> => {
  const message = await manager.streams.getMessage(STREAM, { seq: row.stream_seq }).catch(() => null);
  return message?.header.get('Nats-Msg-Id') === row.id;
};

/** The stream position of the newest published event that the stream still holds; 0 when none. */
const lastKept = async (manager: JetStreamManager, pool: pg.Pool): Promise<number> => {
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const { rows } = await pool.query<Published>(
      `select id, stream_seq from outbox where stream_seq < $1 and ${RECENT} order by stream_seq desc limit ${PAGE}`,
      [before],
    );
    for (const row of rows) {
      if (await isThere(manager, row)) return row.stream_seq;
      before = row.stream_seq;
    }
    if (rows.length < PAGE) return 0;
  }
};

/**
 * A broker may forget what it acknowledged (its disk is synced every minute or so), and it forgets from
 * the end. So: walk back from the newest published event to one that the stream still holds, and mark
 * what came after it as unpublished. Consumers skip what they had already seen.
 */
export const reconcile = async (
  manager: JetStreamManager,
  { pool, log }: { pool: pg.Pool; log: Logger },
): Promise<void> => {
  const kept = await lastKept(manager, pool);
  const { rowCount } = await pool.query(
    `update outbox set published_at = null, stream_seq = null where stream_seq > $1 and ${RECENT}`,
    [kept],
  );
  if (rowCount !== null && rowCount > 0) {
    log.warn({ events: rowCount }, 'the stream had forgotten events; they are published again');
  }
};
