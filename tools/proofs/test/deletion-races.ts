import { randomUUID } from 'node:crypto';
import {
  type AnyCall,
  clazzCalls,
  courseCalls,
  courseCategoryCalls,
  courseSectionCalls,
  hourCalls,
  type ItemInput,
  lianxiCalls,
  packageCalls,
} from '../../../libs/contracts/src/index.ts';
import type { Api } from './api.ts';
import type { Outcome } from './calls.ts';
import type { Fixture } from './fixture.ts';

type Attempt = () => Promise<Outcome<AnyCall>>;

/** The deletion of a record, and a request to another service that refers to it. */
export interface Race {
  remove: Attempt;
  use: Attempt;
}

const idOf = async (made: Promise<{ id: string }>): Promise<string> => (await made).id;

/** Functions that create the records of the races. */
const factories = (api: Api) => {
  const course = () => idOf(api.ok(courseCalls.createCourse, { body: { title: 'c' } }));
  const newPackage = () => idOf(api.ok(packageCalls.createPackage, { body: { title: 'p' } }));
  const sync = (package_id: string, ...items: Omit<ItemInput, 'title' | 'hours'>[]) => ({
    body: { package_id, items: items.map((item) => ({ title: 'i', hours: '1', ...item })) },
  });
  return {
    course,
    package: newPackage,
    sync,
    category: () => idOf(api.ok(courseCategoryCalls.createCourseCategory, { body: { name: randomUUID() } })),
    section: (course_id: string) =>
      idOf(api.ok(courseSectionCalls.createCourseSection, { path: { course_id }, body: { title: 's' } })),
    draft: () => idOf(api.ok(clazzCalls.createClazz, { body: { name: 'k', lead_teacher_id: 'tom' } })),
    /** A package that was published once, so that its version can be granted. */
    published: async (): Promise<string> => {
      const id = await newPackage();
      await api.ok(packageCalls.syncPackageItems, sync(id, { course_id: await course() }));
      await api.ok(packageCalls.publishPackage, { path: { id } });
      await api.ok(packageCalls.unpublishPackage, { path: { id } });
      return id;
    },
    /** Makes the package service cache that this course or section exists. */
    usedBefore: async (item: { course_id: string; course_section_id?: string }): Promise<void> => {
      const id = await newPackage();
      await api.ok(packageCalls.syncPackageItems, sync(id, item));
      await api.ok(packageCalls.deletePackage, { path: { id } });
    },
  };
};

/** Every pair of services in which one stores ids of the other's records, by deleted and using record. */
export const RACES: Readonly<Record<string, (api: Api) => Promise<Race>>> = {
  'a category and a new package': async (api) => {
    const category_id = await factories(api).category();
    return {
      remove: () => api.outcome(courseCategoryCalls.deleteCourseCategory, { path: { id: category_id } }),
      use: () => api.outcome(packageCalls.createPackage, { body: { title: 'p', category_id } }),
    };
  },
  'a category and a changed package': async (api) => {
    const [category_id, id] = [await factories(api).category(), await factories(api).package()];
    return {
      remove: () => api.outcome(courseCategoryCalls.deleteCourseCategory, { path: { id: category_id } }),
      use: () => api.outcome(packageCalls.updatePackage, { path: { id }, body: { category_id } }),
    };
  },
  'a course and an item of a package that named it before': async (api) => {
    const [course_id, other, id] = [
      await factories(api).course(),
      await factories(api).course(),
      await factories(api).package(),
    ];
    const sync = (...items: { course_id: string }[]) =>
      api.outcome(packageCalls.syncPackageItems, factories(api).sync(id, ...items));
    await sync({ course_id }, { course_id: other });
    await sync({ course_id: other });
    return {
      remove: () => api.outcome(courseCalls.deleteCourse, { path: { id: course_id } }),
      use: () => sync({ course_id: other }, { course_id }),
    };
  },
  'a course and an item': async (api) => {
    const [course_id, id] = [await factories(api).course(), await factories(api).package()];
    return {
      remove: () => api.outcome(courseCalls.deleteCourse, { path: { id: course_id } }),
      use: () => api.outcome(packageCalls.syncPackageItems, factories(api).sync(id, { course_id })),
    };
  },
  'a course that was used before and an item': async (api) => {
    const [course_id, id] = [await factories(api).course(), await factories(api).package()];
    await factories(api).usedBefore({ course_id });
    return {
      remove: () => api.outcome(courseCalls.deleteCourse, { path: { id: course_id } }),
      use: () => api.outcome(packageCalls.syncPackageItems, factories(api).sync(id, { course_id })),
    };
  },
  'a section that was used before and an item': async (api) => {
    const [course_id, id] = [await factories(api).course(), await factories(api).package()];
    const course_section_id = await factories(api).section(course_id);
    await factories(api).usedBefore({ course_id, course_section_id });
    return {
      remove: () => api.outcome(courseSectionCalls.deleteCourseSection, { path: { id: course_section_id } }),
      use: () => api.outcome(packageCalls.syncPackageItems, factories(api).sync(id, { course_id, course_section_id })),
    };
  },
  'a course and a class': async (api) => {
    const course_id = await factories(api).course();
    return {
      remove: () => api.outcome(courseCalls.deleteCourse, { path: { id: course_id } }),
      use: () => api.outcome(clazzCalls.createClazz, { body: { name: 'k', lead_teacher_id: 'tom', course_id } }),
    };
  },
  'a course and a changed class': async (api) => {
    const [course_id, id] = [await factories(api).course(), await factories(api).draft()];
    return {
      remove: () => api.outcome(courseCalls.deleteCourse, { path: { id: course_id } }),
      use: () => api.outcome(clazzCalls.updateClazz, { path: { id }, body: { course_id } }),
    };
  },
  'a course and hours for it': async (api) => {
    const course_id = await factories(api).course();
    return {
      remove: () => api.outcome(courseCalls.deleteCourse, { path: { id: course_id } }),
      use: () => api.outcome(hourCalls.grantHours, { body: { student_id: randomUUID(), hours: '1', course_id } }),
    };
  },
  'a package and a class': async (api) => {
    const course_package_id = await factories(api).package();
    return {
      remove: () => api.outcome(packageCalls.deletePackage, { path: { id: course_package_id } }),
      use: () =>
        api.outcome(clazzCalls.createClazz, { body: { name: 'k', lead_teacher_id: 'tom', course_package_id } }),
    };
  },
  'a package and a grant': async (api) => {
    const package_id = await factories(api).published();
    return {
      remove: () => api.outcome(packageCalls.deletePackage, { path: { id: package_id } }),
      use: () => api.outcome(hourCalls.grantHours, { body: { student_id: randomUUID(), hours: '1', package_id } }),
    };
  },
  'a draft class and an exercise': async (api) => {
    const clazz_id = await factories(api).draft();
    const course_section_id = await factories(api).section(await factories(api).course());
    const body = { title: 'l', course_section_id, clazz_id, content: { questions: [] } };
    return {
      remove: () => api.outcome(clazzCalls.deleteClazz, { path: { id: clazz_id } }),
      use: () => api.outcome(lianxiCalls.createLianxi, { body }),
    };
  },
};

