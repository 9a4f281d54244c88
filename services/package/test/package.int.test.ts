import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openWrite } from '../../../libs/kit/src/call/consistency.ts';
import { createSigner } from '../../../libs/kit/src/sign.ts';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['package', 'course'] });
});
afterAll(() => fixture?.stop());

const BASE = '/clazz/course-package';
const supervisor = () => fixture.as({ role: 'SUPERVISOR' });
const teacher = () => fixture.as({ role: 'TEACHER' });
/** What a service that is handed the token reads from it. */
const open = (token: string, org = fixture.org) => openWrite(createSigner(inject('stack').secrets.signing), org, token);
const item = async (title: string) => {
  const course = await teacher().post('/ws/course', { title });
  return { course_id: course.body.id, title, hours: 1.5 };
};

describe('course packages', () => {
  it('are created, read, changed and deleted by their teacher', async () => {
    const created = await teacher().post(BASE, { title: 'Algebra', total_hours: '20' });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    expect(created.body).toMatchObject({ title: 'Algebra', total_hours: '20.00', teacher_id: 'teacher-1', version: 1 });
    const token = created.headers.get('x-consistency-token') ?? '';
    const told = (await fixture.told('package')).find(({ aggregate_id }) => aggregate_id === created.body.id);
    // Statistics are made of none of it, so there is nothing that a read with the token would have to wait for.
    expect(open(token)).toEqual({ service: 'package', tx_id: told?.tx_id, events: 0 });
    for (const foreign of [() => open(token, crypto.randomUUID()), () => open(`A${token}`)]) {
      expect(foreign).toThrow('x-consistency-token is not a token of this organization');
    }
    const path = `${BASE}/${created.body.id}`;
    const read = await teacher().get(path);
    expect(read.body).toEqual(created.body);
    expect(read.headers.get('etag')).toBe('"1"');
    const changed = await teacher().patch(path, { title: 'Algebra II', description: 'x' }, { 'if-match': '"1"' });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ title: 'Algebra II', version: 2 });
    expect((await teacher().patch(path, { title: 'late' }, { 'if-match': '"1"' })).status).toBe(412);
    expect((await teacher().delete(path)).status).toBe(204);
    expect((await teacher().get(path)).status).toBe(404);
  });

  it('are locked while published, and keep their snapshot', async () => {
    const { body: it } = await teacher().post(BASE, { title: 'Geometry' });
    expect((await teacher().post(`${BASE}/publish/${it.id}`)).body.code).toBe('package_empty');
    const sync = { package_id: it.id, items: [await item('a'), await item('b')] };
    const synced = await supervisor().post(`${BASE}/item/sync`, sync);
    expect(synced.status, JSON.stringify(synced.body)).toBe(200);
    expect(synced.body).toMatchObject({ created: 2, updated: 0, deleted: 0, unchanged: 0 });
    expect((await teacher().post(`${BASE}/item/sync`, sync)).status).toBe(403);
    const published = await teacher().post(`${BASE}/publish/${it.id}`);
    expect(published.status).toBe(200);
    expect(published.body.published_snapshot.items).toHaveLength(2);
    for (const refused of [
      await supervisor().post(`${BASE}/item/sync`, sync),
      await supervisor().patch(`${BASE}/${it.id}`, { title: 'no' }),
      await supervisor().delete(`${BASE}/${it.id}`),
      await supervisor().post(`${BASE}/publish/${it.id}`),
    ]) {
      expect(refused.status).toBe(409);
      expect(refused.body.code).toBe('package_published');
    }
    const list = await fixture.as({ role: 'STUDENT' }).get(`${BASE}/item/list/${it.id}`);
    expect(list.body.items.map((row: { title: string }) => row.title)).toEqual(['a', 'b']);
    const open = await teacher().post(`${BASE}/unpublish/${it.id}`);
    expect(open.body).toMatchObject({ published_at: null, published_version: 1 });
  });
});
