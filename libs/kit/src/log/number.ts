import type pg from 'pg';
import { corkForTurn } from '../db/cork.ts';
import { type Epochs, epochOf } from './epochs.ts';
import { ENTRY_COLUMNS, type EntryRow } from './entry.ts';
import type { Head } from './log-rows.ts';

/** Events that are numbered at a time. */
export const NUMBERED_AT_ONCE = 1_000;

const list = (names: readonly string[], of = ''): string => names.map((name) => `${of}${name}`).join(', ');
const COLUMNS = list(ENTRY_COLUMNS);

/** Two who number wait for each other here, and the second goes on from where the first ended. */
const LOCK = { name: 'log_lock', text: 'select log, epoch, no, id, base from log_head order by log for update' };
/**
 * Takes what waits, in the order it was written, gives it the next numbers and ties each event to the one
 * before it of its organization. All of it in one statement, since it runs for every few commits.
 */
const MOVE = {
  name: 'log_move',
  text: `
    with taken as (
      delete from outbox where seq = any (array(select seq from outbox order by seq limit ${NUMBERED_AT_ONCE})) returning *
    ), placed as (
      select t.*, h.no + row_number() over (partition by t.log order by t.seq) as no,
        coalesce(lag(t.id) over (partition by t.log, t.org_id order by t.seq), o.id) as previous_id
      from taken as t join log_head as h on h.log = t.log left join log_org as o on o.org_id = t.org_id and o.log = t.log
    ), kept as (
      insert into log_entry (${COLUMNS}, data) select ${COLUMNS}, data from placed
    ), heads as (
      update log_head as h set no = p.no, id = p.id
      from (select distinct on (log) log, no, id from placed order by log, no desc) as p where h.log = p.log
    ), orgs as (
      insert into log_org (org_id, log, no, id)
      select distinct on (org_id, log) org_id, log, no, id from placed order by org_id, log, no desc
      on conflict (org_id, log) do update set no = excluded.no, id = excluded.id
    )
    select ${list(ENTRY_COLUMNS, 'p.')}, p.data::text as data from placed as p order by p.log, p.no`,
};

/** What was numbered, in order, and where the logs had ended before. */
export interface Numbered {
  before: Head[];
  rows: EntryRow[];
}

/**
 * Gives the next numbers to what was committed since, durably. Only afterwards is anybody told: a number that
 * was told never comes again for another event.
 */
export const numberNext = async (pool: pg.Pool, epochs: Epochs): Promise<Numbered> => {
  const client = await pool.connect();
  let broken = true;
  try {
    corkForTurn(client);
    const sent = [
      client.query('begin'),
      client.query<Head>(LOCK),
      client.query<Omit<EntryRow, 'epoch'>>(MOVE),
      client.query('commit'),
    ] as const;
    const [, locked, moved, end] = await Promise.all(sent);
    if (end.command !== 'COMMIT') throw new Error('the numbering was rolled back by the database');
    broken = false;
    return { before: locked.rows, rows: moved.rows.map((row) => ({ ...row, epoch: epochOf(epochs, row) })) };
  } finally {
    client.release(broken);
  }
};
