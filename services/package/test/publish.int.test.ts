import { createHash, randomUUID } from 'node:crypto';
import { courseCalls, type ItemInput, packageCalls, packageEvents } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../tools/proofs/test/canonical-json.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';

let fixture: Fixture;
const { supervisor, teacher, student } = peopleOf(() => fixture);
let course_id: string;

beforeAll(async () => {
  fixture = await startFixture({ services: ['package', 'course', 'clazz'] });
  course_id = (await supervisor().ok(courseCalls.createCourse, { body: { title: 'Course' } })).id;
});
afterAll(() => fixture?.stop());

const entry = (title: string, more: Partial<ItemInput> = {}) => ({ course_id, title, hours: '1.00', ...more });
const wanted = (package_id: string, items: ItemInput[]) => ({ body: { package_id, items } });
const sync = (package_id: string, items: ItemInput[]) =>
  supervisor().ok(packageCalls.syncPackageItems, wanted(package_id, items));
const packageWith = async (...names: string[]) => {
  const { id } = await teacher().ok(packageCalls.createPackage, { body: { title: 'P', total_hours: '10' } });
  const { items } = await sync(
    id,
    names.map((name) => entry(name)),
  );
  return { id, items, path: { id } };
};
const itemsOf = async (package_id: string) =>
  (await teacher().ok(packageCalls.listPackageItems, { path: { package_id } })).items;
const titles = (items: readonly { title: string }[]): string[] => items.map((it) => it.title);

describe('Syncing the items of a package', () => {
  it('changes nothing when it is repeated', async () => {
    const { path, items } = await packageWith('a', 'b', 'c');
    const before = await teacher().ok(packageCalls.getPackage, { path });
    const again = await sync(
      path.id,
      items.map(({ id, title }) => entry(title, { id })),
    );
    expect(again).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 3 });
    expect(await teacher().ok(packageCalls.getPackage, { path })).toEqual(before);
  });

  it('updates, creates, deletes and reorders items by one list', async () => {
    const { id, items } = await packageWith('a', 'b', 'c');
    const [a, , c] = items;
    const synced = await sync(id, [
      entry('c', { id: c?.id }),
      entry('new', { id: null }),
      entry('A', { id: a?.id, note: 'first' }),
    ]);
    expect(synced).toMatchObject({ created: 1, updated: 2, deleted: 1, unchanged: 0 });
    const listed = await itemsOf(id);
    expect(listed).toEqual(synced.items);
    expect(listed.map((row) => [row.title, row.position, row.note])).toEqual([
      ['c', 0, null],
      ['new', 1, null],
      ['A', 2, 'first'],
    ]);
  });

  it('names every item whose course, section or id does not exist', async () => {
    const [mine, other] = [await packageWith('a'), await packageWith('b')];
    const refused = async (package_id: string, ...items: ItemInput[]) => {
      const problem = await supervisor().refused(packageCalls.syncPackageItems, wanted(package_id, items));
      return [problem.code, ...problem.errors.map((error) => error.path)];
    };
    const nowhere = [entry('x', { course_id: randomUUID() }), entry('y', { course_section_id: randomUUID() })];
    expect(await refused(mine.id, ...nowhere)).toEqual([
      'not_found',
      '/body/items/0/course_id',
      '/body/items/1/course_section_id',
    ]);
    const foreign = entry('b', { id: other.items[0]?.id });
    expect(await refused(mine.id, foreign)).toEqual(['not_found', '/body/items/0/id']);
    expect(await refused(randomUUID())).toEqual(['not_found', '/body/package_id']);
    const item = '/body/items/0/course_id';
    expect(await refused(mine.id, { ...foreign, course_id: randomUUID() })).toEqual([
      'not_found',
      '/body/items/0/id',
      item,
    ]);
    expect(await refused(randomUUID(), ...nowhere.slice(0, 1))).toEqual(['not_found', '/body/package_id', item]);
  });

  it('accepts 1,000 items and refuses 1,001', async () => {
    const { id } = await packageWith();
    const many = Array.from({ length: 1_001 }, (_, index) => entry(`i${index}`));
    const refused = await supervisor().refused(packageCalls.syncPackageItems, wanted(id, many));
    expect(refused).toMatchObject({ code: 'invalid_request', errors: [{ path: '/body/items' }] });
    expect(await sync(id, many.slice(1))).toMatchObject({ created: 1_000 });
  });

  it('returns 50 problems at most, and their total number', async () => {
    const { id } = await packageWith();
    const wrong = Array.from({ length: 60 }, () => ({ ...entry('x'), title: '' }));
    const many = await supervisor().refused(packageCalls.syncPackageItems, wanted(id, wrong));
    expect(many.errors).toHaveLength(50);
    expect(many).toMatchObject({ errors_total: 60, detail: '60 problems in the request' });
    const few = await supervisor().refused(packageCalls.syncPackageItems, wanted(id, wrong.slice(10)));
    expect(few.errors).toHaveLength(50);
    expect(few.errors_total).toBeUndefined();
  });

  it('stores exactly one of several lists that are sent in parallel', async () => {
    const { id } = await packageWith('a', 'b');
    const lists = Array.from({ length: 12 }, (_, index) => [entry(`${index}-1`), entry(`${index}-2`)]);
    await Promise.all(lists.map((list) => sync(id, list)));
    expect(lists.map(titles)).toContainEqual(titles(await itemsOf(id)));
  });
});

