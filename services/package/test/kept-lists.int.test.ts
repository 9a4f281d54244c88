import { courseCalls, type Item, packageCalls } from '@teaching/contracts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';

let fixture: Fixture;
const { supervisor, teacher, student, stranger } = peopleOf(() => fixture);
beforeAll(async () => {
  fixture = await startFixture({ services: ['package', 'course', 'clazz'] });
});
afterAll(() => fixture?.stop());

const titlesFor = async (package_id: string, who = teacher()): Promise<string[]> =>
  (await who.ok(packageCalls.listPackageItems, { path: { package_id } })).items.map(({ title }) => title);
const codeFor = async (package_id: string, who = student()) =>
  (await who.refused(packageCalls.listPackageItems, { path: { package_id } })).code;
const sync = async (package_id: string, titles: readonly string[]): Promise<void> => {
  const course = await supervisor().ok(courseCalls.createCourse, { body: { title: 'Algebra' } });
  const items = titles.map((title) => ({ title, course_id: course.id, hours: '1' }));
  await supervisor().ok(packageCalls.syncPackageItems, { body: { package_id, items } });
};
/** Asked for often enough to be kept. */
const packageOf = async (...titles: string[]): Promise<string> => {
  const { id } = await supervisor().ok(packageCalls.createPackage, { body: { title: 'Algebra' } });
  await sync(id, titles);
  for (let times = 0; times < 3; times += 1) expect(await titlesFor(id)).toEqual(titles);
  return id;
};

const RENAMED = "update package.course_package_item set title = 'by hand' where package_id = $1";
const TOUCHED = 'update package.course_package set version = version + 1, updated_at = now() where id = $1';
const TOUCHED_AT_ONCE = 'update package.course_package set version = version + 1 where id = $1';
const PUT_BACK = `update package.course_package set updated_at = updated_at - interval '1 ms' where id = $1`;

it('is not read again while its package is as it was', async () => {
  const id = await packageOf('one', 'two');
  await fixture.sql(RENAMED, [id]);
  expect(await titlesFor(id)).toEqual(['one', 'two']);
});

it.each([
  ['when another instance changed it', TOUCHED],
  ['when it was changed twice in a millisecond', TOUCHED_AT_ONCE],
  ['in a database that was put back and came to the same version by another way', PUT_BACK],
])('is read again %s', async (_, touched) => {
  const id = await packageOf('one', 'two');
  await fixture.sql(`with renamed as (${RENAMED}) ${touched}`, [id]);
  expect(await titlesFor(id)).toEqual(['by hand', 'by hand']);
});

describe('an edit of a list that was edited before', () => {
  const asWanted = ({ position: _position, package_id: _package_id, ...wanted }: Item) => wanted;
  const edit = async (package_id: string, items: readonly Item[]) =>
    supervisor().ok(packageCalls.syncPackageItems, { body: { package_id, items: items.map(asWanted) } });
  /** Its items as the second edit left them, so that they are kept. */
  const editedPackage = async (): Promise<{ id: string; one: Item; two: Item }> => {
    const id = await packageOf('one', 'before');
    const [one, two] = (await teacher().ok(packageCalls.listPackageItems, { path: { package_id: id } })).items as [
      Item,
      Item,
    ];
    const { items } = await edit(id, [one, { ...two, title: 'two' }]);
    return { id, one, two: items[1] as Item };
  };
  const storedIn = async (package_id: string): Promise<string[]> => {
    const stored = 'select title from package.course_package_item where package_id = $1 order by position';
    return (await fixture.sql<{ title: string }>(stored, [package_id])).map(({ title }) => title);
  };

  it('goes by what is kept, and stores what differs from it', async () => {
    const { id, one, two } = await editedPackage();
    await fixture.sql(RENAMED, [id]);
    expect(await edit(id, [one, two])).toMatchObject({ items: [one, two], unchanged: 2, updated: 0 });
    expect(await edit(id, [one, { ...two, title: 'three' }])).toMatchObject({ unchanged: 1, updated: 1 });
    expect(await storedIn(id)).toEqual(['by hand', 'three']);
    expect(await edit(id, [one])).toMatchObject({ items: [one], unchanged: 1, deleted: 1 });
    expect(await storedIn(id)).toEqual(['by hand']);
  });

  it('goes by the database when another instance changed it', async () => {
    const { id, one, two } = await editedPackage();
    await fixture.sql('delete from package.course_package_item where id = $1', [two.id]);
    await fixture.sql(TOUCHED, [id]);
    const wanted = { body: { package_id: id, items: [one, two].map(asWanted) } };
    expect((await supervisor().refused(packageCalls.syncPackageItems, wanted)).code).toBe('not_found');
    expect(await edit(id, [{ ...one, title: 'three' }])).toMatchObject({ updated: 1, unchanged: 0 });
    expect(await titlesFor(id)).toEqual(['three']);
  });
});

it('contains what the caller wrote, each time', async () => {
  const id = await packageOf('one');
  for (const titles of [['two'], ['two', 'three'], [], ['four']]) {
    await sync(id, titles);
    expect(await titlesFor(id)).toEqual(titles);
    expect(await titlesFor(id)).toEqual(titles);
  }
});

it.each(['course_package', 'course_package_item'])(
  'that was read while it changed is not taken for what came after: %s waits',
  async (table) => {
    const id = await packageOf('one');
    await fixture.sql(TOUCHED, [id]);
    const writer = new pg.Client({ connectionString: fixture.adminUrl });
    await writer.connect();
    try {
      await writer.query(`begin; lock table package.${table} in access exclusive mode`);
      const late = titlesFor(id);
      const waits = `select from pg_locks where not granted and relation = 'package.${table}'::regclass`;
      await expect.poll(() => fixture.sql(waits), { interval: 10 }).not.toEqual([]);
      await writer.query(RENAMED, [id]);
      await writer.query(TOUCHED, [id]);
      await writer.query('commit');
      await late;
    } finally {
      await writer.end();
    }
    expect(await titlesFor(id)).toEqual(['by hand']);
  },
);

it('is shown to students while its package is on sale, and never to another organization', async () => {
  const id = await packageOf('one');
  expect(await codeFor(id)).toBe('not_found');
  await supervisor().ok(packageCalls.publishPackage, { path: { id } });
  for (const who of [student(), student(), teacher()]) expect(await titlesFor(id, who)).toEqual(['one']);
  await fixture.sql('update package.course_package set active = false where id = $1', [id]);
  expect(await codeFor(id)).toBe('not_found');
  expect(await codeFor(id, stranger())).toBe('not_found');
  expect(await titlesFor(id)).toEqual(['one']);
});

it('is gone with its package', async () => {
  const id = await packageOf('one');
  await supervisor().ok(packageCalls.deletePackage, { path: { id } });
  expect(await codeFor(id, teacher())).toBe('not_found');
});
