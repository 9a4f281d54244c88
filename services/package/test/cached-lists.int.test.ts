import { courseCalls, type Item, packageCalls } from '@teaching/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';

let fixture: Fixture;
const { supervisor, teacher, student, stranger } = peopleOf(() => fixture);
beforeAll(async () => {
  fixture = await startFixture({ services: ['package', 'course', 'clazz'] });
});
afterAll(() => fixture?.stop());

const KEYWORD = 'geometry';
const titles = async (who = teacher(), keyword = KEYWORD): Promise<string[]> =>
  (await who.ok(packageCalls.listPackages, { query: { keyword, sort: 'title' } })).items.map(({ title }) => title);
const versions = async (): Promise<number[]> =>
  (await teacher().ok(packageCalls.listPackages, { query: { keyword: KEYWORD } })).items.map(({ version }) => version);
const create = (title: string, who = supervisor()) => who.ok(packageCalls.createPackage, { body: { title } });

/** Renames in the database without an event: a cached page has the old title, a page that is read has the new one. */
const rename = (to: string, title: string) =>
  fixture.sql('update package.course_package set title = $1 where title = $2', [to, title]);
/** Sends the request often enough for a cached answer, and returns the last answer. */
const repeated = async <T>(request: () => Promise<T>): Promise<T> => {
  let last = await request();
  for (let times = 0; times < 3; times += 1) last = await request();
  return last;
};
/** Waits until every event has its number: from then on an answer can be cached. */
const untilNumbered = () =>
  expect.poll(async () => (await fixture.sql('select from package.log_waiting')).length, { interval: 10 }).toBe(0);

let id = '';
beforeEach(async () => {
  for (const { id: old } of (await supervisor().ok(packageCalls.listPackages, {})).items)
    await supervisor().ok(packageCalls.deletePackage, { path: { id: old } });
  id = (await create('Geometry')).id;
  await untilNumbered();
});

it('a page is not read again while the state of the log is the same', async () => {
  expect(await repeated(titles)).toEqual(['Geometry']);
  await rename('Geometry by hand', 'Geometry');
  expect(await titles()).toEqual(['Geometry']);
});

it('a page is read again when it was requested only once before', async () => {
  expect(await titles(teacher(), 'geomet')).toEqual(['Geometry']);
  await rename('Geometry by hand', 'Geometry');
  expect(await titles(teacher(), 'geomet')).toEqual(['Geometry by hand']);
});

it('a page contains every earlier write of the caller', async () => {
  const course = await supervisor().ok(courseCalls.createCourse, { body: { title: 'Angles' } });
  const items = [{ title: 'one', course_id: course.id, hours: '1' }];
  const path = { id };
  const writes: (() => Promise<unknown>)[] = [
    () => supervisor().ok(packageCalls.updatePackage, { path, body: { description: 'of the plane' } }),
    () => supervisor().ok(packageCalls.syncPackageItems, { body: { package_id: id, items } }),
    () => supervisor().ok(packageCalls.publishPackage, { path }),
    () => supervisor().ok(packageCalls.unpublishPackage, { path }),
    () => supervisor().ok(packageCalls.syncPackageItems, { body: { package_id: id, items: [] } }),
  ];
  for (const [n, write] of writes.entries()) {
    expect(await repeated(versions)).toEqual([n + 1]);
    await write();
    expect(await versions()).toEqual([n + 2]);
  }
  const copy = await supervisor().ok(packageCalls.copyPackage, { path, body: { title: 'Geometry again' } });
  expect(await titles()).toEqual(['Geometry', 'Geometry again']);
  await untilNumbered();
  await repeated(titles);
  await supervisor().ok(packageCalls.deletePackage, { path: { id: copy.id } });
  expect(await titles()).toEqual(['Geometry']);
});

it.each([
  ['the newest event is another one', 'update package.log_org set id = gen_random_uuid()'],
  ['the newest event has another number', 'update package.log_org set no = no + 1'],
  ['the log has another epoch', 'update package.log_head set epoch = epoch + 1'],
])('a page is read again after a restore of the database, when %s', async (_, restored) => {
  await repeated(titles);
  await rename('Geometry by hand', 'Geometry');
  await fixture.sql(restored);
  expect(await titles()).toEqual(['Geometry by hand']);
});

it('pages are cached separately for callers with different access, and for each organization', async () => {
  const otherOrg = stranger();
  await create('Geometry elsewhere', otherOrg);
  for (let times = 0; times < 3; times += 1) {
    expect(await titles()).toEqual(['Geometry']);
    expect(await titles(student())).toEqual([]);
    expect(await titles(otherOrg)).toEqual(['Geometry elsewhere']);
    expect(await titles(teacher(), 'nothing')).toEqual([]);
  }
  const mine = (who = teacher()) => who.ok(packageCalls.listMyPackages, {});
  for (let times = 0; times < 3; times += 1) {
    expect((await mine()).items).toEqual([]);
    expect((await mine(supervisor())).items).toHaveLength(1);
  }
});

