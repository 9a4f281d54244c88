import { LOG_KINDS } from '@teaching/contracts';
import { bigint, bigints, instant, p, uuids } from '../db/columns.ts';
import { table } from '../db/table.ts';

/** Every event, written once by its own transaction. `data` is null after erasure. */
export const LOG_ENTRY = table('log_entry', {
  seq: bigint().primary().persist(false),
  log: p.enum(LOG_KINDS),
  id: p.uuid(),
  org_id: p.uuid(),
  tx_id: p.uuid(),
  type: p.text(),
  aggregate_id: p.text(),
  actor: p.text(),
  request_id: p.uuid(),
  trace: p.text().nullable(),
  happened_at: instant(),
  data: p.json().columnType('json').nullable(),
});

/**
 * The numbers: the entry at `seqs[n]` has number `first_no + n - 1`. `previous[n]` is the id of its organization's
 * previous event.
 */
export const LOG_BATCH = table('log_batch', {
  log: p.enum(LOG_KINDS).primary(),
  first_no: bigint().primary(),
  first_seq: bigint(),
  last_seq: bigint(),
  seqs: bigints(),
  previous: uuids(),
  numbered_at: instant(),
});

/**
 * The end of each log. Its row is locked while numbers are given. Numbers begin after `base`. `settled` is the
 * high-water mark. `timeline` is the Postgres timeline on which the epoch began.
 */
export const LOG_HEAD = table('log_head', {
  log: p.enum(LOG_KINDS).primary(),
  epoch: p.integer(),
  no: bigint(),
  id: p.uuid().nullable(),
  base: bigint(),
  settled: bigint(),
  published_no: bigint().nullable(),
  trouble: p.text().nullable(),
  trouble_since: instant().nullable(),
  timeline: p.integer().nullable(),
});

/** The first number of each epoch. */
export const LOG_EPOCH = table('log_epoch', {
  log: p.enum(LOG_KINDS).primary(),
  epoch: p.integer().primary(),
  first_no: bigint(),
  why: p.text(),
  opened_at: instant(),
});

/** The newest event of each organization. */
export const LOG_ORG = table('log_org', {
  org_id: p.uuid().primary(),
  log: p.enum(LOG_KINDS).primary(),
  no: bigint(),
  id: p.uuid(),
});
