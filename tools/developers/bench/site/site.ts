import type { Generator } from '../load/generator.ts';
import type { FigureSeed, Outcome, Plan } from '../load/work.ts';
import { type Sizes, USUAL } from '../seed/sizes.ts';
import { type Contender, quiet } from '../measure/slices.ts';
import type { Plain } from '../plain/start.ts';
import type { System } from '../system/system.ts';
import { dataOf, isRollCalls, type LoadName, once } from './data.ts';
import { type Around, floorsOf } from './floors.ts';
import { loader } from './loader.ts';
import { writeFloorOf } from './write-floor.ts';

/** How a contender is loaded; for how long is said each time. */
export type Load = Omit<Plan, 'seconds' | 'count'>;

/** One system with its data and, for comparison, what stands below it. */
export interface Site {
  system: System;
  /** Brings what a run will use up. */
  prepare: (name: LoadName, plan: Plan) => Promise<void>;
  run: (name: LoadName, plan: Plan) => Promise<Outcome>;
  /** Returns when the statistics contain the last write of a run that did not follow it. */
  follow: (name: LoadName) => Promise<void>;
  own: (name: LoadName, load: Load) => Promise<Contender>;
  /** What stands below a load, as far as something does. `around`: what it is recorded in. */
  floors: (name: LoadName, load: Load, around?: Around) => Promise<Contender[]>;
  /** Some questions, asked in turn. */
  asking: (what: string, seed: readonly FigureSeed[], load: Load) => Promise<Contender>;
  /** The token of somebody who makes the requests of a load. */
  tokenFor: (name: LoadName) => Promise<string>;
  /** The system itself and what stands below it. */
  contenders: (name: LoadName, load: Load) => Promise<Contender[]>;
}

/** A guess until it is measured. */
const FIRST_RATE = 150;

/** Half as many again as were ever needed, and for each connection the one under way and its successor. */
const lessonsFor = ({ connections, count, seconds = 0 }: Plan, bestRate: number): number =>
  count ?? Math.ceil(1.5 * bestRate * seconds) + 2 * connections;

export interface Opening {
  /** Starts the plain server on its database, when it is needed; without it there is nothing to compare with. */
  plain?: () => Promise<Plain>;
  /** Has what writes send to Postgres beside it, too: on copies of the whole database. */
  ofWrites?: boolean;
  sizes?: Sizes;
  /** What it is called: several sites may share a system. */
  name?: string;
}

export const openSite = (
  system: System,
  generator: Generator,
  { plain, ofWrites = false, sizes = USUAL, name: called = system.name }: Opening = {},
): Site => {
  const data = dataOf(system, sizes);
  const load = loader(generator);
  const writeFloor = ofWrites ? { writeFloor: writeFloorOf(system, data, generator) } : {};
  const floors =
    plain === undefined ? async () => [] : floorsOf(system, data, load, { plain: once(plain), ...writeFloor });
  const keyOf = (name: LoadName): string => `${called} ${name}`;
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

  const own = async (name: LoadName, load_: Load): Promise<Contender> => {
    await loadOwn(name);
    return {
      name: called,
      system: system.name,
      roots: system.roots,
      prepare: (seconds) => prepare(name, { ...load_, seconds }),
      run: (seconds) => run(name, { ...load_, seconds }),
    };
  };
  return {
    system,
    prepare,
    run,
    follow: async (name) => void (await generator({ kind: 'follow', key: keyOf(name) })),
    own,
    floors,
    asking: async (what, seed, load_) => {
      const work = { name: 'classes' as const, seed: [...seed] };
      const ask = await load(`${called} ${what}`, system.address, async () => work);
      return { name: what, system: system.name, roots: system.roots, run: (seconds) => ask({ ...load_, seconds }) };
    },
    tokenFor: async (name) => {
      const { seed } = await data.workOf(name);
      const [first] = Array.isArray(seed) ? seed : [];
      if (first === undefined) throw new Error(`Nobody makes ${name}`);
      return first.token;
    },
    contenders: async (name, load_) => [await own(name, load_), ...(await floors(name, load_))],
  };
};
