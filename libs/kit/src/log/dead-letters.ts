import { setTimeout as pause } from 'node:timers/promises';
import { DeadLetter, deadLetterCalls, Problem } from '@teaching/contracts';
import { always, p } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import { type Route, routes } from '../rpc/handler.ts';
import { MAX_TRIES } from './dead-letter-statements.ts';
import { DEAD_LETTER } from './dead-letter.table.ts';
import type { FollowerDefinition } from './follower.ts';
import { inWorkerTransaction, type WorkerDeps } from './worker-transaction.ts';

const LISTED = DEAD_LETTER.wire(DeadLetter);
const SEQ = DEAD_LETTER.some('seq');
const COUNTED = always(p.integer());
const WAITING = 'replayed_at is null';

/** Every event has a type. */
const LIST = statement(
  `select ${LISTED.columns}, event ->> 'type' as type from dead_letter
   where ${WAITING} and seq > $1 order by seq limit $2`,
  { ...LISTED.shape, type: always(p.text()) },
);
const COUNT = statement(`select count(*)::int as waiting from dead_letter where ${WAITING}`, { waiting: COUNTED });
const WHOLE = DEAD_LETTER.some('follower', 'log', 'event');
const GET = statement(
  `select ${LISTED.columns}, event ->> 'type' as type, ${WHOLE.columns} from dead_letter where ${WAITING} and seq = $1`,
  { ...LISTED.shape, type: always(p.text()), ...WHOLE.shape },
);
/** Its row stays, and says why it counts as done. */
const DROP = statement(
  `update dead_letter set replayed_at = now(), error = left('dropped: ' || $2::text || '; ' || error, 2000)
   where ${WAITING} and seq = $1 returning seq`,
  SEQ.shape,
);
/** One try more for everything that waits, in its order. */
const ASK_FOR_REPLAY = statement(
  `update dead_letter set tries = least(tries, ${MAX_TRIES - 1}), due_at = now() where ${WAITING} returning seq`,
  SEQ.shape,
);
/** What was asked for and is neither applied nor given up again, nor stuck behind one that is. */
const STILL = statement(
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
const PATIENCE_MS = 30_000;

/**
 * The calls every service answers about its dead letters. Its leading instance tries them; this one asks and waits. Whoever
 * says what it can no longer prove (`lost`) keeps every event.
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
    get: async ({ body }, session) => ({ found: (await session.one(GET, body.seq)) ?? null }),
    drop: async ({ body }, session) => {
      if (follower?.lost !== undefined)
        throw new Problem(
          'forbidden',
          `Nothing may be missing in what ${follower.name} keeps: mend the cause and replay`,
        );
      return { dropped: (await session.one(DROP, body.seq, body.reason)) !== undefined };
    },
    replay: async () => {
      const asked = (await inWorkerTransaction(deps, (tx) => tx.query(ASK_FOR_REPLAY))).map(({ seq }) => seq);
      const until = Date.now() + PATIENCE_MS;
      const isDone = async () => (await inWorkerTransaction(deps, (tx) => tx.query(STILL, asked))).length === 0;
      while (Date.now() < until && !(await isDone())) await pause(POLL_MS);
      const [row] = await inWorkerTransaction(deps, (tx) => tx.query(APPLIED, asked));
      return { replayed: row?.applied ?? 0 };
    },
  });