/** All references to records of other services that do not exist. */
const DANGLING = `
  select 'package.category' as what, id from package.course_package p where category_id is not null
    and not exists (select from course.course_category c where c.org_id = p.org_id and c.id = p.category_id)
  union all
  select 'item.course', id from package.course_package_item i
    where not exists (select from course.course c where c.org_id = i.org_id and c.id = i.course_id)
  union all
  select 'item.section', id from package.course_package_item i where course_section_id is not null
    and not exists (select from course.course_section c where c.org_id = i.org_id and c.id = i.course_section_id)
  union all
  select 'clazz.course', id from clazz.clazz k where course_id is not null
    and not exists (select from course.course c where c.org_id = k.org_id and c.id = k.course_id)
  union all
  select 'clazz.package', id from clazz.clazz k where course_package_id is not null
    and not exists (select from package.course_package c where c.org_id = k.org_id and c.id = k.course_package_id)
  union all
  select 'lot.course', id from clazz.hour_lot l where course_id is not null
    and not exists (select from course.course c where c.org_id = l.org_id and c.id = l.course_id)
  union all
  select 'lot.package', id from clazz.hour_lot l where package_id is not null
    and not exists (select from package.course_package c where c.org_id = l.org_id and c.id = l.package_id)
  union all
  select 'lianxi.clazz', id from course.lianxi l where clazz_id is not null
    and not exists (select from clazz.clazz c where c.org_id = l.org_id and c.id = l.clazz_id)`;

export const danglingReferences = (fixture: Fixture): Promise<{ what: string; id: string }[]> => fixture.sql(DANGLING);

/** Ids of records with a deletion mark. */
export const deletionMarks = (fixture: Fixture): Promise<{ id: string }[]> =>
  fixture.sql(`select id from course.deletion_mark union all select id from package.deletion_mark
    union all select id from clazz.deletion_mark`);

const describeOutcome = ({ status, code }: Outcome<AnyCall>): string => `${status} ${code}`;

const TRIES = 5;

/** Repeats a request after 503, as callers do, because such a request changed nothing. */
const withRetries = async (attempt: Attempt): Promise<Outcome<AnyCall>> => {
  let outcome = await attempt();
  for (let tries = 1; tries < TRIES && outcome.status === 503; tries += 1) outcome = await attempt();
  return outcome;
};

/**
 * Runs one race. Returns `<outcome of the deletion>, <outcome of the use>`. In two of three rounds one of them starts
 * later.
 */
const run = async ({ remove, use }: Race, round: number): Promise<string> => {
  const later = async (attempt: Attempt, isLater: boolean): Promise<Outcome<AnyCall>> => {
    // Waits up to six turns of the event loop, so that the checks of one overlap the writes of the other.
    if (isLater) for (let turn = 0; turn < round % 7; turn += 1) await new Promise((done) => setImmediate(done));
    return withRetries(attempt);
  };
  const [removed, used] = await Promise.all([later(remove, round % 3 === 1), later(use, round % 3 === 2)]);
  return `${describeOutcome(removed)}, ${describeOutcome(used)}`;
};

/** Runs `rounds` races of a pair, `atOnce` at a time. Returns how often each outcome occurred. */
export const runRaces = async (api: Api, pair: string, rounds: number, atOnce = 8): Promise<Record<string, number>> => {
  const outcomes: Record<string, number> = {};
  let round = 0;
  const runner = async (): Promise<void> => {
    while (round < rounds) {
      const current = (round += 1);
      const race = await RACES[pair]?.(api);
      if (race === undefined) throw new Error(`no such pair: ${pair}`);
      const outcome = await run(race, current);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runner));
  return outcomes;
};

/** The allowed outcomes: deleted and not used, or used and not deleted. */
export const ALLOWED_OUTCOMES = /^(204 done, 404 not_found|409 in_use, 20[01] done)$/;
