import { lessonCalls } from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { postLesson } from './enrol-helpers.ts';
import { MONDAY, startSchool, type School } from './test-school.ts';

let fixture: Fixture;
let school: School;
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clockAt(MONDAY)));
});
afterAll(() => fixture?.stop());

let made = 0;
const uniqueName = (name: string): string => `${name}-${(made += 1)}`;
/** The start of a free hour on a day that no other test uses, far in the future. */
const freeHour = (): string => school.inHours(1_000 + 24 * 20 * (made += 1));
const later = (starts_at: string, hours: number): string =>
  new Date(Date.parse(starts_at) + hours * HOUR_MS).toISOString();

const check = (clazz_id: string, starts_at: string, more: Record<string, unknown> = {}) =>
  school.supervisor.ok(lessonCalls.checkLesson, {
    path: { id: clazz_id },
    body: { starts_at, ends_at: later(starts_at, 1), ...more },
  });

describe('checking a lesson before it is stored', () => {
  it('finds nothing if teacher, room and students are free, and stores nothing', async () => {
    const id = await school.classOf([]);
    const at = freeHour();
    const nothing = {
      conflicts: [],
      accepted: [],
      too_small: null,
      holiday: null,
      taken_rooms: [],
      free_teachers: [],
      free_times: [],
    };
    expect(await check(id, at, { teacher_id: uniqueName('t') })).toEqual(nothing);
    expect(expectOk(await school.supervisor.get(`/clazz/${id}/lesson`)).items).toEqual([]);
  });

  it.each(['teacher', 'room', 'student'] as const)('names a clashing lesson with the same %s', async (shared) => {
    const student = uniqueName('s');
    const [id, other] = [
      await school.classOf([student]),
      await school.classOf([shared === 'student' ? student : uniqueName('s')]),
    ];
    const [teacher_id, room, at] = [uniqueName('t'), uniqueName('Room'), freeHour()];
    const taken = {
      teacher_id: shared === 'teacher' ? teacher_id : uniqueName('t'),
      ...(shared === 'room' ? { room } : {}),
    };
    const lesson = expectOk(await postLesson(school.supervisor, other, at, taken), 201);
    const found = await check(id, at, { teacher_id, room });
    expect(found.conflicts).toMatchObject([
      {
        lesson_id: lesson.id,
        clazz_name: lesson.clazz_name,
        teacher_id: shared === 'teacher' ? teacher_id : null,
        room: shared === 'room' ? room : null,
        student_ids: shared === 'student' ? [student] : [],
      },
    ]);
    // Creating the lesson reports the same clashes.
    const refusal = expectRefusal(
      await postLesson(school.supervisor, id, at, { teacher_id, room }),
      409,
      'schedule_conflict',
    );
    expect(refusal['conflicts']).toEqual(found.conflicts);
  });

  it('is refused for a cancelled lesson', async () => {
    const id = await school.classOf([]);
    const at = freeHour();
    const { id: lesson_id } = expectOk(await postLesson(school.supervisor, id, at), 201);
    expectOk(await school.supervisor.post(`/clazz/lesson/${lesson_id}/cancel`));
    const body = { lesson_id, starts_at: at, ends_at: later(at, 2) };
    expectRefusal(await school.supervisor.post(`/clazz/${id}/lesson/check`, body), 409, 'invalid_transition');
  });

  it('suggests free teachers and times, which can then be scheduled', async () => {
    const id = await school.classOf([], { lead_teacher_id: uniqueName('lead') });
    const [teacher_id, at] = [uniqueName('t'), freeHour()];
    expectOk(await postLesson(school.supervisor, id, at, { teacher_id }), 201);
    const found = await check(id, at, { teacher_id });
    const [teacher] = found.free_teachers;
    expect(teacher).toMatchObject({ same_course: true });
    expect(found.free_teachers.map((one) => one.teacher_id)).not.toContain(teacher_id);
    expect(found.free_times[0]).toEqual({ starts_at: later(at, 1), ends_at: later(at, 2) });
    expect(found.free_times).toHaveLength(3);
    for (const time of found.free_times)
      expectOk(await postLesson(school.supervisor, id, time.starts_at, { teacher_id }), 201);
    expectOk(await postLesson(school.supervisor, id, at, { teacher_id: teacher?.teacher_id ?? '' }), 201);
  });

  it('suggests the present teacher of a lesson if the new one is not free', async () => {
    const lead = uniqueName('lead');
    const [id, other] = [await school.classOf([], { lead_teacher_id: lead }), await school.classOf([])];
    const [busy, at] = [uniqueName('t'), freeHour()];
    const { id: lesson_id } = expectOk(await postLesson(school.supervisor, id, at, { teacher_id: lead }), 201);
    expectOk(await postLesson(school.supervisor, other, at, { teacher_id: busy }), 201);
    const { conflicts, free_teachers } = await check(id, at, { lesson_id, teacher_id: busy });
    expect(conflicts).toMatchObject([{ teacher_id: busy }]);
    expect(free_teachers.map((one) => one.teacher_id)).toContain(lead);
  });

  it('ignores the lesson itself and the lessons of its series that move with it', async () => {
    const id = await school.classOf([]);
    const body = {
      starts_on: '2033-01-03',
      start_time: '18:00',
      duration_minutes: 60,
      zone: 'Europe/Berlin',
      rrule: 'FREQ=DAILY',
      count: 3,
      teacher_id: uniqueName('t'),
    };
    const { items } = expectOk(await school.supervisor.post(`/clazz/${id}/lesson/series`, body), 201);
    const [first, second] = items;
    const moved = { lesson_id: first?.id, teacher_id: body.teacher_id };
    expect((await check(id, later(first?.starts_at ?? '', 0.5), moved)).conflicts).toEqual([]);
    const onSecond = await check(id, second?.starts_at ?? '', moved);
    expect(onSecond.conflicts.map((one) => one.lesson_id)).toEqual([second?.id]);
    // All lessons of the series move by a day, so none of them clashes.
    expect((await check(id, second?.starts_at ?? '', { ...moved, scope: 'all' })).conflicts).toEqual([]);
  });

  it('names the accepted clashes that a change keeps, and refuses them at a new time', async () => {
    const [id, other] = [await school.classOf([]), await school.classOf([])];
    const [room, at] = [uniqueName('Room'), freeHour()];
    const taken = expectOk(await postLesson(school.supervisor, other, at, { teacher_id: uniqueName('t'), room }), 201);
    const clashing = { teacher_id: uniqueName('t'), room, override: true, reason: 'exams' };
    const { id: lesson_id } = expectOk(await postLesson(school.supervisor, id, at, clashing), 201);
    const now = { lesson_id, teacher_id: clashing.teacher_id, room };
    const unchanged = await check(id, at, now);
    expect(unchanged).toMatchObject({ conflicts: [], accepted: [{ lesson_id: taken.id, room }], taken_rooms: [room] });
    const withTeacher = await check(id, at, { ...now, teacher_id: uniqueName('t') });
    expect(withTeacher).toMatchObject({ conflicts: [], accepted: [{ lesson_id: taken.id, room }] });
    const moved = await check(id, later(at, 0.5), now);
    expect(moved).toMatchObject({ conflicts: [{ lesson_id: taken.id, room }], accepted: [], taken_rooms: [room] });
    const from = { lesson_id: taken.id, teacher_id: taken.teacher_id, room };
    expect((await check(other, at, from)).accepted).toMatchObject([{ lesson_id, room }]);
    expect(await check(id, later(at, 1), now)).toMatchObject({ conflicts: [], accepted: [], taken_rooms: [] });
  });

  it('considers every date of a series for rooms, room sizes, teachers and holidays', async () => {
    const [id, other] = [await school.classOf(school.students(3)), await school.classOf([])];
    const [busy, small, teacher_id] = [uniqueName('Busy'), uniqueName('Cell'), uniqueName('t')];
    expectOk(await school.supervisor.post('/clazz/room', { name: small, capacity: 2 }), 201);
    const series = {
      starts_on: '2034-01-02',
      start_time: '18:00',
      duration_minutes: 60,
      zone: 'Europe/Berlin',
      rrule: 'FREQ=WEEKLY',
      count: 3,
      teacher_id,
    };
    const onThird = { teacher_id: uniqueName('t'), room: busy };
    expectOk(await postLesson(school.supervisor, other, '2034-01-16T17:00:00.000Z', onThird), 201);
    const preview = (more: object) =>
      school.supervisor.post(`/clazz/${id}/lesson/series/preview`, { ...series, ...more });
    expect(expectOk(await preview({ room: small }))).toMatchObject({
      too_small: { room: small, capacity: 2, taken: 3 },
      taken_rooms: [busy],
    });
    const { items } = expectOk(await school.supervisor.post(`/clazz/${id}/lesson/series`, series), 201);
    const first = { lesson_id: items[0]?.id, teacher_id: onThird.teacher_id, room: small };
    const at = items[0]?.starts_at ?? '';
    expect(await check(id, at, first)).toMatchObject({ conflicts: [], taken_rooms: [] });
    const all = await check(id, at, { ...first, scope: 'all' });
    expect(all).toMatchObject({ conflicts: [{ starts_at: '2034-01-16T17:00:00.000Z' }], taken_rooms: [busy] });
    expect(all).toMatchObject({ too_small: { room: small }, free_times: [] });
    expect(all.free_teachers.map((one) => one.teacher_id)).not.toContain(onThird.teacher_id);
    expectOk(await school.supervisor.put('/clazz/holiday', { holidays: [{ date: '2034-01-09', name: 'Feast' }] }));
    expect((await check(id, at, { ...first, scope: 'following' })).holiday).toBe('Feast');
  });

  it('reports a room that is too small, and a holiday', async () => {
    const id = await school.classOf(school.students(3));
    const [room, at] = [uniqueName('Cell'), freeHour()];
    expectOk(await school.supervisor.post('/clazz/room', { name: room, capacity: 2 }), 201);
    expectOk(await school.supervisor.put('/clazz/holiday', { holidays: [{ date: at.slice(0, 10), name: '春节' }] }));
    const found = await check(id, at, { teacher_id: uniqueName('t'), room });
    expect(found).toMatchObject({ too_small: { room, capacity: 2, taken: 3 }, holiday: '春节', conflicts: [] });
    expectRefusal(
      await postLesson(school.supervisor, id, at, { teacher_id: uniqueName('t'), room }),
      409,
      'room_too_small',
    );
  });

  it('is allowed to staff who manage the class, for its own lessons', async () => {
    const [id, other] = [await school.classOf([], { lead_teacher_id: uniqueName('lead') }), await school.classOf([])];
    const at = freeHour();
    const lesson = expectOk(await postLesson(school.supervisor, other, at, { teacher_id: uniqueName('t') }), 201);
    const times = { starts_at: at, ends_at: later(at, 1) };
    expectRefusal(await school.teacher.post(`/clazz/${id}/lesson/check`, times), 403, 'forbidden');
    const foreign = { ...times, lesson_id: lesson.id };
    expectRefusal(await school.supervisor.post(`/clazz/${id}/lesson/check`, foreign), 404, 'not_found');
    expectRefusal(
      await school.supervisor.post(`/clazz/${id}/lesson/check`, { ...times, ends_at: at }),
      400,
      'invalid_request',
    );
  });
});
