import { type RowOf, texts } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import { FOLLOWER_POSITION } from './follower.table.ts';
import type { Offset } from './offset.ts';
import { inWorkerTransaction, type WorkerDeps } from './worker-transaction.ts';

const POSITION = FOLLOWER_POSITION.pick('epoch', 'no', 'id', 'after_tx', 'broken', 'trouble');
const OPENED = { ...POSITION.shape, followed: texts().nullable() };
const OPEN = statement(
  `insert into follower_position as p (follower, log, follows) values ($1, $2, $3)
   on conflict (follower, log) do update set follows = excluded.follows
   returning ${POSITION.withAlias('p')}, old.follows as followed`,
  OPENED,
);
const SET = statement(
  'update follower_position set epoch = $3, no = $4, id = $5, after_tx = null where follower = $1 and log = $2',
);
const TROUBLE = statement(`
  update follower_position set trouble = $3, trouble_since = coalesce(trouble_since, now()) where follower = $1 and log = $2`);
const CALM = statement(`
  update follower_position set trouble = null, trouble_since = null
  where follower = $1 and log = $2 and trouble is not null and not broken`);

/** The stored offset of a follower in one log. Applied entries move it, see `createApplier`. */
export const storedOffset = (deps: WorkerDeps, follower: string, log: string) => ({
  /** Reads the offset and the events that were followed before, and stores the events followed now. */
  open: async (follows: readonly string[]): Promise<RowOf<typeof OPENED>> => {
    const [row] = await inWorkerTransaction(deps, (tx) => tx.query(OPEN, follower, log, follows));
    if (row === undefined) throw new Error('the follower position was not stored');
    return row;
  },
  set: ({ epoch, no, id }: Offset): Promise<void> =>
    inWorkerTransaction(deps, async (tx) => tx.run(SET, follower, log, epoch, no, id)),
  storeTrouble: (reason: string): Promise<void> =>
    inWorkerTransaction(deps, async (tx) => tx.run(TROUBLE, follower, log, reason)),
  clearTrouble: (): Promise<void> => inWorkerTransaction(deps, async (tx) => tx.run(CALM, follower, log)),
});
