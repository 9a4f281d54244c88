import type { Generator } from '../load/generator.ts';
import type { Outcome, Plan, Work } from '../load/work.ts';
import { type Contender, quiet } from '../measure/slices.ts';
import type { Plain } from '../plain/start.ts';
import type { System } from '../system/system.ts';
import { dataOf, isPackageLoad, isRollCalls, type LoadName } from './data.ts';

/** How a contender is loaded; for how long is said each time. */
export type Load = Omit<Plan, 'seconds' | 'count'>;

/** One system with its data and, for comparison, the plain server on its database. */
export interface Site {
  system: System;
  /** Brings what a run will use up. */
  prepare: (name: LoadName, plan: Plan) => Promise<void>;
  run: (name: LoadName, plan: Plan) => Promise<Outcome>;
  /** Returns when the statistics contain the last write of a run that did not follow it. */
  follow: (name: LoadName) => Promise<void>;
  contenders: (name: LoadName, load: Load) => Promise<Contender[]>;
}

/** A guess until it is measured. */
const FIRST_RATE = 150;

/** Half as many again as were ever needed, and for each connection the one under way and its successor. */
const lessonsFor = ({ connections, count, seconds = 0 }: Plan, bestRate: number): number =>
  count ?? Math.ceil(1.5 * bestRate * seconds) + 2 * connections;

/** Loads each work once; answers how it is run. */
const loader = (generator: Generator) => {
  const loaded = new Map<string, Promise<unknown>>();
  return async (key: string, address: string, work: () => Promise<Work>): Promise<(plan: Plan) => Promise<Outcome>> => {
    const loading = loaded.get(key) ?? work().then((it) => generator({ kind: 'load', key, address, work: it }));
    loaded.set(key, loading);
    await loading;
    return async (plan) => {
      const outcome = await generator({ kind: 'run', key, plan });
      if (outcome === null) throw new Error('A run came to nothing');
      return outcome;
    };
  };
};

export const openSite = (system: System, generator: Generator, plain: Plain | undefined): Site => {
  const data = dataOf(system);
  const load = loader(generator);
  const keyOf = (name: LoadName): string => `${system.name} ${name}`;
  const loadOwn = (name: LoadName) => load(keyOf(name), system.address, () => data.workOf(name));
  const lessonsLeft = new Map<LoadName, number>();
  let bestRate = 0;

  const bringLessons = async (name: LoadName, plan: Plan): Promise<void> => {
    const need = lessonsFor(plan, bestRate || FIRST_RATE);
    let left = lessonsLeft.get(name) ?? 0;
    if (left >= need) return;
    const { moreLessons } = await data.school();
    for (await loadOwn(name); left < need;) {
      const lessons = await moreLessons();
      await generator({ kind: 'feed', key: keyOf(name), lessons });
      left += lessons.length;
    }
    lessonsLeft.set(name, left);
    await quiet(system.roots());
  };

  const run = async (name: LoadName, plan: Plan): Promise<Outcome> => {
    const outcome = await (await loadOwn(name))(plan);
    if (isRollCalls(name)) {
      lessonsLeft.set(name, outcome.left ?? 0);
      if (plan.count === undefined) bestRate = Math.max(bestRate, outcome.latencies.length / outcome.seconds);
    }
    return outcome;
  };
  const prepare = async (name: LoadName, plan: Plan): Promise<void> => {
    if (isRollCalls(name)) await bringLessons(name, plan);
  };

  const plainContender = async (name: LoadName, load_: Load): Promise<Contender[]> => {
    if (plain === undefined || !isPackageLoad(name)) return [];
    const runPlain = await load(`${system.name} plain ${name}`, plain.address, () => data.plainWorkOf(name));
    const roots = () => [plain.pid, system.postmaster()];
    const run = (seconds: number) => runPlain({ ...load_, seconds });
    return [{ name: `plain on ${system.name}`, system: system.name, isPlain: true, roots, run }];
  };
  /** The statement behind a load, without all that is around it. */
  const statementContender = async (name: LoadName, load_: Load): Promise<Contender[]> => {
    if (name !== 'timetable') return [];
    await loadOwn('statement');
    const runStatement = (seconds: number) => run('statement', { ...load_, seconds });
    const known = { name: `its statement on ${system.name}`, system: system.name, isPlain: true };
    return [{ ...known, roots: () => [system.postmaster()], run: runStatement }];
  };
  return {
    system,
    prepare,
    run,
    follow: async (name) => void (await generator({ kind: 'follow', key: keyOf(name) })),
    contenders: async (name, load_) => {
      await loadOwn(name);
      const own: Contender = {
        name: system.name,
        system: system.name,
        isPlain: false,
        roots: system.roots,
        prepare: (seconds) => prepare(name, { ...load_, seconds }),
        run: (seconds) => run(name, { ...load_, seconds }),
      };
      return [own, ...(await plainContender(name, load_)), ...(await statementContender(name, load_))];
    },
  };
};
