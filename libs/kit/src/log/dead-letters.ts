import { type DeadLetter, deadLetterCalls } from '@teaching/contracts';
import { z } from 'zod';
import { setTimeout as pause } from 'node:timers/promises';
import { type Route, routes } from '../call/handler.ts';
import { statement } from '../db/statement.ts';
import { TRIES } from './dead-letter-rows.ts';
import { inWorkerTx, type WorkerDeps } from './tx.ts';

const COLUMNS = "seq, event_id, org_id, aggregate_id, event ->> 'type' as type, error, tries, created_at";
const WAITING = 'replayed_at is null';

const LIST = statement<DeadLetter>(
  `select ${COLUMNS} from dead_letter where ${WAITING} and seq > $1 order by seq limit $2`,
);
const COUNT = statement<{ waiting: number }>(`select count(*)::int as waiting from dead_letter where ${WAITING}`);
/** One try more for everything that waits, in its order. */
const ASK_FOR_REPLAY = statement<{ seq: number }>(
  `update dead_letter set tries = least(tries, ${TRIES - 1}), due_at = now() where ${WAITING} returning seq`,
);
/** What was asked for and is neither applied nor given up again, nor stuck behind one that is. */
const STILL = statement<{ seq: number }>(`
  select d.seq from dead_letter as d
  where d.${WAITING} and d.seq = any ($1::bigint[]) and d.tries < ${TRIES} and not exists (
    select from dead_letter as f where f.follower = d.follower and f.org_id = d.org_id
      and f.aggregate_id = d.aggregate_id and f.${WAITING} and f.seq < d.seq and f.tries >= ${TRIES})
  limit 1`);
const APPLIED = statement<{ applied: number }>(
  'select count(*)::int as applied from dead_letter where seq = any ($1::bigint[]) and replayed_at is not null',
);

const LOOK_MS = 50;
const PATIENCE_MS = 30_000;

/** The calls every service answers about its dead letters. Its leading instance tries them; this one asks and waits. */
export const deadLetterRoutes = (service: string, deps: WorkerDeps): Route[] =>
  routes(deadLetterCalls(service), {
    list: async ({ body }, session) => {
      const [items, counts] = await Promise.all([
        session.query(LIST, body.after_seq, body.limit),
        session.query(COUNT),
      ]);
      return { items, waiting: z.int().parse(counts[0]?.waiting) };
    },
    replay: async () => {
      const asked = (await inWorkerTx(deps, (tx) => tx.query(ASK_FOR_REPLAY))).map(({ seq }) => seq);
      const until = Date.now() + PATIENCE_MS;
      const isDone = async () => (await inWorkerTx(deps, (tx) => tx.query(STILL, asked))).length === 0;
      while (Date.now() < until && !(await isDone())) await pause(LOOK_MS);
      const [row] = await inWorkerTx(deps, (tx) => tx.query(APPLIED, asked));
      return { replayed: row?.applied ?? 0 };
    },
  });
