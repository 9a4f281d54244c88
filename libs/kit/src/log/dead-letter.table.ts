import { bigint, instant, p } from '../db/columns.ts';
import { table } from '../db/table.ts';

/** Events that could not be applied, and the later events of the same organization and aggregate. */
export const DEAD_LETTER = table('dead_letter', {
  seq: bigint().primary().persist(false),
  event_id: p.uuid(),
  org_id: p.uuid(),
  aggregate_id: p.text(),
  event: p.json().columnType('json'),
  error: p.text(),
  tries: p.integer(),
  created_at: instant().columnType('timestamptz'),
  replayed_at: instant().columnType('timestamptz').nullable(),
  follower: p.text(),
  log: p.text(),
  no: bigint(),
  epoch: p.integer(),
  tx_id: p.uuid(),
  due_at: instant(),
});
