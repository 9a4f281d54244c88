import type { Generator } from '../load/generator.ts';
import type { Outcome, Plan, Work } from '../load/work.ts';

/** Runs what the generator has under a key. */
export const runOf =
  (generator: Generator, key: string) =>
  async (plan: Plan): Promise<Outcome> => {
    const outcome = await generator({ kind: 'run', key, plan });
    if (outcome === null) throw new Error('A run came to nothing');
    return outcome;
  };

/** Loads each work once; answers how it is run. */
export const loader = (generator: Generator) => {
  const loaded = new Map<string, Promise<unknown>>();
  return async (key: string, address: string, work: () => Promise<Work>): Promise<(plan: Plan) => Promise<Outcome>> => {
    const loading = loaded.get(key) ?? work().then((it) => generator({ kind: 'load', key, address, work: it }));
    loaded.set(key, loading);
    await loading;
    return runOf(generator, key);
  };
};

export type Loader = ReturnType<typeof loader>;