describe('Publishing a package', () => {
  it('during a sync leaves no item that differs from the snapshot, whichever is first', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { id, path } = await packageWith('before');
      const [published, synced] = await Promise.all([
        teacher().ok(packageCalls.publishPackage, { path }),
        supervisor().outcome(packageCalls.syncPackageItems, wanted(id, [entry('after'), entry('more')])),
      ]);
      expect(['done', 'package_published']).toContain(synced.code);
      expect(published.published_snapshot?.items).toEqual(await itemsOf(id));
    }
  });

  it('succeeds once when many requests are sent in parallel', async () => {
    const { path } = await packageWith('a');
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => teacher().outcome(packageCalls.publishPackage, { path })),
    );
    const lost = Array.from({ length: 7 }, () => 'package_published');
    expect(outcomes.map(({ code }) => code).toSorted()).toEqual(['done', ...lost]);
    expect((await teacher().ok(packageCalls.listPackageVersions, { path })).items).toHaveLength(1);
  });

  it('stores numbered versions that can be listed, read and compared', async () => {
    const { id, path, items } = await packageWith('a', 'b');
    await teacher().ok(packageCalls.publishPackage, { path });
    expect((await teacher().ok(packageCalls.unpublishPackage, { path })).published_snapshot).not.toBeNull();
    expect((await teacher().refused(packageCalls.unpublishPackage, { path })).code).toBe('package_not_published');
    await teacher().ok(packageCalls.updatePackage, { path, body: { price_minor: 900, currency: 'EUR' } });
    await sync(id, [entry('a', { id: items[0]?.id }), entry('c')]);
    expect((await teacher().ok(packageCalls.publishPackage, { path })).published_version).toBe(2);
    const versions = await teacher().ok(packageCalls.listPackageVersions, { path });
    expect(versions.items.map((row) => row.number)).toEqual([2, 1]);
    const first = await teacher().ok(packageCalls.getPackageVersion, { path: { id, number: '1' } });
    expect(titles(first.snapshot.items)).toEqual(['a', 'b']);
    expect(first.snapshot.sha256).toBe(versions.items[1]?.sha256);
    expect(await student().ok(packageCalls.getPackageVersion, { path: { id, number: '1' } })).toEqual(first);
    const diff = await teacher().ok(packageCalls.comparePackageVersions, { path, query: { from: '1', to: '2' } });
    expect(diff.fields).toEqual([
      { field: 'currency', from: null, to: 'EUR' },
      { field: 'price_minor', from: 0, to: 900 },
    ]);
    expect([titles(diff.items.added), titles(diff.items.removed)]).toEqual([['c'], ['b']]);
    expect((await teacher().refused(packageCalls.getPackageVersion, { path: { id, number: 3 } })).code).toBe(
      'not_found',
    );
  });

  it('compares items by their ids, so that an item added at the beginning changes no other', async () => {
    const { id, path, items } = await packageWith('a', 'b', 'c');
    await teacher().ok(packageCalls.publishPackage, { path });
    await teacher().ok(packageCalls.unpublishPackage, { path });
    await sync(id, [entry('first'), ...items.map((it) => entry(it.title, { id: it.id }))]);
    await teacher().ok(packageCalls.publishPackage, { path });
    const between = (from: number, to: number) =>
      teacher().ok(packageCalls.comparePackageVersions, { path, query: { from: `${from}`, to: `${to}` } });
    const { items: pushed } = await between(1, 2);
    expect([titles(pushed.added), pushed.removed, pushed.changed]).toEqual([['first'], [], []]);
    expect(titles((await between(2, 1)).items.removed)).toEqual(['first']);
    await teacher().ok(packageCalls.unpublishPackage, { path });
    await sync(
      id,
      [...items.toReversed().slice(0, 1), ...items.slice(0, 2)].map((it) => entry(it.title, { id: it.id })),
    );
    await teacher().ok(packageCalls.publishPackage, { path });
    expect((await between(1, 3)).items.changed).toEqual([
      { id: items[2]?.id, title: 'c', fields: [{ field: 'position', from: 2, to: 0 }] },
    ]);
    const none = await teacher().refused(packageCalls.comparePackageVersions, { path, query: { from: '0', to: '1' } });
    expect(none.errors?.map((error) => error.path)).toEqual(['/query/from']);
  });

  it('keeps a version for staff after its package is deleted, and shows it to students only while the package is on sale', async () => {
    const { id, path } = await packageWith('a');
    const version = { path: { id, number: '1' } };
    await teacher().ok(packageCalls.publishPackage, { path });
    const first = await student().ok(packageCalls.getPackageVersion, version);
    await teacher().ok(packageCalls.unpublishPackage, { path });
    expect((await student().refused(packageCalls.getPackageVersion, version)).code).toBe('not_found');
    await teacher().ok(packageCalls.deletePackage, { path });
    expect(await teacher().ok(packageCalls.getPackageVersion, version)).toEqual(first);
    expect((await student().refused(packageCalls.getPackageVersion, version)).code).toBe('not_found');
  });

  it('returns a hash of the version by RFC 8785, so that a client can verify it', async () => {
    const description = 'Ünïcode “数学” €$\t\nA\'B"\\\\"/ \u00a0 \ufb33 😀';
    const { id } = await teacher().ok(packageCalls.createPackage, { body: { title: 'Algebra', description } });
    await sync(id, [entry('a', { note: description, hours: '0.10' }), entry('b', { hours: '12.00' })]);
    const published = await teacher().ok(packageCalls.publishPackage, { path: { id } });
    const version = await student().ok(packageCalls.getPackageVersion, { path: { id, number: '1' } });
    for (const snapshot of [published.published_snapshot, version.snapshot]) {
      const content = canonicalJson({ package: snapshot?.package, items: snapshot?.items });
      expect(snapshot?.sha256).toBe(createHash('sha256').update(content).digest('hex'));
    }
    const [event] = (await fixture.events('package', packageEvents.published)).slice(-1);
    expect(event?.data.sha256).toBe(version.snapshot.sha256);
  });

  it('stores versions that the database roles of the service cannot change', async () => {
    const grants = await fixture.sql(
      `select privilege_type from information_schema.role_table_grants
       where table_name = 'course_package_version' and grantee in ('package_app', 'package_worker')
         and privilege_type in ('UPDATE', 'DELETE', 'TRUNCATE')`,
    );
    expect(grants).toEqual([]);
  });
});
