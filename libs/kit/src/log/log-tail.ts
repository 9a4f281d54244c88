import type { LogKind } from '@teaching/contracts';
import type pg from 'pg';
import { Connection } from '../db/connection.ts';
import { queryRows } from '../db/database-client.ts';
import { notNull, bigint, p } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import type { EntryRow } from './log-entry.ts';
import { LOG_HEAD } from './log.table.ts';
import { type LogHead, readHeads } from './log-statements.ts';
import { storeAsWorker } from './worker-transaction.ts';

/** The ends of a source's logs, and which of its entries are numbered. */
export interface LogTail {
  readonly heads: readonly LogHead[];
  /** High-water mark: all entries up to this `seq` are numbered, and none can be added below it. */
  readonly highWaterMark: number;
  /** Numbered entries above it. Transactions do not commit in the order in which they write. */
  readonly numberedAbove: readonly number[];
}

export const EMPTY_TAIL: LogTail = { heads: [], highWaterMark: 0, numberedAbove: [] };

/** Reads the tail from the database: ends and numbered entries of one snapshot. */
export const readTail = async (pool: pg.Pool): Promise<LogTail> => {
  const heads = await readHeads(pool);
  const highWaterMark = Math.max(0, ...heads.map((head) => head.settled));
  return { heads, highWaterMark, numberedAbove: heads[0]?.above ?? [] };
};

export const headOf = ({ heads }: LogTail, kind: LogKind): LogHead | undefined => heads.find(({ log }) => log === kind);

export const isEndOf = (tail: LogTail, heads: readonly Pick<LogHead, 'log' | 'epoch' | 'no' | 'id'>[]): boolean =>
  heads.every(({ log, epoch, no, id }) => {
    const head = headOf(tail, log);
    return head?.epoch === epoch && head.no === no && head.id === id;
  });

const SEEN = LOG_HEAD.pick('log', 'epoch', 'no', 'id');
const CHECK = statement(
  `select ${SEEN.columns}, exists (select from log_entry where seq > $1 and not seq = any ($2::bigint[])) as waiting
   from log_head`,
  { ...SEEN.shape, waiting: notNull(p.boolean()) },
);

/**
 * Whether entries are not numbered yet, or the logs end elsewhere. It takes no lock and writes nothing, so an idle
 * source does not use the disk.
 */
export const isBehind = async (pool: pg.Pool, tail: LogTail): Promise<boolean> => {
  const seen = await queryRows(pool, CHECK, tail.highWaterMark, tail.numberedAbove);
  return seen.some(({ waiting }) => waiting) || !isEndOf(tail, seen);
};

type Numbered = Pick<EntryRow, 'log' | 'epoch' | 'no' | 'id'> & { seq: number };

/** The tail after these entries were numbered, in order. */
export const withNumbered = (tail: LogTail, rows: readonly Numbered[]): LogTail => {
  const last = new Map(rows.map((row) => [row.log, row]));
  const heads = tail.heads.map((head) => {
    const row = last.get(head.log);
    return row === undefined ? head : { ...head, epoch: row.epoch, no: row.no, id: row.id };
  });
  const above = [...tail.numberedAbove, ...rows.map(({ seq }) => seq)].toSorted((a, b) => a - b);
  const gap = above.findIndex((seq, n) => seq !== tail.highWaterMark + n + 1);
  const joined = gap < 0 ? above.length : gap;
  return { ...tail, heads, highWaterMark: tail.highWaterMark + joined, numberedAbove: above.slice(joined) };
};

/** The tail after it became known that no more entries up to this `seq` can appear. */
export const withHighWaterMark = (tail: LogTail, seq: number): LogTail =>
  withNumbered(
    {
      ...tail,
      highWaterMark: Math.max(tail.highWaterMark, seq),
      numberedAbove: tail.numberedAbove.filter((one) => one > seq),
    },
    [],
  );

const SETTLE = statement(`
  update log_head as h set settled = $1 from unnest($2::text[], $3::bigint[], $4::uuid[]) as x(log, no, id)
  where h.log = x.log and h.no = x.no and h.id is not distinct from x.id and h.settled < $1`);

/** Stores the high-water mark when no entry was numbered, for readers of the log, unless the log has moved on. */
export const storeHighWaterMark = async (pool: pg.Pool, { heads, highWaterMark }: LogTail): Promise<void> => {
  await storeAsWorker(
    pool,
    SETTLE,
    highWaterMark,
    heads.map(({ log }) => log),
    heads.map(({ no }) => no),
    heads.map(({ id }) => id),
  );
};

const LAST = statement('select last_entry() as seq', { seq: bigint().nullable() });

/**
 * The last `seq` at a moment without writers: entries missing below it were rolled back. Undefined if writers do not
 * finish within 20 ms, so that others do not wait.
 */
export const lastEntryUnderLock = async (pool: pg.Pool): Promise<number | undefined> => {
  const connection = new Connection(pool, 'all orgs', true);
  const last = connection.query(LAST, []);
  const [[row]] = await Promise.all([last, connection.commit()]);
  return row?.seq ?? undefined;
};
