import {
  type AnyCall,
  clazzCalls,
  courseCalls,
  courseCategoryCalls,
  courseGroupCalls,
  courseSectionCalls,
  type ItemInput,
  lianxiCalls,
  packageCalls,
} from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Outcome } from '../../../tools/proofs/test/calls.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { errorPaths } from '../../../tools/proofs/test/problem.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['course', 'package', 'clazz'] });
});
afterAll(() => fixture?.stop());

const api = () => fixture.as({ role: 'SUPERVISOR' });
const idOf = async (made: Promise<{ id: string }>): Promise<string> => (await made).id;
const category = (name: string) => idOf(api().ok(courseCategoryCalls.createCourseCategory, { body: { name } }));
const course = (title: string) => idOf(api().ok(courseCalls.createCourse, { body: { title } }));
const section = (course_id: string, title: string) =>
  idOf(api().ok(courseSectionCalls.createCourseSection, { path: { course_id }, body: { title } }));
const packageWith = (category_id?: string) =>
  idOf(api().ok(packageCalls.createPackage, { body: { title: 'p', category_id } }));
const itemsOf = (package_id: string, ...items: ItemInput[]) => ({ body: { package_id, items } });

/** The error code and the `used_by` counts of a refused deletion. */
const usesOf = async (call: AnyCall, id: string) => {
  const { code, used_by } = await api().refused(call, { path: { id } });
  return [code, used_by];
};

describe('A deletion is refused', () => {
  it('for a category while a package refers to it', async () => {
    const id = await category('Sold');
    const used = await packageWith(id);
    expect(await usesOf(courseCategoryCalls.deleteCourseCategory, id)).toEqual([
      'in_use',
      [{ what: 'course_package', count: 1 }],
    ]);
    await api().ok(packageCalls.deletePackage, { path: { id: used } });
    await api().ok(courseCategoryCalls.deleteCourseCategory, { path: { id } });
  });

  it('for a course or a section while the items of a package refer to it', async () => {
    const course_id = await course('Sold');
    const [sold, spare] = [await section(course_id, 'sold'), await section(course_id, 'spare')];
    const package_id = await packageWith();
    const items = [1, 2].map((n) => ({ course_id, course_section_id: sold, title: `${n}`, hours: '1' }));
    await api().ok(packageCalls.syncPackageItems, itemsOf(package_id, ...items));
    const by = ['in_use', [{ what: 'course_package', count: 1 }]];
    expect(await usesOf(courseCalls.deleteCourse, course_id)).toEqual(by);
    expect(await usesOf(courseSectionCalls.deleteCourseSection, sold)).toEqual(by);
    await api().ok(courseSectionCalls.deleteCourseSection, { path: { id: spare } });
    await api().ok(packageCalls.syncPackageItems, itemsOf(package_id));
    await api().ok(courseCalls.deleteCourse, { path: { id: course_id } });
    const refused = await api().refused(packageCalls.syncPackageItems, itemsOf(package_id, ...items));
    expect(refused.status).toBe(404);
  });

  it('for a course while a class refers to it', async () => {
    const course_id = await course('Taught');
    await api().ok(clazzCalls.createClazz, { body: { name: 'c', course_id, lead_teacher_id: 'tom' } });
    expect(await usesOf(courseCalls.deleteCourse, course_id)).toEqual(['in_use', [{ what: 'clazz', count: 1 }]]);
  });
});

it('refuses a package item whose section belongs to another course', async () => {
  const [mine, other] = [await course('a'), await course('b')];
  const course_section_id = await section(other, 's');
  const package_id = await packageWith();
  const item = (course_id: string) => itemsOf(package_id, { course_id, course_section_id, title: 'x', hours: '1' });
  const refused = await api().refused(packageCalls.syncPackageItems, item(mine));
  expect(errorPaths(refused)).toEqual([404, '/body/items/0/course_section_id']);
  await api().ok(packageCalls.syncPackageItems, item(other));
});

describe('A parallel deletion and new reference leave no dangling reference', () => {
  /** Expects that exactly one of the two requests succeeds: no dangling reference is left, and neither answers 5xx. */
  const race = async (remove: Promise<Outcome<AnyCall>>, use: Promise<Outcome<AnyCall>>) => {
    const outcomes = (await Promise.all([remove, use])).map(({ status, code }) => `${status} ${code}`);
    expect(outcomes.join()).toMatch(/^(204 done,404 not_found|409 in_use,20[01] done)$/);
  };

  it('from a course to a category', async () => {
    for (let round = 0; round < 8; round += 1) {
      const category_id = await category(`race ${round}`);
      await race(
        api().outcome(courseCategoryCalls.deleteCourseCategory, { path: { id: category_id } }),
        api().outcome(courseCalls.createCourse, { body: { title: 'x', category_id } }),
      );
    }
  });

  it('from a child category to its parent', async () => {
    for (let round = 0; round < 8; round += 1) {
      const parent_id = await category(`above ${round}`);
      await race(
        api().outcome(courseCategoryCalls.deleteCourseCategory, { path: { id: parent_id } }),
        api().outcome(courseCategoryCalls.createCourseCategory, { body: { name: 'below', parent_id } }),
      );
    }
  });

  it('from package items to a course that has a reference throughout', async () => {
    const [course_id, package_id] = [await course('x'), await packageWith()];
    const another = () => itemsOf(package_id, { course_id, title: 'another', hours: '1' });
    await api().ok(packageCalls.syncPackageItems, another());
    for (let round = 0; round < 8; round += 1) {
      const outcomes = await Promise.all([
        api().outcome(packageCalls.syncPackageItems, another()),
        api().outcome(courseCalls.deleteCourse, { path: { id: course_id } }),
        api().outcome(packageCalls.syncPackageItems, another()),
      ]);
      expect(outcomes.map(({ code }) => code)).toEqual(['done', 'in_use', 'done']);
    }
  });

  it('from a group to a course', async () => {
    const path = { id: await idOf(api().ok(courseGroupCalls.createCourseGroup, { body: { name: 'race' } })) };
    for (let round = 0; round < 8; round += 1) {
      const id = await course('x');
      await race(
        api().outcome(courseCalls.deleteCourse, { path: { id } }),
        api().outcome(courseGroupCalls.putCourseGroupCourses, { path, body: { course_ids: [id] } }),
      );
    }
  });

  it('from an exercise to a course or a section', async () => {
    for (let round = 0; round < 12; round += 1) {
      const course_id = await course('x');
      const course_section_id = await section(course_id, 's');
      await race(
        round % 2 === 0
          ? api().outcome(courseCalls.deleteCourse, { path: { id: course_id } })
          : api().outcome(courseSectionCalls.deleteCourseSection, { path: { id: course_section_id } }),
        api().outcome(lianxiCalls.createLianxi, {
          body: { title: 'l', course_section_id, content: { questions: [] } },
        }),
      );
    }
  });
});
