import { clazzEvents, lessonCalls } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { postLesson } from './enrol-helpers.ts';
import { MONDAY, startSchool, type School } from './test-school.ts';

let fixture: Fixture;
let school: School;
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clockAt(MONDAY)));
});
afterAll(() => fixture?.stop());

let made = 0;
const uniqueName = (): string => `Room ${(made += 1)}`;
const newRoom = async (capacity: number | null = null, name = uniqueName()) =>
  expectOk(await school.supervisor.post('/clazz/room', { name, capacity }), 201);
/** The start of a free hour, far in the future and different each time. */
const freeHour = (): string => school.inHours(1_000 + 2 * (made += 1));
const lessonIn = async (clazz_id: string, room: string) =>
  postLesson(school.supervisor, clazz_id, freeHour(), { room, teacher_id: `t-${(made += 1)}` });

describe('rooms', () => {
  it('get a name once, however it is written and however many writers ask for it at once', async () => {
    const spellings = ['École', 'E\u0301COLE', 'école', 'Ｅ\u0301ｃｏｌｅ'];
    const answers = await Promise.all(spellings.map((name) => school.supervisor.post('/clazz/room', { name })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    expectOk(await school.supervisor.post('/clazz/room', { name: 'Ecole' }), 201);
    for (const { status, body } of answers) {
      if (status === 201) expectOk(await school.supervisor.delete(`/clazz/room/${body.id}`), 204);
    }
  });

  it('are written by supervisors, and read by staff in the order of their unique names', async () => {
    const { supervisor, teacher } = school;
    const created = await newRoom(12, 'Aula');
    expect(created).toMatchObject({ name: 'Aula', capacity: 12, note: null, version: 1 });
    expect(expectOk(await teacher.get(`/clazz/room/${created.id}`))).toEqual(created);
    expectRefusal(await supervisor.post('/clazz/room', { name: 'Aula' }), 409, 'duplicate');
    for (const name of ['AULA', 'Ａula'])
      expectRefusal(await supervisor.post('/clazz/room', { name }), 409, 'duplicate');
    expectRefusal(await supervisor.post('/clazz/room', { name: 'A, B' }), 400, 'invalid_request');
    expectRefusal(await teacher.post('/clazz/room', { name: 'Mine' }), 403, 'forbidden');
    expectRefusal(await school.student('a-student').get('/clazz/room'), 403, 'forbidden');
    const path = `/clazz/room/${created.id}`;
    const changed = await supervisor.patch(path, { note: 'key at the desk', capacity: null }, { 'if-match': '"1"' });
    expect(expectOk(changed)).toMatchObject({ name: 'Aula', capacity: null, note: 'key at the desk', version: 2 });
    expect(changed.headers.get('etag')).toBe('"2"');
    expectRefusal(await supervisor.patch(path, { note: null }, { 'if-match': '"1"' }), 412, 'version_mismatch');
    const other = await newRoom(3, 'Attic');
    for (const name of ['Aula', 'aula'])
      expectRefusal(await supervisor.patch(`/clazz/room/${other.id}`, { name }), 409, 'duplicate');
    expectOk(await supervisor.patch(`/clazz/room/${other.id}`, { name: 'ATTIC' }));
    expectOk(await supervisor.patch(`/clazz/room/${other.id}`, { name: 'Attic' }));
    expect(expectOk(await teacher.get('/clazz/room?keyword=a&limit=2')).items.map((row) => row.name)).toEqual([
      'Attic',
      'Aula',
    ]);
    expectRefusal(await supervisor.delete(path, { 'if-match': '"1"' }), 412, 'version_mismatch');
    expect((await supervisor.delete(path)).status).toBe(204);
    expectRefusal(await supervisor.get(path), 404, 'not_found');
    const events = await fixture.events('clazz', clazzEvents.roomChanged);
    const roomEvents = events.filter(({ data }) => data.room.id === created.id);
    expect(roomEvents.map(({ data }) => data.change)).toEqual(['created', 'updated', 'deleted']);
    expect(JSON.stringify(roomEvents)).not.toContain('desk');
    const auditEntries = async () =>
      expectOk(await supervisor.get(`/clazz/audit-log?entity=room&entity_id=${created.id}`)).items;
    await expect
      .poll(async () => (await auditEntries()).map((entry) => entry.action))
      .toEqual(['delete', 'update', 'create']);
    expect((await auditEntries())[1]?.changes).toMatchObject({ note: { before: null, after: 'key at the desk' } });
  });

  it('are listed as free if no lesson overlaps the range and the capacity suffices', async () => {
    const clazz_id = await school.classOf([]);
    const [small, large, boundless] = [await newRoom(2), await newRoom(20), await newRoom()];
    const names = [small.name, large.name, boundless.name];
    const lesson = expectOk(await lessonIn(clazz_id, large.name), 201);
    const free = async (from: string, to: string, more = ''): Promise<string[]> => {
      const { items } = expectOk(await school.teacher.get(`/clazz/room/free?from=${from}&to=${to}&limit=100${more}`));
      return items.map((row) => row.name).filter((name) => names.includes(name));
    };
    const { starts_at, ends_at } = lesson;
    expect(await free(starts_at, ends_at)).toEqual([small.name, boundless.name]);
    expect(await free(ends_at, new Date(Date.parse(ends_at) + 1).toISOString())).toHaveLength(3);
    expect(await free(new Date(Date.parse(starts_at) - 1).toISOString(), starts_at)).toHaveLength(3);
    expect(await free(starts_at, ends_at, '&min_capacity=3')).toEqual([boundless.name]);
    expectOk(await school.supervisor.post(`/clazz/lesson/${lesson.id}/cancel`));
    expect(await free(starts_at, ends_at, '&min_capacity=3')).toEqual([large.name, boundless.name]);
    expectRefusal(await school.teacher.get(`/clazz/room/free?from=${ends_at}&to=${ends_at}`), 400, 'invalid_request');
    expectRefusal(await school.teacher.get('/clazz/room/free'), 400, 'invalid_request');
  });

  it('keep their name in lessons when they are renamed or deleted', async () => {
    const clazz_id = await school.classOf([]);
    const room = await newRoom(1);
    const lesson = expectOk(await lessonIn(clazz_id, room.name), 201);
    expectOk(await school.supervisor.patch(`/clazz/room/${room.id}`, { name: uniqueName() }));
    expect((await school.supervisor.delete(`/clazz/room/${room.id}`)).status).toBe(204);
    expect(expectOk(await school.supervisor.get(`/clazz/lesson/${lesson.id}`))).toMatchObject(lesson);
  });
});

describe('the capacity of a room', () => {
  it('limits lessons that are created, created in a series, moved to the room or restored', async () => {
    const clazz_id = await school.classOf(school.students(3), { capacity: 9 });
    const [small, large] = [await newRoom(2), await newRoom(3)];
    const problem = expectRefusal(await lessonIn(clazz_id, small.name), 409, 'room_too_small');
    expect(problem).toMatchObject({ room: small.name, capacity: 2, taken: 3 });
    const rule = {
      starts_on: '2031-01-01',
      start_time: '09:00',
      duration_minutes: 60,
      zone: 'UTC',
      rrule: 'FREQ=DAILY',
    };
    const series = { ...rule, count: 2, room: small.name, teacher_id: 'a-series' };
    expectRefusal(await school.supervisor.post(`/clazz/${clazz_id}/lesson/series`, series), 409, 'room_too_small');
    const lesson = expectOk(await lessonIn(clazz_id, large.name), 201);
    const path = `/clazz/lesson/${lesson.id}`;
    expectRefusal(await school.supervisor.patch(path, { room: small.name }), 409, 'room_too_small');
    expectOk(await school.supervisor.patch(path, { room: 'a tent' }));
    expectOk(await school.supervisor.patch(path, { room: large.name }));
    expectOk(await school.supervisor.post(`${path}/cancel`));
    expectOk(await school.supervisor.patch(`/clazz/room/${large.id}`, { capacity: 1 }));
    expectRefusal(await school.supervisor.post(`${path}/restore`, { reason: 'on again' }), 409, 'room_too_small');
    expectOk(await school.supervisor.patch(`/clazz/room/${large.id}`, { capacity: 3 }));
    expectOk(await school.supervisor.post(`${path}/restore`, { reason: 'on again' }));
  });

  it('prevents lessons of a reopened class from being restored, and names them', async () => {
    const clazz_id = await school.classOf(school.students(2), { capacity: 9 });
    const [small, large] = [await newRoom(2), await newRoom(3)];
    const inSmall = expectOk(await lessonIn(clazz_id, small.name), 201);
    const inLarge = expectOk(await lessonIn(clazz_id, large.name), 201);
    const path = `/clazz/${clazz_id}` as const;
    expectOk(await school.supervisor.post(`${path}/complete`));
    expectOk(await school.supervisor.patch(`/clazz/room/${small.id}`, { capacity: 1 }));
    const { restored_lessons, not_restored } = expectOk(
      await school.supervisor.post(`${path}/reopen`, { reason: 'x' }),
    );
    expect(restored_lessons).toEqual([inLarge.id]);
    expect(not_restored).toMatchObject([{ lesson_id: inSmall.id, why: 'clash', reason: 'room_too_small' }]);
  });

  it('limits enrolments, which are refused or wait until the capacity suffices', async () => {
    const [ann, ben, cem, dan] = school.students(4) as [string, string, string, string];
    const clazz_id = await school.classOf([ann], { capacity: 9 });
    const elsewhere = await school.classOf([cem]);
    const room = await newRoom(2);
    const lesson = expectOk(await lessonIn(clazz_id, room.name), 201);
    const enrol = (student_ids: string[], waitlist = false) =>
      school.supervisor.post(`/clazz/${clazz_id}/student`, { student_ids, waitlist });
    expectRefusal(await enrol([ben, dan]), 409, 'room_too_small');
    const joined = expectOk(await enrol([ben, dan], true), 201);
    expect(joined.items.map((row) => row.status)).toEqual(['active', 'waiting']);
    const move = { to_clazz_id: clazz_id };
    expectRefusal(
      await school.supervisor.post(`/clazz/${elsewhere}/student/${cem}/transfer`, move),
      409,
      'room_too_small',
    );
    const statusOf = async (student: string): Promise<string | undefined> =>
      expectOk(await school.supervisor.get(`/clazz/${clazz_id}/student?limit=100`)).items.find(
        (row) => row.student_id === student,
      )?.status;
    expect(await statusOf(dan)).toBe('waiting');
    expectOk(await school.supervisor.patch(`/clazz/room/${room.id}`, { capacity: 3 }));
    expect(await statusOf(dan)).toBe('active');
    expectOk(await enrol([cem], true), 201);
    expect(await statusOf(cem)).toBe('waiting');
    expectOk(await school.supervisor.patch(`/clazz/lesson/${lesson.id}`, { room: null }));
    expect(await statusOf(cem)).toBe('active');
  });

  it('limits guests like the capacity of the class, and the smaller of both is shown', async () => {
    const [ann, ben] = school.students(2) as [string, string];
    const own = await school.classOf([ann], { course_id: null });
    const host = await school.classOf([ben], { capacity: 9 });
    const room = await newRoom(1);
    const missed = await school.lesson(own, 48);
    const full = expectOk(await lessonIn(host, room.name), 201);
    const leave = singleElement(
      expectOk(await school.student(ann).post('/clazz/leave', { lesson_id: missed.id, reason: 'x' }), 201).items,
    );
    expectOk(await school.supervisor.post(`/clazz/leave/${leave.id}/approve`));
    const makeUp = () => school.student(ann).post(`/clazz/leave/${leave.id}/make-up`, { lesson_id: full.id });
    const options = async () =>
      expectOk(await school.student(ann).get(`/clazz/leave/${leave.id}/make-up/options?limit=100`)).items.filter(
        (row) => row.id === full.id,
      );
    const shown = async () =>
      singleElement((await school.supervisor.ok(lessonCalls.listLessons, { query: { clazz_id: host } })).items);
    expectRefusal(await makeUp(), 409, 'clazz_full');
    expect(await options()).toEqual([]);
    expect(await shown()).toMatchObject({ enrolled: 1, capacity: 1, free: 0 });
    expectOk(await school.supervisor.patch(`/clazz/room/${room.id}`, { capacity: 2 }));
    expect(await options()).toMatchObject([{ capacity: 2, free: 1 }]);
    expectOk(await makeUp());
    expect(await shown()).toMatchObject({ enrolled: 1, guests: 1, capacity: 2, free: 0 });
    expectOk(await school.supervisor.patch(`/clazz/room/${room.id}`, { capacity: 1 }));
    expect(await shown()).toMatchObject({ capacity: 1, free: 0 });
    expectOk(await school.supervisor.patch(`/clazz/room/${room.id}`, { capacity: 20 }));
    expect(await shown()).toMatchObject({ capacity: 9, free: 7 });
  });
});

describe('the policy `rooms: listed`', () => {
  it('refuses a lesson in a room that is not listed', async () => {
    const clazz_id = await school.classOf([]);
    const room = await newRoom();
    const before = expectOk(await lessonIn(clazz_id, 'the garden'), 201);
    await school.setPolicy({ rooms: 'listed' });
    const unlisted = { errors: [{ path: '/body/room' }] };
    expect(expectRefusal(await lessonIn(clazz_id, 'the garden'), 404, 'not_found')).toMatchObject(unlisted);
    const rule = {
      starts_on: '2032-01-01',
      start_time: '09:00',
      duration_minutes: 60,
      zone: 'UTC',
      rrule: 'FREQ=DAILY',
    };
    const series = { ...rule, count: 1, room: 'the garden', teacher_id: 'b-series' };
    for (const path of ['series', 'series/preview']) {
      expect(
        expectRefusal(await school.supervisor.post(`/clazz/${clazz_id}/lesson/${path}`, series), 404, 'not_found'),
      ).toMatchObject(unlisted);
    }
    const lesson = expectOk(await lessonIn(clazz_id, room.name), 201);
    const path = `/clazz/lesson/${lesson.id}`;
    expect(expectRefusal(await school.supervisor.patch(path, { room: 'a barn' }), 404, 'not_found')).toMatchObject(
      unlisted,
    );
    expectOk(await school.supervisor.patch(path, { room: null }));
    // A lesson that already has an unlisted room keeps it when other fields change.
    expectOk(await school.supervisor.patch(`/clazz/lesson/${before.id}`, { room: 'the garden', topic: 'Bees' }));
    await school.setPolicy({});
  });
});
