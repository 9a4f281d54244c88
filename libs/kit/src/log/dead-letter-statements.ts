import { notNull, p, type RowOf } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import { DEAD_LETTER } from './dead-letter.table.ts';
import type { Offset } from './offset.ts';
import type { ReceivedEvent } from './received-event.ts';
import type { WorkerTransaction } from './worker-transaction.ts';

/** Automatic tries. After them a dead letter waits for an operator or for the next start. */
export const MAX_TRIES = 3;
const MAX_REASON = 2_000;
/** Seconds until the next try, by the number of tries so far. */
const PAUSES_S = [0, 1, 5];

const NEW = DEAD_LETTER.omit('seq', 'created_at', 'replayed_at', 'due_at');
const STORE = statement(`
  insert into dead_letter (${NEW.columns}, due_at)
  select ${NEW.columns}, now() + make_interval(secs => $2) from json_populate_record(null::dead_letter, $1)
  on conflict (follower, event_id) do nothing`);

const AGGREGATE = DEAD_LETTER.pick('org_id', 'aggregate_id');
/** Aggregates with dead letters, whose next events have to wait. */
export const AGGREGATES_WITH_DEAD_LETTERS = statement(
  `select distinct ${AGGREGATE.columns} from dead_letter where follower = $1 and log = $2 and replayed_at is null`,
  AGGREGATE.shape,
);
const DUE_PART = DEAD_LETTER.pick('event_id', 'org_id', 'aggregate_id', 'event', 'tries');
/** The first dead letter of each aggregate that is due. */
export const DUE_LETTERS = statement(
  `select ${DUE_PART.columns} from (
     select distinct on (org_id, aggregate_id) * from dead_letter
     where follower = $1 and log = $2 and replayed_at is null order by org_id, aggregate_id, seq
   ) as first where tries < ${MAX_TRIES} and due_at <= now() order by seq limit 50`,
  DUE_PART.shape,
);
export type DueLetter = RowOf<typeof DUE_PART.shape>;

const LOCKED = DEAD_LETTER.pick('event_id');
export const LOCK_LETTER = statement(
  'select event_id from dead_letter where follower = $1 and event_id = $2 and replayed_at is null for update',
  LOCKED.shape,
);
export const MARK_REPLAYED = statement(
  'update dead_letter set replayed_at = now() where follower = $1 and event_id = $2',
);
export const RECORD_FAILURE = statement(`
  update dead_letter set error = $3, tries = $4, due_at = now() + make_interval(secs => $5)
  where follower = $1 and event_id = $2 and replayed_at is null`);
export const REMAINING_OF_AGGREGATE = statement(
  `select exists (select from dead_letter where follower = $1 and org_id = $2 and aggregate_id = $3 and log = $4
     and replayed_at is null) as waiting`,
  { waiting: notNull(p.boolean()) },
);
/** Gives each dead letter one more try: a new start may run a new version that can apply it. */
export const ALLOW_ANOTHER_TRY = statement(`
  update dead_letter set tries = ${MAX_TRIES - 1}, due_at = now()
  where follower = $1 and log = $2 and replayed_at is null and tries >= ${MAX_TRIES}`);

export const pauseAfter = (tries: number): number => PAUSES_S[tries] ?? 0;
export const shortReason = (reason: string): string => reason.slice(0, MAX_REASON);

/** The reason why an event is not applied now, and the number of tries. */
export interface Obstacle {
  reason: string;
  tries: number;
}

/** Stores an event that is not applied as a dead letter of the follower. */
export const storeDeadLetter = (
  tx: WorkerTransaction,
  { follower, log }: { follower: string; log: string },
  event: ReceivedEvent,
  { epoch, no }: Offset,
  { reason, tries }: Obstacle,
): void => {
  const letter: RowOf<typeof NEW.shape> = {
    follower,
    log,
    epoch,
    no,
    event_id: event.id,
    org_id: event.orgid,
    aggregate_id: event.subject,
    tx_id: event.txid,
    event,
    error: shortReason(reason),
    tries,
  };
  tx.run(STORE, JSON.stringify(letter), pauseAfter(tries));
};
