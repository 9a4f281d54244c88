import type { LogKind } from '@teaching/contracts';
import type pg from 'pg';
import { queryRows } from '../db/database-client.ts';
import { notNull, bigint, type RowOf } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import { type EntryRow, NUMBERED_ENTRY, ENTRY_AS_WRITTEN } from './log-entry.ts';
import { LOG_BATCH, LOG_ENTRY, LOG_EPOCH, LOG_HEAD } from './log.table.ts';
import type { Reach } from './source-messages.ts';
import { orderOf, type Offset } from './offset.ts';
import { STREAM_DAYS } from './stream.ts';

const END = LOG_HEAD.pick('log', 'epoch', 'no', 'id', 'base');
/** The end and the beginning of one log, as its source stores it. */
export type LogHead = RowOf<typeof END.shape>;

/** Size of a page in bytes, far below the limit of a bus message. */
const PAGE_BYTES = 2_000_000;

/** Locks the heads, so that two processes that number wait for each other. */
export const LOCK_HEADS = statement(`select ${END.columns} from log_head order by log for update`, END.shape);

const HEADS = statement(
  `with settled as (select coalesce(max(settled), 0) as seq from log_head)
   select ${END.columns}, settled, array(
     select s from settled, log_batch as b, unnest(b.seqs) as s where b.last_seq > settled.seq and s > settled.seq
   ) as above from log_head order by log`,
  { ...END.shape, settled: LOG_HEAD.shape.settled, above: notNull(LOG_BATCH.shape.seqs) },
);
/**
 * The epoch of a number, as SQL in the statement that reads the number. An instance that cached epochs would give
 * entries that others numbered meanwhile an epoch that has ended.
 */
const epochOf = (log: string, no: string): string =>
  `coalesce((select max(x.epoch) from log_epoch as x where x.log = ${log} and x.first_no <= ${no}), 0)`;
const LATER = LOG_EPOCH.pick('first_no');
const LATER_EPOCH = statement(
  'select first_no from log_epoch where log = $1 and epoch > $2 order by epoch limit 1',
  LATER.shape,
);
/** Numbers are dense, so no batch that begins after the page belongs to it. */
const PAGE = statement(
  `select *, ${epochOf('sized.log', 'sized.no')} as epoch from (
     select *, sum(octet_length(data)) over (order by no) - octet_length(data) as before from (
       select b.first_no + p.n - 1 as no, p.previous_id, ${ENTRY_AS_WRITTEN.withAlias('e')}, e.data::text as data
       from log_batch as b
       cross join lateral unnest(b.seqs, b.previous) with ordinality as p(seq, previous_id, n)
       join log_entry as e on e.seq = p.seq
       where b.log = $1 and b.first_no <= $2::bigint + $3 and b.first_no + p.n - 1 > $2 and b.first_no >= coalesce(
         (select first_no from log_batch where log = $1 and first_no <= $2 + 1 order by first_no desc limit 1), 0)
       order by no limit $3
     ) as page
   ) as sized where before is null or before < ${PAGE_BYTES} order by no`,
  { ...NUMBERED_ENTRY, before: bigint().nullable() },
);
const PLACE = statement(
  `select ${epochOf('$1', '$2')} as epoch, (
     select e.id from (
       select first_no, seqs from log_batch where log = $1 and first_no <= $2 order by first_no desc limit 1
     ) as b join log_entry as e on e.seq = b.seqs[($2 - b.first_no + 1)::int]
   ) as id`,
  { epoch: NUMBERED_ENTRY.epoch, id: LOG_HEAD.shape.id },
);
const REACHED = statement(
  `select tx_id, first_no, ${epochOf("'domain'", 'r.first_no')} as first_epoch, no, ${epochOf("'domain'", 'r.no')} as epoch from (
     select e.tx_id, min(b.first_no + array_position(b.seqs, e.seq) - 1) as first_no,
       max(b.first_no + array_position(b.seqs, e.seq) - 1) as no
     from log_entry as e
     join log_batch as b on b.log = e.log and b.first_seq <= e.seq and b.last_seq >= e.seq and e.seq = any (b.seqs)
     where e.log = 'domain' and e.tx_id = any ($1) group by e.tx_id
   ) as r`,
  {
    tx_id: LOG_ENTRY.shape.tx_id,
    first_no: notNull(bigint()),
    first_epoch: NUMBERED_ENTRY.epoch,
    no: notNull(bigint()),
    epoch: NUMBERED_ENTRY.epoch,
  },
);
/** The last event that outside readers of the stream no longer need. */
const KEPT_AFTER = statement(
  `select first_no + cardinality(seqs) - 1 as no from log_batch
   where log = $1 and numbered_at < now() - interval '${STREAM_DAYS} days' order by first_no desc limit 1`,
  { no: notNull(bigint()) },
);

/** The ends of the logs and the numbered entries (see `LogTail`). */
export const readHeads = (pool: pg.Pool) => queryRows(pool, HEADS);

/** Entries after a number, in order: at most `limit`, and no more than a message can hold. */
export const readEntries = (
  pool: pg.Pool,
  { log, after, limit }: { log: LogKind; after: number; limit: number },
): Promise<EntryRow[]> => queryRows(pool, PAGE, log, after, limit);

/** The offset of this log at a number. `id` is null if no event has the number. */
export const offsetAt = async (pool: pg.Pool, log: LogKind, no: number): Promise<Offset> => {
  const [own] = await queryRows(pool, PLACE, log, no);
  return { epoch: own?.epoch ?? 0, no, id: own?.id ?? null };
};

/** The first number of the epoch after this one; undefined if no later one exists. */
export const laterEpoch = async (pool: pg.Pool, log: LogKind, epoch: number): Promise<number | undefined> =>
  (await queryRows(pool, LATER_EPOCH, log, epoch))[0]?.first_no;

/** The first and last offset, as order, of each of these transactions that the log knows. */
export const reachOf = async (pool: pg.Pool, tx_ids: readonly string[]): Promise<Reach> => {
  const found = await queryRows(pool, REACHED, tx_ids);
  return Object.fromEntries(
    found.map(({ tx_id, first_epoch, first_no, epoch, no }) => [
      tx_id,
      { first: orderOf({ epoch: first_epoch, no: first_no }), last: orderOf({ epoch, no }) },
    ]),
  );
};

/** The number after which a stream that lost all events is filled again. */
export const streamStart = async (pool: pg.Pool, log: LogKind): Promise<number> =>
  (await queryRows(pool, KEPT_AFTER, log))[0]?.no ?? 0;
