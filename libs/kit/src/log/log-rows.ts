import type { LogKind } from '@teaching/contracts';
import type pg from 'pg';
import { bigint } from '../db/columns.ts';
import { rows } from '../db/rows.ts';
import { always, type RowOf } from '../db/shape.ts';
import { statement } from '../db/statement.ts';
import { type EntryRow, NUMBERED, WRITTEN } from './entry.ts';
import { epochOf, type Epochs } from './epochs.ts';
import { LOG_BATCH, LOG_ENTRY, LOG_EPOCH, LOG_HEAD } from './log.table.ts';
import { STREAM_DAYS } from './stream.ts';

const END = LOG_HEAD.some('log', 'epoch', 'no', 'id', 'base');
/** Where one log ends and begins, as its source keeps it. */
export type Head = RowOf<typeof END.shape>;

/** A page stays far below what one bus message may hold. */
const PAGE_BYTES = 2_000_000;

/** Two who give numbers wait for each other here. */
export const LOCK_HEADS = statement(`select ${END.columns} from log_head order by log for update`, END.shape);

const HEADS = statement(
  `with settled as (select coalesce(max(settled), 0) as seq from log_head)
   select ${END.columns}, settled, array(
     select s from settled, log_batch as b, unnest(b.seqs) as s where b.last_seq > settled.seq and s > settled.seq
   ) as above from log_head order by log`,
  { ...END.shape, settled: LOG_HEAD.shape.settled, above: always(LOG_BATCH.shape.seqs) },
);
const EPOCH = LOG_EPOCH.some('log', 'epoch', 'first_no');
const EPOCHS = statement(`select ${EPOCH.columns} from log_epoch order by log, epoch`, EPOCH.shape);
/** Numbers are dense, so no batch that begins beyond the page belongs to it. */
const PAGE = statement(
  `select * from (
     select *, sum(octet_length(data)) over (order by no) - octet_length(data) as before from (
       select b.first_no + p.n - 1 as no, p.previous_id, ${WRITTEN.of('e')}, e.data::text as data
       from log_batch as b
       cross join lateral unnest(b.seqs, b.previous) with ordinality as p(seq, previous_id, n)
       join log_entry as e on e.seq = p.seq
       where b.log = $1 and b.first_no <= $2::bigint + $3 and b.first_no + p.n - 1 > $2 and b.first_no >= coalesce(
         (select first_no from log_batch where log = $1 and first_no <= $2 + 1 order by first_no desc limit 1), 0)
       order by no limit $3
     ) as page
   ) as sized where before is null or before < ${PAGE_BYTES} order by no`,
  { ...NUMBERED, before: bigint().nullable() },
);
const ID = LOG_ENTRY.some('id');
const ID_AT = statement(
  `select e.id from (
     select first_no, seqs from log_batch where log = $1 and first_no <= $2 order by first_no desc limit 1
   ) as b join log_entry as e on e.seq = b.seqs[($2 - b.first_no + 1)::int]`,
  ID.shape,
);
const REACHED = statement(
  `select e.tx_id, min(b.first_no + array_position(b.seqs, e.seq) - 1) as first_no,
     max(b.first_no + array_position(b.seqs, e.seq) - 1) as no
   from log_entry as e
   join log_batch as b on b.log = e.log and b.first_seq <= e.seq and b.last_seq >= e.seq and e.seq = any (b.seqs)
   where e.log = 'domain' and e.tx_id = any ($1) group by e.tx_id`,
  { tx_id: LOG_ENTRY.shape.tx_id, first_no: always(bigint()), no: always(bigint()) },
);
/** The last event that those outside need no more. */
const KEPT_AFTER = statement(
  `select first_no + cardinality(seqs) - 1 as no from log_batch
   where log = $1 and numbered_at < now() - interval '${STREAM_DAYS} days' order by first_no desc limit 1`,
  { no: always(bigint()) },
);

/** Where the logs end, and which entries have numbers (see `Tail`). */
export const readHeads = (pool: pg.Pool) => rows(pool, HEADS);
export const readEpochs = (pool: pg.Pool): Promise<Epochs> => rows(pool, EPOCHS);

/** Entries after a number, in order; at most `limit`, and no more than a message holds. */
export const readEntries = async (
  pool: pg.Pool,
  epochs: Epochs,
  { log, after, limit }: { log: LogKind; after: number; limit: number },
): Promise<EntryRow[]> =>
  (await rows(pool, PAGE, log, after, limit)).map((row) => ({ ...row, epoch: epochOf(epochs, row) }));

/** The id of the event with this number; null where none stands. */
export const idAt = async (pool: pg.Pool, log: LogKind, no: number): Promise<string | null> =>
  (await rows(pool, ID_AT, log, no))[0]?.id ?? null;

/** The first and last number of each of these transactions that the log knows. */
export const reached = (pool: pg.Pool, tx_ids: readonly string[]) => rows(pool, REACHED, tx_ids);

/** After which number a stream that lost everything is filled again. */
export const keptAfter = async (pool: pg.Pool, log: LogKind): Promise<number> =>
  (await rows(pool, KEPT_AFTER, log))[0]?.no ?? 0;
