import type { LogKind } from '@teaching/contracts';
import type pg from 'pg';
import { Connection } from '../db/connection.ts';
import { queryRows } from '../db/database-client.ts';
import { databaseFault } from '../db/database-fault.ts';
import { always, bigint, p } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import type { EntryRow } from './log-entry.ts';
import { LOG_HEAD } from './log.table.ts';
import { type LogHead, readHeads } from './log-statements.ts';
import { storeAsWorker } from './worker-transaction.ts';

/** Where the logs of a source end, and which of its entries have numbers. */
export interface LogTail {
  readonly heads: readonly LogHead[];
  /** All entries up to this one have numbers, and none can come there any more. */
  readonly settled: number;
  /** Those beyond it that have numbers. Transactions do not end in the order in which they write. */
  readonly above: readonly number[];
}

const LOCK_NOT_AVAILABLE = '55P03';

export const EMPTY_TAIL: LogTail = { heads: [], settled: 0, above: [] };

/** As the database has it; where the logs end and which entries have numbers are of one moment. */
export const readTail = async (pool: pg.Pool): Promise<LogTail> => {
  const heads = await readHeads(pool);
  const settled = Math.max(0, ...heads.map((head) => head.settled));
  return { heads, settled, above: heads[0]?.above ?? [] };
};

export const headOf = ({ heads }: LogTail, kind: LogKind): LogHead | undefined => heads.find(({ log }) => log === kind);

export const isEndOf = (tail: LogTail, heads: readonly Pick<LogHead, 'log' | 'epoch' | 'no' | 'id'>[]): boolean =>
  heads.every(({ log, epoch, no, id }) => {
    const head = headOf(tail, log);
    return head?.epoch === epoch && head.no === no && head.id === id;
  });

const SEEN = LOG_HEAD.some('log', 'epoch', 'no', 'id');
const LOOK = statement(
  `select ${SEEN.columns}, exists (select from log_entry where seq > $1 and not seq = any ($2::bigint[])) as waiting
   from log_head`,
  { ...SEEN.shape, waiting: always(p.boolean()) },
);

/**
 * Whether entries wait for their numbers, or the logs end elsewhere. It locks nothing and writes nothing, so a source that has nothing to do
 * leaves the disk alone.
 */
export const isBehind = async (pool: pg.Pool, tail: LogTail): Promise<boolean> => {
  const seen = await queryRows(pool, LOOK, tail.settled, tail.above);
  return seen.some(({ waiting }) => waiting) || !isEndOf(tail, seen);
};

type Numbered = Pick<EntryRow, 'log' | 'epoch' | 'no' | 'id'> & { seq: number };

/** After these, in order, got their numbers. */
export const withNumbered = (tail: LogTail, rows: readonly Numbered[]): LogTail => {
  const last = new Map(rows.map((row) => [row.log, row]));
  const heads = tail.heads.map((head) => {
    const row = last.get(head.log);
    return row === undefined ? head : { ...head, epoch: row.epoch, no: row.no, id: row.id };
  });
  const above = [...tail.above, ...rows.map(({ seq }) => seq)].toSorted((a, b) => a - b);
  const gap = above.findIndex((seq, n) => seq !== tail.settled + n + 1);
  const joined = gap < 0 ? above.length : gap;
  return { ...tail, heads, settled: tail.settled + joined, above: above.slice(joined) };
};

/** After it became known that no entry up to this one is still to come. */
export const withHighWaterMark = (tail: LogTail, seq: number): LogTail =>
  withNumbered({ ...tail, settled: Math.max(tail.settled, seq), above: tail.above.filter((one) => one > seq) }, []);

const SETTLE = statement(`
  update log_head as h set settled = $1 from unnest($2::text[], $3::bigint[], $4::uuid[]) as x(log, no, id)
  where h.log = x.log and h.no = x.no and h.id is not distinct from x.id and h.settled < $1`);

/** Stores what is settled without anything being numbered, for who reads the log meanwhile, if it still ends there. */
export const storeHighWaterMark = async (pool: pg.Pool, { heads, settled }: LogTail): Promise<void> => {
  await storeAsWorker(
    pool,
    SETTLE,
    settled,
    heads.map(({ log }) => log),
    heads.map(({ no }) => no),
    heads.map(({ id }) => id),
  );
};

const SOON = statement("set local lock_timeout = '20ms'");
const LOCK_ENTRIES = statement('lock table log_entry in share mode');
const LAST = statement('select coalesce(max(seq), 0) as seq from log_entry', { seq: always(bigint()) });

/**
 * The last entry, at a moment at which nobody writes: what is not there up to it will not come. Undefined when
 * somebody writes for longer than others should wait.
 */
export const lastEntryUnderLock = async (pool: pg.Pool): Promise<number | undefined> => {
  const connection = new Connection(pool, 'all orgs', true);
  try {
    connection.run(SOON, []);
    connection.run(LOCK_ENTRIES, []);
    return (await connection.query(LAST, []))[0]?.seq;
  } catch (error) {
    if (databaseFault(error)?.code !== LOCK_NOT_AVAILABLE) throw error;
    return undefined;
  } finally {
    await connection.abandon();
  }
};
