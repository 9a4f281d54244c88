import { ITEMS } from '../../../../services/package/src/item/item.table.ts';
import { listOf } from '../load/packages.ts';
import type { Recorded, Work } from '../load/work.ts';
import { seedFigures } from '../seed/figures.ts';
import { seedPackages } from '../seed/packages.ts';
import { seedSchool } from '../seed/school.ts';
import type { Sizes } from '../seed/sizes.ts';
import { seedTimetable } from '../seed/timetable.ts';
import type { System } from '../system/system.ts';

/** What a system is loaded with. */
export type LoadName = Exclude<Work['name'], 'statements'>;

type PackageLoad = 'w1' | 'w2' | 'w3' | 'publish';
const isPackageLoad = (name: LoadName): name is PackageLoad => /^(w[123]|publish)$/.test(name);
/** Loads that use up lessons. */
export const isRollCalls = (name: LoadName): name is 'roll-call' | 'backlog' => /^(roll-call|backlog)$/.test(name);

/** Prepared when first asked for. */
export const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

/** The data of one system, made as far as somebody works on it. */
export const dataOf = (system: System, sizes: Sizes) => {
  const packages = once(() => seedPackages(system, sizes));
  const school = once(() => seedSchool(system, sizes));
  const figures = once(() => seedFigures(system, sizes));
  const timetable = once(() => seedTimetable(system));
  /** The plain server works on every other package, so that no two edit the same one. */
  const everyOther = async (from: 0 | 1) => (await packages()).filter((_, index) => index % 2 === from);
  return {
    school,
    /** What a scenario works on. Lessons to take the roll call of are brought as they are needed. */
    workOf: async (name: LoadName): Promise<Work> => {
      if (isPackageLoad(name)) return { name, seed: await everyOther(0) };
      if (name === 'lag' || name === 'create') return { name, seed: (await school()).clazzes };
      if (name === 'mixed') {
        const [all, { clazzes }, questions] = [await everyOther(0), await school(), await figures()];
        return { name, seed: { packages: all, clazzes, questions } };
      }
      if (isRollCalls(name)) return { name, seed: [] };
      if (name === 'timetable') return { name, seed: await timetable() };
      return { name, seed: (await figures())[name] };
    },
    /** What W1 asks of Postgres where nothing is kept. */
    plainItems: async (): Promise<Recorded[]> =>
      (await everyOther(0)).map(({ token, org, id }) => {
        const statement = { service: 'package', name: ITEMS.name, text: ITEMS.text, values: [org, id] };
        return { token, org, path: listOf(id), statements: [statement] };
      }),
    /** What the plain server does by itself. It takes the org's id instead of a token. */
    plainSync: async (): Promise<Work> => ({
      name: 'w2',
      seed: (await everyOther(1)).map((seed) => ({ ...seed, token: seed.org })),
    }),
  };
};
export type Data = ReturnType<typeof dataOf>;
