import { courseCalls, packageCalls } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openWrite } from '../../../libs/kit/src/rpc/consistency.ts';
import { createSigner } from '../../../libs/kit/src/base/sign.ts';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';
import { peopleOf } from '../../../tools/test/people.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['package', 'course'] });
});
afterAll(() => fixture?.stop());

const { supervisor, teacher, student } = peopleOf(() => fixture);
/** What a service that is handed the token reads from it. */
const open = (token: string, org = fixture.org) => openWrite(createSigner(inject('stack').secrets.signing), org, token);
const item = async (title: string) => {
  const { id } = await teacher().ok(courseCalls.create, { body: { title } });
  return { course_id: id, title, hours: 1.5 };
};

describe('course packages', () => {
  it('are created, read, changed and deleted by their teacher', async () => {
    const body = { title: 'Algebra', total_hours: '20' };
    const created = await teacher().answer(packageCalls.create, { body });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ title: 'Algebra', total_hours: '20.00', teacher_id: 'teacher-1', version: 1 });
    const token = created.headers.get('x-consistency-token') ?? '';
    const told = (await fixture.told('package')).find(({ aggregate_id }) => aggregate_id === created.body.id);
    // Statistics are made of none of it, so there is nothing that a read with the token would have to wait for.
    expect(open(token)).toEqual({ service: 'package', tx_id: told?.tx_id, events: 0 });
    for (const foreign of [() => open(token, crypto.randomUUID()), () => open(`A${token}`)]) {
      expect(foreign).toThrow('x-consistency-token is not a token of this organization');
    }
    const path = { id: created.body.id };
    const read = await teacher().answer(packageCalls.get, { path });
    expect(read.body).toEqual(created.body);
    expect(read.headers.get('etag')).toBe('"1"');
    const change = { path, body: { title: 'Algebra II', description: 'x' } };
    const changed = await teacher().ok(packageCalls.update, change, { 'if-match': '"1"' });
    expect(changed).toMatchObject({ title: 'Algebra II', version: 2 });
    const late = await teacher().refused(packageCalls.update, change, { 'if-match': '"1"' });
    expect(late.code).toBe('version_mismatch');
    await teacher().ok(packageCalls.remove, { path });
    expect((await teacher().refused(packageCalls.get, { path })).code).toBe('not_found');
  });

  it('are locked while published, and keep their snapshot', async () => {
    const { id } = await teacher().ok(packageCalls.create, { body: { title: 'Geometry' } });
    const path = { id };
    expect((await teacher().refused(packageCalls.publish, { path })).code).toBe('package_empty');
    const sync = { body: { package_id: id, items: [await item('a'), await item('b')] } };
    const synced = await supervisor().ok(packageCalls.syncItems, sync);
    expect(synced).toMatchObject({ created: 2, updated: 0, deleted: 0, unchanged: 0 });
    expect((await teacher().refused(packageCalls.syncItems, sync)).code).toBe('forbidden');
    const published = await teacher().ok(packageCalls.publish, { path });
    expect(published.published_snapshot?.items).toEqual(synced.items);
    for (const refused of [
      await supervisor().refused(packageCalls.syncItems, sync),
      await supervisor().refused(packageCalls.update, { path, body: { title: 'no' } }),
      await supervisor().refused(packageCalls.remove, { path }),
      await supervisor().refused(packageCalls.publish, { path }),
    ]) {
      expect(refused.code).toBe('package_published');
    }
    const listed = await student().ok(packageCalls.listItems, { path: { package_id: id } });
    expect(listed.items).toEqual(synced.items);
    const open = await teacher().ok(packageCalls.unpublish, { path });
    expect(open).toMatchObject({ published_at: null, published_version: 1 });
  });
});
