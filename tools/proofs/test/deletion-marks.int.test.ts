import { randomUUID } from 'node:crypto';
import { clazzCalls, courseCalls, courseCategoryCalls, courseSectionCalls, packageCalls } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deletionMarks } from './deletion-races.ts';
import { type Fixture, startFixture } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['course', 'package', 'clazz'] });
});
afterAll(() => fixture?.stop());
const api = () => fixture.as({ role: 'SUPERVISOR' });
const course = async () => (await api().ok(courseCalls.createCourse, { body: { title: 'c' } })).id;
const use = (course_id: string) =>
  api().outcome(clazzCalls.createClazz, { body: { name: 'k', lead_teacher_id: 'tom', course_id } });

/** Inserts the mark of a deletion whose service ended before it finished. */
const mark = (id: string, age: string) =>
  fixture.sql(
    'insert into course.deletion_mark (org_id, attempt, id, since) values ($1, $2, $3, clock_timestamp() - $4::interval)',
    [fixture.org, randomUUID(), id, age],
  );

describe('An unfinished deletion', () => {
  it('makes requests that refer to the record wait and then fail with 503', async () => {
    const id = await course();
    await mark(id, '0 seconds');
    expect(await use(id)).toMatchObject({ status: 503, code: 'unavailable' });
    await fixture.sql('delete from course.deletion_mark where id = $1', [id]);
    expect((await use(id)).code).toBe('done');
  });

  it('does not prevent another deletion of the record', async () => {
    const id = await course();
    await mark(id, '0 seconds');
    await api().ok(courseCalls.deleteCourse, { path: { id } });
    await fixture.sql('delete from course.deletion_mark where id = $1', [id]);
    expect((await use(id)).code).toBe('not_found');
  });

  it('expires without help, also after the clock of Postgres was set back', async () => {
    // A mark of one minute ago expires sooner than a new one.
    const ids = await Promise.all(
      ['1 minute', '-1 hour'].map((age) => course().then((id) => mark(id, age).then(() => id))),
    );
    const codes = () => Promise.all(ids.map(async (id) => (await use(id)).code));
    await expect.poll(codes, { interval: 100 }).toEqual(['done', 'done']);
  });
});

describe('A deletion', () => {
  it('that is refused for any reason leaves the record usable', async () => {
    const id = await course();
    const other = fixture.as({ role: 'TEACHER', sub: 'another-person' });
    expect((await other.refused(courseCalls.deleteCourse, { path: { id } })).code).toBe('forbidden');
    const stale = await api().refused(courseCalls.deleteCourse, { path: { id } }, { 'if-match': '"99"' });
    expect(stale.code).toBe('version_mismatch');
    expect((await api().refused(courseCalls.deleteCourse, { path: { id: randomUUID() } })).code).toBe('not_found');
    expect(await deletionMarks(fixture)).toEqual([]);
    expect((await use(id)).code).toBe('done');
  });

  it('that is refused by its own service sets no mark and queries no other service', async () => {
    const stranger = fixture.as({ role: 'TEACHER', sub: 'another-person' });
    const stale = { 'if-match': '"99"' };
    const [course_id, category, pack, clazz] = [
      await course(),
      await api().ok(courseCategoryCalls.createCourseCategory, { body: { name: randomUUID() } }),
      await api().ok(packageCalls.createPackage, { body: { title: 'p' } }),
      await api().ok(clazzCalls.createClazz, { body: { name: 'k', lead_teacher_id: 'tom' } }),
    ];
    const section = await api().ok(courseSectionCalls.createCourseSection, {
      path: { course_id },
      body: { title: 's' },
    });
    for (const service of ['course', 'package', 'clazz']) {
      await fixture.sql(`
        create function ${service}.fail() returns trigger language plpgsql as
          'begin raise exception ''announced''; end';
        create trigger fail before insert on ${service}.deletion_mark for each row execute function ${service}.fail();
        grant execute on function ${service}.fail() to public`);
    }
    const calls = [
      [courseCalls.deleteCourse, course_id],
      [courseSectionCalls.deleteCourseSection, section.id],
      [courseCategoryCalls.deleteCourseCategory, category.id],
      [packageCalls.deletePackage, pack.id],
      [clazzCalls.deleteClazz, clazz.id],
    ] as const;
    const codes: unknown[] = [];
    for (const [call, id] of calls) {
      const [none, other, changed] = [
        await api().outcome(call, { path: { id: randomUUID() } }),
        await stranger.outcome(call, { path: { id } }),
        await api().outcome(call, { path: { id } }, stale),
      ];
      codes.push([none.code, other.code, changed.code]);
    }
    await api().ok(clazzCalls.activateClazz, { path: { id: clazz.id } });
    codes.push((await api().outcome(clazzCalls.deleteClazz, { path: { id: clazz.id } })).code);
    for (const service of ['course', 'package', 'clazz']) {
      await fixture.sql(`drop trigger fail on ${service}.deletion_mark`);
    }
    expect(codes).toEqual([...calls.map(() => ['not_found', 'forbidden', 'version_mismatch']), 'invalid_transition']);
    expect((await use(course_id)).code).toBe('done');
  });

  it('that lost its mark deletes nothing', async () => {
    const id = await course();
    await fixture.sql(`
      create function course.lose() returns trigger language plpgsql as
        'begin delete from course.deletion_mark where attempt = new.attempt; return null; end';
      create trigger lose after insert on course.deletion_mark for each row execute function course.lose();
      grant execute on function course.lose() to public`);
    const outcome = await api().outcome(courseCalls.deleteCourse, { path: { id } });
    await fixture.sql('drop trigger lose on course.deletion_mark');
    expect(outcome).toMatchObject({ status: 503, code: 'unavailable' });
    expect((await use(id)).code).toBe('done');
  });

  it('with an idempotency key is executed once', async () => {
    const id = await course();
    const headers = { 'idempotency-key': randomUUID() };
    for (let times = 0; times < 2; times += 1) await api().ok(courseCalls.deleteCourse, { path: { id } }, headers);
    expect(await deletionMarks(fixture)).toEqual([]);
  });

  it('ends when many deletions run at once and their services query each other', async () => {
    const courses = await Promise.all(Array.from({ length: 12 }, course));
    const drafts = await Promise.all(
      courses.map(
        async () => (await api().ok(clazzCalls.createClazz, { body: { name: 'k', lead_teacher_id: 'tom' } })).id,
      ),
    );
    const packages = await Promise.all(
      courses.map(async () => (await api().ok(packageCalls.createPackage, { body: { title: 'p' } })).id),
    );
    await Promise.all([
      ...courses.map((id) => api().ok(courseCalls.deleteCourse, { path: { id } })),
      ...drafts.map((id) => api().ok(clazzCalls.deleteClazz, { path: { id } })),
      ...packages.map((id) => api().ok(packageCalls.deletePackage, { path: { id } })),
    ]);
    expect(await deletionMarks(fixture)).toEqual([]);
  });
});
