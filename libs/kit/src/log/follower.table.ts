import { bigint, instant, p, texts, uuids } from '../db/columns.ts';
import { table } from '../db/table.ts';

/** The offset of a follower in each log, stored with its derived data. */
export const FOLLOWER_POSITION = table('follower_position', {
  follower: p.text().primary(),
  log: p.text().primary(),
  epoch: p.integer(),
  no: bigint(),
  id: p.uuid().nullable(),
  after_tx: uuids().nullable(),
  follows: texts().nullable(),
  broken: p.boolean(),
  trouble: p.text().nullable(),
  trouble_since: instant().nullable(),
});

/**
 * The generations of derived data that can be rebuilt. Each generation is a follower of its own: it reads the logs from
 * their beginning and replaces the current one when it has reached its offsets.
 */
export const GENERATION = table('generation', {
  gen: p.integer().primary(),
  state: p.enum(['current', 'building', 'old']),
  started_at: instant(),
  why: p.text().nullable(),
});
