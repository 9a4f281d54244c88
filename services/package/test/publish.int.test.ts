import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';

const BASE = '/clazz/course-package';
let fixture: Fixture;
let course_id: string;
const supervisor = () => fixture.as({ role: 'SUPERVISOR' });
const teacher = () => fixture.as({ role: 'TEACHER' });

beforeAll(async () => {
  fixture = await startFixture({ services: ['package', 'course'] });
  course_id = (await supervisor().post('/ws/course', { title: 'Course' })).body.id;
});
afterAll(() => fixture?.stop());

const entry = (title: string, more: object = {}) => ({ course_id, title, hours: '1.00', ...more });
const sync = (package_id: string, items: object[]) => supervisor().post(`${BASE}/item/sync`, { package_id, items });
const packageWith = async (...names: string[]) => {
  const { body: it } = await teacher().post(BASE, { title: 'P' });
  const synced = await sync(
    it.id,
    names.map((name) => entry(name)),
  );
  expect(synced.status, JSON.stringify(synced.body)).toBe(200);
  return { ...it, items: synced.body.items };
};

describe('sync_items', () => {
  it('changes nothing when it is repeated', async () => {
    const it = await packageWith('a', 'b', 'c');
    const before = (await teacher().get(`${BASE}/${it.id}`)).body;
    const again = await sync(
      it.id,
      it.items.map(({ id, title }: { id: string; title: string }) => entry(title, { id })),
    );
    expect(again.body).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 3 });
    expect((await teacher().get(`${BASE}/${it.id}`)).body).toEqual(before);
  });

  it('updates, creates, deletes and reorders by one list', async () => {
    const it = await packageWith('a', 'b', 'c');
    const [a, , c] = it.items;
    const { body } = await sync(it.id, [
      entry('c', { id: c.id }),
      entry('new', { id: null }),
      entry('A', { id: a.id }),
    ]);
    expect(body).toMatchObject({ created: 1, updated: 2, deleted: 1, unchanged: 0 });
    const listed = (await teacher().get(`${BASE}/item/list/${it.id}`)).body.items;
    expect(listed).toEqual(body.items);
    expect(listed.map((row: { title: string; position: number }) => [row.title, row.position])).toEqual([
      ['c', 0],
      ['new', 1],
      ['A', 2],
    ]);
  });

  it('names every item whose course, section or id does not exist', async () => {
    const it = await packageWith('a');
    const other = await packageWith('b');
    const wrong = await sync(it.id, [
      { ...entry('x'), course_id: randomUUID() },
      entry('y', { course_section_id: randomUUID() }),
    ]);
    expect(wrong.status).toBe(404);
    expect(wrong.body.errors.map((error: { path: string }) => error.path)).toEqual([
      '/body/items/0/course_id',
      '/body/items/1/course_section_id',
    ]);
    const foreign = await sync(it.id, [entry('b', { id: other.items[0].id })]);
    expect([foreign.status, foreign.body.errors[0].path]).toEqual([404, '/body/items/0/id']);
    const unknown = await sync(randomUUID(), []);
    expect([unknown.status, unknown.body.errors[0].path]).toEqual([404, '/body/package_id']);
  });

  it('takes 1,000 items and not one more', async () => {
    const it = await packageWith();
    const many = Array.from({ length: 1_001 }, (_, index) => entry(`i${index}`));
    expect((await sync(it.id, many)).status).toBe(400);
    expect((await sync(it.id, many.slice(1))).body).toMatchObject({ created: 1_000 });
  });

  it('in parallel leaves exactly one of the wanted lists', async () => {
    const it = await packageWith('a', 'b');
    const lists = Array.from({ length: 12 }, (_, index) => [entry(`${index}-1`), entry(`${index}-2`)]);
    const answers = await Promise.all(lists.map((list) => sync(it.id, list)));
    expect(answers.map((answer) => answer.status)).toEqual(lists.map(() => 200));
    const left = (await teacher().get(`${BASE}/item/list/${it.id}`)).body.items.map(
      (row: { title: string }) => row.title,
    );
    expect(lists.map((list) => list.map((row) => row.title))).toContainEqual(left);
  });
});

