import type { LogKind } from '@teaching/contracts';
import type pg from 'pg';
import type { Epochs } from './epochs.ts';
import { epochOf } from './epochs.ts';
import { type EntryRow, writtenOf } from './entry.ts';
import type { Place } from './place.ts';
import { STREAM_DAYS } from './stream.ts';
import type { Tail } from './tail.ts';

/** Where one log ends and begins, as its source keeps it. */
export interface Head extends Place {
  log: LogKind;
  base: number;
}

/** A page stays far below what one bus message may hold. */
const PAGE_BYTES = 2_000_000;

const HEAD_COLUMNS = 'log, epoch, no, id, base';
/** Two who give numbers wait for each other here. */
export const LOCK_HEADS = { name: 'log_lock', text: `select ${HEAD_COLUMNS} from log_head order by log for update` };

const HEADS = {
  name: 'log_heads',
  text: `
    with settled as (select coalesce(max(settled), 0) as seq from log_head)
    select ${HEAD_COLUMNS}, settled, array(
      select s from settled, log_batch as b, unnest(b.seqs) as s where b.last_seq > settled.seq and s > settled.seq
    ) as above from log_head order by log`,
};
const EPOCHS = { name: 'log_epochs', text: 'select log, epoch, first_no from log_epoch order by log, epoch' };
/** Numbers are dense, so no batch that begins beyond the page belongs to it. */
const PAGE = {
  name: 'log_page',
  text: `
    select * from (
      select *, sum(octet_length(data)) over (order by no) - octet_length(data) as before from (
        select b.first_no + p.n - 1 as no, p.previous_id, ${writtenOf('e')}, e.data::text as data
        from log_batch as b
        cross join lateral unnest(b.seqs, b.previous) with ordinality as p(seq, previous_id, n)
        join log_entry as e on e.seq = p.seq
        where b.log = $1 and b.first_no <= $2::bigint + $3 and b.first_no + p.n - 1 > $2 and b.first_no >= coalesce(
          (select first_no from log_batch where log = $1 and first_no <= $2 + 1 order by first_no desc limit 1), 0)
        order by no limit $3
      ) as page
    ) as sized where before is null or before < ${PAGE_BYTES} order by no`,
};
const ID_AT = {
  name: 'log_id_at',
  text: `
    select e.id from (
      select first_no, seqs from log_batch where log = $1 and first_no <= $2 order by first_no desc limit 1
    ) as b join log_entry as e on e.seq = b.seqs[($2 - b.first_no + 1)::int]`,
};
const REACHED = {
  name: 'log_reached',
  text: `
    select e.tx_id, min(b.first_no + array_position(b.seqs, e.seq) - 1) as first_no,
      max(b.first_no + array_position(b.seqs, e.seq) - 1) as no
    from log_entry as e
    join log_batch as b on b.log = e.log and b.first_seq <= e.seq and b.last_seq >= e.seq and e.seq = any (b.seqs)
    where e.log = 'domain' and e.tx_id = any ($1) group by e.tx_id`,
};
/** The last event that those outside need no more. */
const KEPT_AFTER = {
  name: 'log_kept_after',
  text: `
    select first_no + cardinality(seqs) - 1 as no from log_batch
    where log = $1 and numbered_at < now() - interval '${STREAM_DAYS} days' order by first_no desc limit 1`,
};

/** Where the logs end, and which entries have numbers (see `Tail`). */
export const readHeads = async (pool: pg.Pool): Promise<(Head & Pick<Tail, 'settled' | 'above'>)[]> =>
  (await pool.query<Head & Pick<Tail, 'settled' | 'above'>>(HEADS)).rows;
export const readEpochs = async (pool: pg.Pool): Promise<Epochs> => (await pool.query<Epochs[number]>(EPOCHS)).rows;

/** Entries after a number, in order; at most `limit`, and no more than a message holds. */
export const readEntries = async (
  pool: pg.Pool,
  epochs: Epochs,
  { log, after, limit }: { log: LogKind; after: number; limit: number },
): Promise<EntryRow[]> => {
  const { rows } = await pool.query<Omit<EntryRow, 'epoch'>>({ ...PAGE, values: [log, after, limit] });
  return rows.map((row) => ({ ...row, epoch: epochOf(epochs, row) }));
};

/** The id of the event with this number; null where none stands. */
export const idAt = async (pool: pg.Pool, log: LogKind, no: number): Promise<string | null> =>
  (await pool.query<{ id: string }>({ ...ID_AT, values: [log, no] })).rows[0]?.id ?? null;

/** The first and last number of each of these transactions that the log knows. */
export const reached = async (pool: pg.Pool, tx_ids: readonly string[]) =>
  (await pool.query<{ tx_id: string; first_no: number; no: number }>({ ...REACHED, values: [tx_ids] })).rows;

/** After which number a stream that lost everything is filled again. */
export const keptAfter = async (pool: pg.Pool, log: LogKind): Promise<number> =>
  (await pool.query<{ no: number }>({ ...KEPT_AFTER, values: [log] })).rows[0]?.no ?? 0;
