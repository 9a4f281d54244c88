import type { Undo } from '@teaching/local/runner.ts';
import { startGenerator } from '../load/generator.ts';
import type { Growing } from '../measure/growth.ts';
import { FEW } from '../seed/sizes.ts';
import { checkoutsOf } from '../system/checkout.ts';
import { filledWith, SCHOOL } from '../system/filled.ts';
import { startSystem } from '../system/system.ts';
import { openSite, type Site } from './site.ts';

/** Schools beside what is measured, students of a class, items of a package. */
const SCHOOLS = [1, 10, 100];
const STUDENTS = [10, 30, 100];
const ITEMS = [20, 200];

/** How many sizes there are of each. */
export const GROWTH = { data: SCHOOLS.length, clazzes: STUDENTS.length, packages: ITEMS.length };

/** A tenth of the usual school, so that a hundred of them fit. */
const SMALL_SCHOOL = { ...SCHOOL, students: SCHOOL.students / 10, wide: SCHOOL.wide / 10 };
const ONE = { ...FEW, orgs: 1 };
const SMALL_STOCK = { ...FEW, packages: 40 };

/** Starts a system of this checkout for each size of data, and opens the sites on them. */
export const openGrowing = async (say: (what: string) => void, undo: Undo): Promise<Growing> => {
  const [[, checkout] = ['', '']] = await checkoutsOf(undefined);
  const generator = startGenerator(undo);
  const data: Site[] = [];
  for (const schools of SCHOOLS) {
    say(`filling ${schools} schools`);
    const folder = await filledWith(schools, checkout, undo, SMALL_SCHOOL);
    const system = await startSystem(`x${schools}`, checkout, undo, { in: folder });
    data.push(openSite(system, generator, { sizes: FEW }));
  }
  const [smallest] = data;
  if (smallest === undefined) throw new Error('There is nothing that grows');
  const { system } = smallest;
  return {
    data,
    clazzes: STUDENTS.map((students) =>
      openSite(system, generator, { name: `${students} students`, sizes: { ...ONE, students } }),
    ),
    packages: ITEMS.map((items) =>
      openSite(system, generator, { name: `${items} items`, sizes: { ...SMALL_STOCK, items } }),
    ),
  };
};
