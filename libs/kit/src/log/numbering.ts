import type pg from 'pg';
import { Connection } from '../db/connection.ts';
import { statement } from '../db/statement.ts';
import { type EntryRow, NUMBERED_ENTRY, ENTRY_AS_WRITTEN } from './log-entry.ts';
import { type LogHead, LOCK_HEADS } from './log-statements.ts';
import { LOG_ENTRY, LOG_ORG } from './log.table.ts';
import type { LogTail } from './log-tail.ts';

/** Events that are numbered at a time. */
export const NUMBERING_BATCH = 1_000;

/**
 * Gives the next numbers to entries without one, in the order in which they were written, and links each to the
 * previous event of its organization. It is one statement, since it runs for every few commits. It does nothing in a
 * log that does not end where the caller expects. If no entry is missing below the last one, the high-water mark moves
 * to it.
 */
const NUMBER = statement(
  `with taken as (
    select ${ENTRY_AS_WRITTEN.withAlias('e')}, e.data, e.seq from log_entry as e where seq > $1 and not seq = any ($2::bigint[])
    order by seq limit ${NUMBERING_BATCH}
  ), placed as (
    select t.*, h.epoch, h.no + row_number() over (partition by t.log order by t.seq) as no,
      coalesce(lag(t.id) over (partition by t.log, t.org_id order by t.seq), o.id) as previous_id, o.id is null as is_first
    from taken as t
    join log_head as h on h.log = t.log
    join unnest($3::text[], $4::bigint[], $5::uuid[]) as x(log, no, id)
      on x.log = h.log and x.no = h.no and x.id is not distinct from h.id
    left join log_org as o on o.org_id = t.org_id and o.log = t.log
  ), numbers as (
    insert into log_batch (log, first_no, first_seq, last_seq, seqs, previous)
    select log, min(no), min(seq), max(seq), array_agg(seq order by no), array_agg(previous_id order by no)
    from placed group by log
  ), reach as (
    select count(*) + cardinality($2::bigint[]) as entries, greatest(max(seq), (select max(s) from unnest($2::bigint[]) as s)) as seq
    from placed
  ), heads as (
    update log_head as h set no = p.no, id = p.id, settled = case when r.entries = r.seq - $1 then r.seq else $1 end
    from (select distinct on (log) log, no, id from placed order by log, no desc) as p, reach as r where h.log = p.log
  ), newest as (
    select distinct on (org_id, log) org_id, log, no, id, is_first from placed order by org_id, log, no desc
  ), known_orgs as (
    update log_org as o set no = p.no, id = p.id from newest as p where o.org_id = p.org_id and o.log = p.log
  ), new_orgs as (
    insert into log_org (${LOG_ORG.columns}) select ${LOG_ORG.columns} from newest where is_first
  )
  select ${ENTRY_AS_WRITTEN.withAlias('p')}, p.epoch, p.no, p.previous_id, p.data::text as data, p.seq from placed as p
  order by p.log, p.no`,
  { ...NUMBERED_ENTRY, seq: LOG_ENTRY.shape.seq },
);

/** The numbered entries in order, and the heads of the logs before. */
export interface NumberedBatch {
  before: LogHead[];
  rows: (EntryRow & { seq: number })[];
}

/**
 * Numbers the entries committed since, durably. Entries are published only afterwards, so a published number is never
 * given to another event. If two processes number at once, the second sees by `before` that its tail is outdated, and
 * reads it again.
 */
export const numberEntries = async (
  pool: pg.Pool,
  { heads, highWaterMark, numberedAbove }: LogTail,
): Promise<NumberedBatch> => {
  const ends = [heads.map(({ log }) => log), heads.map(({ no }) => no), heads.map(({ id }) => id)] as const;
  const connection = new Connection(pool, 'all orgs', true);
  const statements = [
    connection.query(LOCK_HEADS, []),
    connection.query(NUMBER, [highWaterMark, numberedAbove, ...ends]),
  ] as const;
  const [before, numbered] = await Promise.all([...statements, connection.commit()]);
  return { before, rows: numbered };
};