describe('publishing', () => {
  it('against a sync: whatever wins, no item changes after the snapshot', async () => {
    for (let round = 0; round < 8; round += 1) {
      const it = await packageWith('before');
      const [published, synced] = await Promise.all([
        teacher().post(`${BASE}/publish/${it.id}`),
        sync(it.id, [entry('after'), entry('more')]),
      ]);
      expect(published.status).toBe(200);
      expect([200, 409]).toContain(synced.status);
      const items = (await teacher().get(`${BASE}/item/list/${it.id}`)).body.items;
      expect(published.body.published_snapshot.items).toEqual(items);
    }
  });

  it('by many at once succeeds once', async () => {
    const it = await packageWith('a');
    const answers = await Promise.all(Array.from({ length: 8 }, () => teacher().post(`${BASE}/publish/${it.id}`)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.body.code === 'package_published')).toHaveLength(7);
    expect((await teacher().get(`${BASE}/version/list/${it.id}`)).body.items).toHaveLength(1);
  });

  it('keeps numbered versions that can be listed, read and compared', async () => {
    const it = await packageWith('a', 'b');
    await teacher().post(`${BASE}/publish/${it.id}`);
    expect((await teacher().post(`${BASE}/unpublish/${it.id}`)).body.published_snapshot).not.toBeNull();
    expect((await teacher().post(`${BASE}/unpublish/${it.id}`)).body.code).toBe('package_not_published');
    await teacher().patch(`${BASE}/${it.id}`, { price_minor: 900 });
    await sync(it.id, [entry('a', { id: it.items[0].id }), entry('c')]);
    const second = await teacher().post(`${BASE}/publish/${it.id}`);
    expect(second.body.published_version).toBe(2);
    const versions = (await teacher().get(`${BASE}/version/list/${it.id}`)).body.items;
    expect(versions.map((row: { number: number }) => row.number)).toEqual([2, 1]);
    const first = (await teacher().get(`${BASE}/version/${it.id}/1`)).body;
    expect(first.snapshot.items.map((row: { title: string }) => row.title)).toEqual(['a', 'b']);
    expect(first.snapshot.sha256).toBe(versions[1].sha256);
    const diff = (await teacher().get(`${BASE}/version/diff/${it.id}?from=1&to=2`)).body;
    expect(diff.fields).toEqual([{ field: 'price_minor', from: 0, to: 900 }]);
    expect(diff.items.added.map((row: { title: string }) => row.title)).toEqual(['c']);
    expect(diff.items.removed.map((row: { title: string }) => row.title)).toEqual(['b']);
    expect((await teacher().get(`${BASE}/version/${it.id}/3`)).status).toBe(404);
    const student = fixture.as({ role: 'STUDENT' });
    expect((await student.get(`${BASE}/version/${it.id}/1`)).status).toBe(200);
    await teacher().post(`${BASE}/unpublish/${it.id}`);
    expect((await student.get(`${BASE}/version/${it.id}/1`)).status).toBe(404);
    expect((await teacher().delete(`${BASE}/${it.id}`)).status).toBe(204);
    expect((await teacher().get(`${BASE}/version/${it.id}/1`)).body).toEqual(first);
    expect((await student.get(`${BASE}/version/${it.id}/1`)).status).toBe(404);
  });

  it('cannot be undone behind the service: its role may not change a version', async () => {
    const grants = await fixture.sql(
      `select privilege_type from information_schema.role_table_grants
       where table_name = 'course_package_version' and grantee in ('package_app', 'package_worker')
         and privilege_type in ('UPDATE', 'DELETE', 'TRUNCATE')`,
    );
    expect(grants).toEqual([]);
  });
});
