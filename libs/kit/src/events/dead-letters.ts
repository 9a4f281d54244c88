import { type DeadLetter, deadLetterCalls, Envelope } from '@teaching/contracts';
import { z } from 'zod';
import { type Route, routes } from '../call/handler.ts';
import { statement } from '../db/statement.ts';
import { type Apply, claim, orAgain, takeTurn } from './apply.ts';
import type { Received } from './batch.ts';
import { inWorkerTx, type WorkerDeps } from './tx.ts';

const COLUMNS = "seq, event_id, org_id, aggregate_id, event ->> 'type' as type, error, tries, created_at";
const WAITING = 'replayed_at is null';

const LIST = statement<DeadLetter>(
  `select ${COLUMNS} from dead_letter where ${WAITING} and seq > $1 order by seq limit $2`,
);
const COUNT = statement<{ waiting: number }>(`select count(*) as waiting from dead_letter where ${WAITING}`);
/** Not those behind one that failed. */
const NEXT = statement<DeadLetter>(
  `select ${COLUMNS} from dead_letter where ${WAITING} and seq > $1 and aggregate_id <> all ($3::text[])
   order by seq limit $2`,
);
const LOCK = statement<{ event: unknown }>(
  `select event from dead_letter where ${WAITING} and event_id = $1
   and not exists (select from dead_letter d where d.aggregate_id = $2 and d.seq < $3 and d.replayed_at is null)
   for update`,
);
const REPLAYED = statement('update dead_letter set replayed_at = now() where event_id = $1');
const FAILED = statement(
  'update dead_letter set error = $2, tries = tries + 1 where event_id = $1 and replayed_at is null',
);

export interface ReplayDeps extends WorkerDeps {
  /** Events were applied and committed. */
  onApplied: () => void;
}

/**
 * Applies one dead letter with its inbox row, in one transaction that no batch of the consumer runs beside.
 * False when it is not its turn: somebody else replayed it, or an earlier one of its aggregate still waits.
 */
const replayOne = (deps: ReplayDeps, apply: Apply, letter: DeadLetter): Promise<boolean> =>
  inWorkerTx(deps, async (tx) => {
    takeTurn(tx);
    const [locked] = await tx.query(LOCK, letter.event_id, letter.aggregate_id, letter.seq);
    if (locked === undefined) return false;
    const envelope = Envelope.parse(locked.event);
    const event: Received = { ...envelope, data: envelope.data };
    const fresh = await claim(tx, [event]);
    if (fresh.length > 0) await apply(fresh)(tx);
    tx.run(REPLAYED, event.id);
    return true;
  });

const MAX_REASON = 2_000;

/** The letter as it stands after another failure. */
const noteFailure = async (deps: ReplayDeps, letter: DeadLetter, error: unknown): Promise<DeadLetter> => {
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, MAX_REASON);
  await inWorkerTx(deps, async (tx) => tx.run(FAILED, letter.event_id, reason));
  return { ...letter, error: reason, tries: letter.tries + 1 };
};

const replayAll = async (
  deps: ReplayDeps,
  apply: Apply,
  letters: readonly DeadLetter[],
): Promise<{ replayed: number; failed: DeadLetter[] }> => {
  const failed: DeadLetter[] = [];
  let replayed = 0;
  for (const letter of letters) {
    if (failed.some(({ aggregate_id }) => aggregate_id === letter.aggregate_id)) continue;
    try {
      if (await orAgain(() => replayOne(deps, apply, letter))) replayed += 1;
    } catch (error) {
      failed.push(await noteFailure(deps, letter, error));
    }
  }
  if (replayed > 0) deps.onApplied();
  return { replayed, failed };
};

/** The calls every service answers about its dead letters; a service without a consumer has none. */
export const deadLetterRoutes = (service: string, deps: ReplayDeps, apply: Apply | undefined): Route[] =>
  routes(deadLetterCalls(service), {
    list: async ({ body }, session) => {
      const [items, counts] = await Promise.all([
        session.query(LIST, body.after_seq, body.limit),
        session.query(COUNT),
      ]);
      return { items, waiting: z.int().parse(counts[0]?.waiting) };
    },
    replay: async ({ body }, session) => {
      if (apply === undefined) return { replayed: 0, failed: [], next_seq: null };
      const letters = await session.peek(NEXT, body.after_seq, body.limit, body.except);
      const last = letters.length === body.limit ? letters.at(-1) : undefined;
      return { ...(await replayAll(deps, apply, letters)), next_seq: last?.seq ?? null };
    },
  });
