import { courseCalls, packageCalls, packageEvents } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readWriteToken } from '../../../libs/kit/src/rpc/tokens.ts';
import { createSigner } from '../../../libs/kit/src/base/signer.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';

let fixture: Fixture;
const { supervisor, teacher, student, stranger } = peopleOf(() => fixture);
beforeAll(async () => {
  fixture = await startFixture({ services: ['package', 'course', 'clazz'] });
});
afterAll(() => fixture?.stop());

/** Reads a consistency token as a service does. */
const open = (token: string, org = fixture.org) =>
  readWriteToken(createSigner(inject('stack').secrets.signing), org, token);
const item = async (title: string) => {
  const { id } = await teacher().ok(courseCalls.createCourse, { body: { title } });
  return { course_id: id, title, hours: 1.5 };
};

describe('Course packages', () => {
  it('are created, read, changed and deleted by their teacher', async () => {
    const body = { title: 'Algebra', total_hours: '20' };
    const created = await teacher().answer(packageCalls.createPackage, { body });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ title: 'Algebra', total_hours: '20.00', teacher_id: 'teacher-1', version: 1 });
    const token = created.headers.get('x-consistency-token') ?? '';
    const event = (await fixture.events('package')).find(({ aggregate_id }) => aggregate_id === created.body.id);
    // No service follows this event, so a read with the token has nothing to wait for.
    expect(open(token)).toEqual({ service: 'package', tx_id: event?.tx_id, events: 0 });
    for (const foreign of [() => open(token, crypto.randomUUID()), () => open(`A${token}`)]) {
      expect(foreign).toThrow('x-consistency-token is not a token of this organization');
    }
    const path = { id: created.body.id };
    const read = await teacher().answer(packageCalls.getPackage, { path });
    expect(read.body).toEqual(created.body);
    expect(read.headers.get('etag')).toBe('"1"');
    const change = { path, body: { title: 'Algebra II', description: 'x' } };
    const changed = await teacher().ok(packageCalls.updatePackage, change, { 'if-match': '"1"' });
    expect(changed).toMatchObject({ title: 'Algebra II', version: 2 });
    const eventsBefore = (await fixture.events('package')).length;
    for (const nothing of [change.body, {}]) {
      expect(await teacher().ok(packageCalls.updatePackage, { path, body: nothing })).toEqual(changed);
    }
    expect((await fixture.events('package')).length).toBe(eventsBefore);
    const late = await teacher().refused(packageCalls.updatePackage, change, { 'if-match': '"1"' });
    expect(late.code).toBe('version_mismatch');
    await teacher().ok(packageCalls.deletePackage, { path });
    expect((await teacher().refused(packageCalls.getPackage, { path })).code).toBe('not_found');
  });

  it('can be read by other teachers, but changed only by their owner and by supervisors, who may change the owner', async () => {
    const { id } = await teacher().ok(packageCalls.createPackage, { body: { title: 'Owned' } });
    const path = { id };
    const other = teacher('teacher-2');
    const before = await other.ok(packageCalls.getPackage, { path });
    const title = { path, body: { title: 'no' } };
    expect((await other.refused(packageCalls.updatePackage, title)).code).toBe('forbidden');
    expect((await other.refused(packageCalls.publishPackage, { path })).code).toBe('forbidden');
    expect((await other.refused(packageCalls.unpublishPackage, { path })).code).toBe('forbidden');
    expect((await other.refused(packageCalls.deletePackage, { path })).code).toBe('forbidden');
    const given = { title: 'no', teacher_id: 'teacher-2' };
    expect((await teacher().refused(packageCalls.createPackage, { body: given })).code).toBe('forbidden');
    expect((await teacher().refused(packageCalls.updatePackage, { path, body: given })).code).toBe('forbidden');
    expect(await teacher().ok(packageCalls.getPackage, { path })).toEqual(before);
    const { teacher_id } = await supervisor().ok(packageCalls.updatePackage, { path, body: given });
    expect(teacher_id).toBe('teacher-2');
    await other.ok(packageCalls.updatePackage, title);
    await supervisor().ok(packageCalls.deletePackage, { path });
  });

  it('cannot be changed while they are published, and keep their snapshot', async () => {
    const { id } = await teacher().ok(packageCalls.createPackage, { body: { title: 'Geometry' } });
    const path = { id };
    expect((await teacher().refused(packageCalls.publishPackage, { path })).code).toBe('package_empty');
    const sync = { body: { package_id: id, items: [await item('a'), await item('b')] } };
    const synced = await supervisor().ok(packageCalls.syncPackageItems, sync);
    expect(synced).toMatchObject({ created: 2, updated: 0, deleted: 0, unchanged: 0 });
    expect((await teacher().refused(packageCalls.syncPackageItems, sync)).code).toBe('forbidden');
    const published = await teacher().ok(packageCalls.publishPackage, { path });
    expect(published.published_snapshot?.items).toEqual(synced.items);
    for (const refused of [
      await supervisor().refused(packageCalls.syncPackageItems, sync),
      await supervisor().refused(packageCalls.updatePackage, { path, body: { title: 'no' } }),
      await supervisor().refused(packageCalls.deletePackage, { path }),
      await supervisor().refused(packageCalls.publishPackage, { path }),
    ]) {
      expect(refused.code).toBe('package_published');
    }
    const listed = await student().ok(packageCalls.listPackageItems, { path: { package_id: id } });
    expect(listed.items).toEqual(synced.items);
    const open = await teacher().ok(packageCalls.unpublishPackage, { path });
    expect(open).toMatchObject({ published_at: null, published_version: 1 });
  });

  it('are copied with their current items, unpublished and owned by the person who copies them', async () => {
    const body = { title: 'Original', price_minor: 5, currency: 'EUR', total_hours: '3', validity_days: 9 };
    const { id } = await teacher().ok(packageCalls.createPackage, { body });
    const path = { id };
    const first = await item('a');
    const sync = (...items: object[]) =>
      supervisor().post('/clazz/course-package/item/sync', { package_id: id, items });
    await sync({ ...first, note: 'n' }, await item('b'));
    await teacher().ok(packageCalls.publishPackage, { path });
    const copied = await teacher('teacher-2').answer(packageCalls.copyPackage, { path });
    expect([copied.status, copied.headers.get('etag')]).toEqual([201, '"1"']);
    const fresh = { published_at: null, published_snapshot: null, published_version: null, version: 1 };
    expect(copied.body).toMatchObject({ ...body, total_hours: '3.00', teacher_id: 'teacher-2', ...fresh });
    const package_id = copied.body.id;
    expect(package_id).not.toBe(id);
    const itemsOf = async (of: string) =>
      (await teacher().ok(packageCalls.listPackageItems, { path: { package_id: of } })).items;
    const [original, copies] = [await itemsOf(id), await itemsOf(package_id)];
    const itemsAs = (of: string, ids: string[]) => original.map((one, at) => ({ ...one, package_id: of, id: ids[at] }));
    expect(copies).toEqual(
      itemsAs(
        package_id,
        copies.map((one) => one.id),
      ),
    );
    expect(copies.some((one) => original.some((other) => other.id === one.id))).toBe(false);
    const [event] = (await fixture.events('package', packageEvents.itemsSynced)).slice(-1);
    expect(event?.data).toMatchObject({ package_id, version: 1, created: copies.map((one) => one.id), updated: [] });
    const published = await teacher('teacher-2').ok(packageCalls.publishPackage, { path: { id: package_id } });
    expect(published.published_snapshot?.items).toEqual(copies);
    expect((await teacher().ok(packageCalls.copyPackage, { path, body: { title: 'Mine' } })).title).toBe('Mine');
    expect((await student().refused(packageCalls.copyPackage, { path })).code).toBe('forbidden');
    expect((await stranger().refused(packageCalls.copyPackage, { path })).code).toBe('not_found');
  });

  it.each([
    ['serialization failure', '40001'],
    ['deadlock', '40P01'],
    ['exclusion violation', '23P01'],
  ])('are stored although the first tries fail with a %s', async (_what, code) => {
    await fixture.sql(`
      create sequence package.tries;
      create or replace function package.lose() returns trigger language plpgsql security definer as $$ begin
        if nextval('package.tries') < 3 then raise exception 'lost' using errcode = '${code}'; end if;
        return new;
      end $$;
      create or replace trigger lose before insert on package.course_package for each row execute function package.lose()`);
    const title = `after ${code}`;
    await teacher().ok(packageCalls.createPackage, { body: { title } });
    expect(await fixture.sql('select 1 from package.course_package where title = $1', [title])).toHaveLength(1);
    await fixture.sql('drop trigger lose on package.course_package; drop sequence package.tries');
  });
});
