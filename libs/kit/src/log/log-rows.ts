import type { LogKind } from '@teaching/contracts';
import type pg from 'pg';
import type { Epochs } from './epochs.ts';
import { epochOf } from './epochs.ts';
import { ENTRY_COLUMNS, type EntryRow } from './entry.ts';
import type { Place } from './place.ts';
import { STREAM_DAYS } from './stream.ts';

/** Where one log ends and begins, as its source keeps it. */
export interface Head extends Place {
  log: LogKind;
  base: number;
}

const COLUMNS = ENTRY_COLUMNS.join(', ');
/** A page stays far below what one bus message may hold. */
const PAGE_BYTES = 2_000_000;

const HEADS = { name: 'log_heads', text: 'select log, epoch, no, id, base from log_head order by log' };
const EPOCHS = { name: 'log_epochs', text: 'select log, epoch, first_no from log_epoch order by log, epoch' };
const PAGE = {
  name: 'log_page',
  text: `
    select * from (
      select *, sum(octet_length(data)) over (order by no) - octet_length(data) as before from (
        select ${COLUMNS}, data::text as data from log_entry where log = $1 and no > $2 order by no limit $3
      ) as page
    ) as sized where before is null or before < ${PAGE_BYTES} order by no`,
};
const ID_AT = { name: 'log_id_at', text: 'select id from log_entry where log = $1 and no = $2' };
const REACHED = {
  name: 'log_reached',
  text: `select tx_id, min(no) as first_no, max(no) as no from log_entry where log = 'domain' and tx_id = any ($1) group by tx_id`,
};
/** The last event that those outside need no more, walking back from the newest. */
const KEPT_AFTER = {
  name: 'log_kept_after',
  text: `select no from log_entry where log = $1 and happened_at < now() - interval '${STREAM_DAYS} days' order by no desc limit 1`,
};

export const readHeads = async (pool: pg.Pool): Promise<Head[]> => (await pool.query<Head>(HEADS)).rows;
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
