import { courseCalls, packageCalls } from '@teaching/contracts';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
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

/** Without a word to anybody, as nobody does it: what is kept shows the old title, what is read the new one. */
const rename = (to: string, title: string) =>
  fixture.sql('update package.course_package set title = $1 where title = $2', [to, title]);
/** Asked for often enough to be kept. */
const again = async <T>(ask: () => Promise<T>): Promise<T> => {
  let last = await ask();
  for (let times = 0; times < 3; times += 1) last = await ask();
  return last;
};
/** Every event has its number, so what is asked for again is kept. */
const numbered = () =>
  expect.poll(async () => (await fixture.sql('select from package.log_waiting')).length, { interval: 10 }).toBe(0);

let id = '';
beforeEach(async () => {
  for (const { id: old } of (await supervisor().ok(packageCalls.listPackages, {})).items)
    await supervisor().ok(packageCalls.deletePackage, { path: { id: old } });
  id = (await create('Geometry')).id;
  await numbered();
});

it('is not read again while the log is as it was', async () => {
  expect(await again(titles)).toEqual(['Geometry']);
  await rename('Geometry by hand', 'Geometry');
  expect(await titles()).toEqual(['Geometry']);
});

it('is not kept when it was asked for once', async () => {
  expect(await titles(teacher(), 'geomet')).toEqual(['Geometry']);
  await rename('Geometry by hand', 'Geometry');
  expect(await titles(teacher(), 'geomet')).toEqual(['Geometry by hand']);
});

it('contains what the caller wrote, each time', async () => {
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
    expect(await again(versions)).toEqual([n + 1]);
    await write();
    expect(await versions()).toEqual([n + 2]);
  }
  const copy = await supervisor().ok(packageCalls.copyPackage, { path, body: { title: 'Geometry again' } });
  expect(await titles()).toEqual(['Geometry', 'Geometry again']);
  await numbered();
  await again(titles);
  await supervisor().ok(packageCalls.deletePackage, { path: { id: copy.id } });
  expect(await titles()).toEqual(['Geometry']);
});

it('is read while events wait for their numbers', async () => {
  await again(titles);
  const holder = new pg.Client({ connectionString: fixture.adminUrl });
  await holder.connect();
  try {
    await holder.query('begin; select from package.log_head for update');
    for (const title of ['Geometry 2', 'Geometry 3']) {
      await create(title);
      expect((await again(titles)).at(-1)).toBe(title);
    }
    // Nothing was kept meanwhile.
    await rename('Geometry by hand', 'Geometry 3');
    expect(await titles()).toEqual(['Geometry', 'Geometry 2', 'Geometry by hand']);
  } finally {
    await holder.end();
  }
});

it('that was read while it changed is of no state', async () => {
  const asked = () => titles(teacher(), 'geometr');
  await asked();
  const [before] = await fixture.sql("select * from package.log_org where log = 'domain'");
  const writer = new pg.Client({ connectionString: fixture.adminUrl });
  await writer.connect();
  try {
    await writer.query('begin; lock table package.course_package in access exclusive mode');
    const late = asked();
    const waits = `select from pg_locks where not granted and relation = 'package.course_package'::regclass`;
    await expect.poll(() => fixture.sql(waits), { interval: 10 }).not.toEqual([]);
    await writer.query("update package.course_package set title = 'Geometry of tomorrow' where id = $1", [id]);
    await writer.query('update package.log_org set no = no + 1, id = gen_random_uuid()');
    await writer.query('commit');
    expect(await late).toEqual(['Geometry of tomorrow']);
  } finally {
    await writer.end();
  }
  // The database is put back to the moment before.
  await rename('Geometry', 'Geometry of tomorrow');
  await fixture.sql("update package.log_org set no = $1, id = $2 where log = 'domain'", [
    before?.['no'],
    before?.['id'],
  ]);
  expect(await asked()).toEqual(['Geometry']);
});

it.each([
  ['another event is the newest', 'update package.log_org set id = gen_random_uuid()'],
  ['the newest has another place', 'update package.log_org set no = no + 1'],
  ['the log has another epoch', 'update package.log_head set epoch = epoch + 1'],
])('is read in a database that was put back, where %s', async (_, putBack) => {
  await again(titles);
  await rename('Geometry by hand', 'Geometry');
  await fixture.sql(putBack);
  expect(await titles()).toEqual(['Geometry by hand']);
});

it('is kept for those who see the same, and for each organization', async () => {
  const elsewhere = stranger();
  await create('Geometry elsewhere', elsewhere);
  for (let times = 0; times < 3; times += 1) {
    expect(await titles()).toEqual(['Geometry']);
    expect(await titles(student())).toEqual([]);
    expect(await titles(elsewhere)).toEqual(['Geometry elsewhere']);
    expect(await titles(teacher(), 'nothing')).toEqual([]);
  }
  const mine = (who = teacher()) => who.ok(packageCalls.listMyPackages, {});
  for (let times = 0; times < 3; times += 1) {
    expect((await mine()).items).toEqual([]);
    expect((await mine(supervisor())).items).toHaveLength(1);
  }
});

it('goes on where its cursor says', async () => {
  await create('Geometry 2');
  await numbered();
  for (let times = 0; times < 3; times += 1) {
    const query = { keyword: KEYWORD, sort: 'title', limit: '1' } as const;
    const one = await teacher().ok(packageCalls.listPackages, { query });
    const two = await teacher().ok(packageCalls.listPackages, { query: { ...query, cursor: one.next_cursor ?? '' } });
    expect([...one.items, ...two.items].map(({ title }) => title)).toEqual(['Geometry', 'Geometry 2']);
  }
});
