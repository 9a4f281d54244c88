import { statement } from '../db/statement.ts';
import type { Received } from './received.ts';
import type { Place } from './place.ts';
import type { WorkerTx } from './tx.ts';

/** Tried this often by itself; then it waits for an operator, or for the next start. */
export const TRIES = 3;
const MAX_REASON = 2_000;
/** Until the next try, by tries so far. */
const PAUSES_S = [0, 1, 5];

const PUT_ASIDE = statement(`
  insert into dead_letter (follower, log, epoch, no, event_id, org_id, aggregate_id, tx_id, event, error, tries, due_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now() + make_interval(secs => $12))
  on conflict (follower, event_id) do nothing`);
export const PARKED = statement<{ org_id: string; aggregate_id: string }>(`
  select distinct org_id, aggregate_id from dead_letter where follower = $1 and log = $2 and replayed_at is null`);
/** The first letter of each aggregate, where its time has come. */
export const DUE = statement<DueLetter>(`
  select event_id, org_id, aggregate_id, tries, event from (
    select distinct on (org_id, aggregate_id) * from dead_letter
    where follower = $1 and log = $2 and replayed_at is null order by org_id, aggregate_id, seq
  ) as first where tries < ${TRIES} and due_at <= now() order by seq limit 50`);
export const LOCK_LETTER = statement<{ event_id: string }>(
  'select event_id from dead_letter where follower = $1 and event_id = $2 and replayed_at is null for update',
);
export const REPLAYED = statement('update dead_letter set replayed_at = now() where follower = $1 and event_id = $2');
export const FAILED_AGAIN = statement(`
  update dead_letter set error = $3, tries = $4, due_at = now() + make_interval(secs => $5)
  where follower = $1 and event_id = $2 and replayed_at is null`);
export const LEFT_OF_AGGREGATE = statement<{ waiting: boolean }>(`
  select exists (select from dead_letter where follower = $1 and org_id = $2 and aggregate_id = $3 and log = $4
    and replayed_at is null) as waiting`);
/** A new start may be a new version that can apply what the former could not: one more try each. */
export const TRY_ONCE_MORE = statement(`
  update dead_letter set tries = ${TRIES - 1}, due_at = now()
  where follower = $1 and log = $2 and replayed_at is null and tries >= ${TRIES}`);

export interface DueLetter {
  event_id: string;
  org_id: string;
  aggregate_id: string;
  tries: number;
  event: unknown;
}

export const pauseAfter = (tries: number): number => PAUSES_S[tries] ?? 0;
export const shortened = (reason: string): string => reason.slice(0, MAX_REASON);

/** Whose dead letters these are. */
export interface Shelf {
  follower: string;
  log: string;
}

export const putAside = (
  tx: WorkerTx,
  { follower, log }: Shelf,
  event: Received,
  at: Place,
  why: { reason: string; tries: number },
): void => {
  const { id, orgid, subject, txid } = event;
  const { reason, tries } = why;
  const letter = [id, orgid, subject, txid, JSON.stringify(event), shortened(reason), tries, pauseAfter(tries)];
  tx.run(PUT_ASIDE, follower, log, at.epoch, at.no, ...letter);
};
