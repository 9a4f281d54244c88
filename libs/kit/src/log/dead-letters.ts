import { setTimeout as pause } from 'node:timers/promises';
import { DeadLetter, deadLetterCalls, Problem } from '@teaching/contracts';
import { notNull, p } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import { type Route, routes } from '../rpc/handler.ts';
import { MAX_TRIES } from './dead-letter-statements.ts';
import { DEAD_LETTER } from './dead-letter.table.ts';
import type { FollowerDefinition } from './follower.ts';
import { inWorkerTransaction, type WorkerDeps } from './worker-transaction.ts';

const LISTED = DEAD_LETTER.contractColumns(DeadLetter);
const SEQ = DEAD_LETTER.pick('seq');
const COUNTED = notNull(p.integer());
const WAITING = 'replayed_at is null';

/** The type is never null: every event has one. */
const LIST = statement(
  `select ${LISTED.columns}, event ->> 'type' as type from dead_letter
   where ${WAITING} and seq > $1 order by seq limit $2`,
  { ...LISTED.shape, type: notNull(p.text()) },
);
const COUNT = statement(`select count(*)::int as waiting from dead_letter where ${WAITING}`, { waiting: COUNTED });
const WHOLE = DEAD_LETTER.pick('follower', 'log', 'event');
const GET = statement(
  `select ${LISTED.columns}, event ->> 'type' as type, ${WHOLE.columns} from dead_letter where ${WAITING} and seq = $1`,
  { ...LISTED.shape, type: notNull(p.text()), ...WHOLE.shape },
);
/** Drops a dead letter. Its row stays and contains the reason. */
const DROP = statement(
  `update dead_letter set replayed_at = now(), error = left('dropped: ' || $2::text || '; ' || error, 2000)
   where ${WAITING} and seq = $1 returning seq`,
  SEQ.shape,
);
/** Gives each waiting dead letter one more try, in order. */
const SCHEDULE_REPLAY = statement(
  `update dead_letter set tries = least(tries, ${MAX_TRIES - 1}), due_at = now() where ${WAITING} returning seq`,
  SEQ.shape,
);
/**
 * Finds requested dead letters that can still be applied: neither applied nor failed again, nor after one that failed.
 */
const PENDING_REPLAY = statement(
  `select d.seq from dead_letter as d
   where d.${WAITING} and d.seq = any ($1::bigint[]) and d.tries < ${MAX_TRIES} and not exists (
     select from dead_letter as f where f.follower = d.follower and f.org_id = d.org_id
       and f.aggregate_id = d.aggregate_id and f.${WAITING} and f.seq < d.seq and f.tries >= ${MAX_TRIES})
   limit 1`,
  SEQ.shape,
);
const APPLIED = statement(
  'select count(*)::int as applied from dead_letter where seq = any ($1::bigint[]) and replayed_at is not null',
  { applied: COUNTED },
);

const POLL_MS = 50;
const TIMEOUT_MS = 30_000;

/**
 * The calls about dead letters that every service answers. Its leading instance retries them; the instance that gets
 * the call schedules the retry and waits up to 30 s. A follower with `onLost` has to keep every event, so its dead
 * letters cannot be dropped.
 */
export const deadLetterRoutes = (
  service: string,
  deps: WorkerDeps,
  follower: FollowerDefinition | undefined,
): Route[] =>
  routes(deadLetterCalls(service), {
    list: async ({ body }, session) => {
      const [items, counts] = await Promise.all([
        session.query(LIST, body.after_seq, body.limit),
        session.query(COUNT),
      ]);
      return { items, waiting: counts[0]?.waiting ?? 0 };
    },
    get: async ({ body }, session) => ({ found: (await session.queryOne(GET, body.seq)) ?? null }),
    drop: async ({ body }, session) => {
      if (follower?.onLost !== undefined)
        throw new Problem(
          'forbidden',
          `${follower.name} must not lose an event: correct the cause and replay the dead letters`,
        );
      return { dropped: (await session.queryOne(DROP, body.seq, body.reason)) !== undefined };
    },
    replay: async () => {
      const requested = (await inWorkerTransaction(deps, (tx) => tx.query(SCHEDULE_REPLAY))).map(({ seq }) => seq);
      const until = performance.now() + TIMEOUT_MS;
      const isDone = async () =>
        (await inWorkerTransaction(deps, (tx) => tx.query(PENDING_REPLAY, requested))).length === 0;
      while (performance.now() < until && !(await isDone())) await pause(POLL_MS);
      const [row] = await inWorkerTransaction(deps, (tx) => tx.query(APPLIED, requested));
      return { replayed: row?.applied ?? 0 };
    },
  });
