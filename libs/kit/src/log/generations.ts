import type { RowOf } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import { GENERATION } from './follower.table.ts';
import { inWorkerTransaction, readAsWorker, type WorkerDeps, type WorkerTransaction } from './worker-transaction.ts';

const STATE = GENERATION.pick('gen', 'state');
const GEN = GENERATION.pick('gen');
export type Generation = RowOf<typeof STATE.shape>;

const LIST = statement("select gen, state from generation where state <> 'old' order by gen", STATE.shape);
const BEGIN = statement(
  `insert into generation (gen, state, why)
   select max(gen) + 1, 'building', $1 from generation having count(*) filter (where state = 'building') = 0
   on conflict do nothing returning gen`,
  GEN.shape,
);
const BUILDING = statement("select gen from generation where state = 'building'", GEN.shape);
const ABANDON = statement("update generation set state = 'old' where gen = $1 and state = 'building'");
const RETIRE = statement("update generation set state = 'old' where state = 'current'");
const MAKE_CURRENT = statement(
  "update generation set state = 'current' where gen = $1 and state = 'building' returning gen",
  GEN.shape,
);

/** The follower name of a generation. */
export const generationFollower = (name: string, gen: number): string => `${name} ${gen}`;

/** The active generations: the current one, and the one that is being built. */
export const listGenerations = (deps: WorkerDeps): Promise<Generation[]> => readAsWorker(deps, (on) => on.query(LIST));

/** Begins to build a generation unless one is being built. Returns the number of the one that is being built. */
export const beginGeneration = async (tx: Pick<WorkerTransaction, 'query'>, why: string): Promise<number> => {
  const [begun] = await tx.query(BEGIN, why);
  return begun?.gen ?? (await tx.query(BUILDING))[0]?.gen ?? 0;
};

/** Stops building this generation. */
export const abandonGeneration = (deps: WorkerDeps, gen: number): Promise<void> =>
  inWorkerTransaction(deps, async (tx) => tx.run(ABANDON, gen));

/** Makes it the current generation. Returns false if it is no longer being built. */
export const switchGeneration = (deps: WorkerDeps, gen: number): Promise<boolean> =>
  inWorkerTransaction(deps, async (tx) => {
    const [building] = await tx.query(BUILDING);
    if (building?.gen !== gen) return false;
    tx.run(RETIRE);
    return (await tx.query(MAKE_CURRENT, gen)).length > 0;
  });