describe('The items of a package', () => {
  const item = (title: string, course_id: string) => ({ title, course_id, hours: '1' });
  const itemTitles = async (who = teacher()): Promise<string[]> =>
    (await who.ok(packageCalls.listPackageItems, { path: { package_id: id } })).items.map(({ title }) => title);
  const codeFor = async (who = student()): Promise<string> =>
    (await who.refused(packageCalls.listPackageItems, { path: { package_id: id } })).code;
  const sync = async (...titles_: string[]): Promise<void> => {
    const course = await supervisor().ok(courseCalls.createCourse, { body: { title: 'Angles' } });
    const items = titles_.map((title) => item(title, course.id));
    await supervisor().ok(packageCalls.syncPackageItems, { body: { package_id: id, items } });
  };
  const RENAMED = "update package.course_package_item set title = 'by hand' where package_id = $1";

  it('are not read again while their package is unchanged, and contain every earlier write of the caller', async () => {
    for (const wanted of [['one'], ['one', 'two'], [], ['three']]) {
      await sync(...wanted);
      expect(await repeated(itemTitles)).toEqual(wanted);
    }
    await fixture.sql(RENAMED, [id]);
    expect(await itemTitles()).toEqual(['three']);
  });

  it.each([
    ['the version of their package changed within a millisecond', 'version = version + 1'],
    [
      'their package was restored and reached the same version at another time',
      "updated_at = updated_at - interval '1 ms'",
    ],
  ])('are read again when %s', async (_, change) => {
    await sync('one');
    await repeated(itemTitles);
    await fixture.sql(`with renamed as (${RENAMED}) update package.course_package set ${change} where id = $1`, [id]);
    expect(await itemTitles()).toEqual(['by hand']);
  });

  const items = async (): Promise<Item[]> =>
    (await teacher().ok(packageCalls.listPackageItems, { path: { package_id: id } })).items;
  const wanted = (list: readonly Item[]) => ({
    body: { package_id: id, items: list.map(({ position: _position, package_id: _package_id, ...one }) => one) },
  });

  it('are not read again for an edit by the instance that edited them last', async () => {
    await sync('one', 'two');
    const before = await items();
    await fixture.sql(RENAMED, [id]);
    const edit = await supervisor().ok(packageCalls.syncPackageItems, wanted(before));
    expect(edit).toMatchObject({ items: before, unchanged: 2, updated: 0 });
  });

  it('are read again for an edit after another instance changed them', async () => {
    await sync('one', 'two');
    const before = await items();
    await fixture.sql(`delete from package.course_package_item where id = $1`, [before[1]?.id]);
    await fixture.sql('update package.course_package set version = version + 1, updated_at = now() where id = $1', [
      id,
    ]);
    const refusal = await supervisor().refused(packageCalls.syncPackageItems, wanted(before));
    expect(refusal.code).toBe('not_found');
    expect(await supervisor().ok(packageCalls.syncPackageItems, wanted(before.slice(0, 1)))).toMatchObject({
      unchanged: 1,
      deleted: 0,
    });
  });

  it('are shown to students while their package is on sale, never to another organization, and are deleted with it', async () => {
    await sync('one');
    expect(await codeFor()).toBe('not_found');
    await supervisor().ok(packageCalls.publishPackage, { path: { id } });
    for (const who of [student(), student(), teacher(), student()]) expect(await itemTitles(who)).toEqual(['one']);
    await fixture.sql('update package.course_package set active = false where id = $1', [id]);
    expect(await codeFor()).toBe('not_found');
    expect(await codeFor(stranger())).toBe('not_found');
    expect(await itemTitles()).toEqual(['one']);
    await supervisor().ok(packageCalls.unpublishPackage, { path: { id } });
    await supervisor().ok(packageCalls.deletePackage, { path: { id } });
    expect(await codeFor(teacher())).toBe('not_found');
  });
});

it('a page begins after the cursor, also when it is cached', async () => {
  await create('Geometry 2');
  await untilNumbered();
  for (let times = 0; times < 3; times += 1) {
    const query = { keyword: KEYWORD, sort: 'title', limit: '1' } as const;
    const one = await teacher().ok(packageCalls.listPackages, { query });
    const two = await teacher().ok(packageCalls.listPackages, { query: { ...query, cursor: one.next_cursor ?? '' } });
    expect([...one.items, ...two.items].map(({ title }) => title)).toEqual(['Geometry', 'Geometry 2']);
  }
});
