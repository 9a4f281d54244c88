import { SYSTEM_ORG_ID, type LogKind, restoredEvent } from '@teaching/contracts';
import type pg from 'pg';
import { newId } from '../base/ids.ts';
import { Connection } from '../db/connection.ts';
import { statement } from '../db/statement.ts';
import { LOCK_HEADS } from './log-statements.ts';
import { TIMELINE } from './timeline.ts';

const ENTRY = statement(`
  with written as (
    insert into log_entry (log, id, org_id, tx_id, type, aggregate_id, actor, request_id, happened_at, data)
    values ($1, $3, $4, $5, $6, 'log', 'system', $5, now(), $7) returning seq
  ) insert into log_batch (log, first_no, first_seq, last_seq, seqs, previous)
  select $1, $2, seq, seq, array[seq], array[(select id from log_org where org_id = $4 and log = $1)] from written`);
const EPOCH = statement('insert into log_epoch (log, epoch, first_no, why) values ($1, $2, $3, $4)');
const HEAD = statement(`update log_head set epoch = $2, no = $3, id = $4, timeline = ${TIMELINE} where log = $1`);
const ORG = statement(`
  insert into log_org (org_id, log, no, id) values ($1, $2, $3, $4)
  on conflict (org_id, log) do update set no = excluded.no, id = excluded.id`);

/** A state that the source does not have: its epoch and, where known, the last number of each log. */
export interface SeenState {
  epoch: number;
  up_to: Partial<Record<LogKind, number>>;
}

/**
 * Opens a new epoch in every log of a source at its next number, and writes an event about it. Returns false if the
 * logs already have a later epoch: if two processes find the same, only one opens an epoch.
 */
export const openEpoch = async (pool: pg.Pool, service: string, seen: SeenState, why: string): Promise<boolean> => {
  const connection = new Connection(pool, 'all orgs', true);
  try {
    const heads = await connection.query(LOCK_HEADS, []);
    const newest = Math.max(...heads.map((head) => head.epoch));
    const isNew = newest <= seen.epoch;
    const epoch = seen.epoch + 1;
    for (const head of isNew ? heads : []) {
      const [first_no, id] = [head.no + 1, newId()];
      const { type } = restoredEvent(service, head.log);
      const data = {
        epoch,
        first_no,
        void_epoch: seen.epoch,
        void_up_to: Math.max(seen.up_to[head.log] ?? 0, head.no),
      };
      connection.run(EPOCH, [head.log, epoch, first_no, why]);
      connection.run(ENTRY, [head.log, first_no, id, SYSTEM_ORG_ID, newId(), type, JSON.stringify(data)]);
      connection.run(HEAD, [head.log, epoch, first_no, id]);
      connection.run(ORG, [SYSTEM_ORG_ID, head.log, first_no, id]);
    }
    await connection.commit();
    return isNew;
  } catch (error) {
    await connection.abandon();
    throw error;
  }
};
