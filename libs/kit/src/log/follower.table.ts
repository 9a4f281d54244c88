import { bigint, instant, p, texts, uuids } from '../db/columns.ts';
import { table } from '../db/table.ts';

/** How far a follower is in the logs it follows: stored with what it derived. */
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
 * A projection that can be built anew keeps its rows by generation. Each is a follower of its own: it reads the logs
 * from their beginning and is switched to when it has what the current one has.
 */
export const GENERATION = table('generation', {
  gen: p.integer().primary(),
  state: p.enum(['current', 'building', 'old']),
  started_at: instant(),
  why: p.text().nullable(),
});
