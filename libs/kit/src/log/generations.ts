import { statement } from '../db/statement.ts';
import { inWorkerTx, type WorkerDeps, type WorkerTx } from './tx.ts';

/**
 * A projection that can be built anew keeps its rows by generation, and a table of these:
 * `generation (gen int, state 'current' | 'building' | 'old', why text)`. A generation is a follower of its own:
 * it reads the logs from their beginning and is switched to when it has what the current one has.
 */
export interface Generation {
  gen: number;
  state: 'current' | 'building';
}

const LIST = statement<Generation>("select gen, state from generation where state <> 'old' order by gen");
const BEGIN = statement<{ gen: number }>(`
  insert into generation (gen, state, why)
  select max(gen) + 1, 'building', $1 from generation having count(*) filter (where state = 'building') = 0
  on conflict do nothing returning gen`);
const BUILDING = statement<{ gen: number }>("select gen from generation where state = 'building'");
const GIVE_UP = statement("update generation set state = 'old' where gen = $1 and state = 'building'");
const RETIRE = statement("update generation set state = 'old' where state = 'current'");
const CROWN = statement<{ gen: number }>(
  "update generation set state = 'current' where gen = $1 and state = 'building' returning gen",
);

/** The name a generation has as a follower. */
export const followerOf = (name: string, gen: number): string => `${name} ${gen}`;

export const listGenerations = (deps: WorkerDeps): Promise<Generation[]> => inWorkerTx(deps, (tx) => tx.query(LIST));

/** Begins to build a generation, unless one is being built: one rebuild at a time. Answers which one is. */
export const beginGeneration = async (tx: Pick<WorkerTx, 'query'>, why: string): Promise<number> => {
  const [begun] = await tx.query(BEGIN, why);
  return begun?.gen ?? (await tx.query(BUILDING))[0]?.gen ?? 0;
};

/** Stops building this one. */
export const giveUpGeneration = (deps: WorkerDeps, gen: number): Promise<void> =>
  inWorkerTx(deps, async (tx) => tx.run(GIVE_UP, gen));

/** Makes it the one that counts; false when it is no longer being built. */
export const switchTo = (deps: WorkerDeps, gen: number): Promise<boolean> =>
  inWorkerTx(deps, async (tx) => {
    const [building] = await tx.query(BUILDING);
    if (building?.gen !== gen) return false;
    tx.run(RETIRE);
    return (await tx.query(CROWN, gen)).length > 0;
  });
