import { clazzEvents, lessonCalls, type Request } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { newClazz } from '../../../tools/proofs/test/clazz.ts';
import { enrolNow, postLesson } from './enrol-helpers.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz'] });
});
afterAll(() => fixture?.stop());

const { supervisor, teacher, student } = peopleOf(() => fixture);
let count = 0;
const newTeacher = () => `t-${(count += 1)}`;
const classOf = (lead_teacher_id = newTeacher()) => newClazz(supervisor(), { lead_teacher_id });
const series = (api: Api, id: string, fields: Record<string, unknown> = {}) =>
  api.post(`/clazz/${id}/lesson/series`, {
    starts_on: '2033-01-03',
    start_time: '18:00',
    duration_minutes: 60,
    zone: 'Europe/Berlin',
    rrule: 'FREQ=WEEKLY;BYDAY=MO',
    count: 3,
    ...fields,
  });
const preview = (api: Api, id: string, fields: Record<string, unknown>) =>
  api.post(`/clazz/${id}/lesson/series/preview`, {
    starts_on: '2033-01-03',
    start_time: '18:00',
    duration_minutes: 60,
    zone: 'Europe/Berlin',
    rrule: 'FREQ=WEEKLY;BYDAY=MO',
    ...fields,
  });
const AT = '2034-05-01T10:00:00.000Z';

describe('clashes', () => {
  it.each([
    ['teacher', { teacher_id: 'shared' }, { teacher_id: 'shared' }],
    ['room', { room: 'Aula' }, { room: 'Aula' }],
  ])('of a %s are refused and named, and adjacent lessons do not clash', async (_kind, fields, named) => {
    const [a, b] = [await classOf(), await classOf()];
    const first = expectOk(await postLesson(supervisor(), a.id, AT, fields), 201);
    const clash = expectRefusal(
      await postLesson(supervisor(), b.id, '2034-05-01T10:30:00Z', fields),
      409,
      'schedule_conflict',
    );
    expect(clash.conflicts).toMatchObject([{ lesson_id: first.id, clazz_id: a.id, ...named }]);
    expectOk(await postLesson(supervisor(), b.id, '2034-05-01T11:00:00Z', fields), 201);
    expectOk(await postLesson(supervisor(), b.id, '2034-05-01T09:00:00Z', fields), 201);
    expectOk(await supervisor().post(`/clazz/lesson/${first.id}/cancel`));
    expectOk(await postLesson(supervisor(), b.id, AT, fields), 201);
  });

  it('of a student are refused when a lesson is scheduled and when an enrolment is resumed', async () => {
    const [a, b] = [await classOf(), await classOf()];
    await enrolNow(supervisor(), a.id, 'both', 'only-a');
    await enrolNow(supervisor(), b.id, 'both');
    expectOk(await postLesson(supervisor(), a.id, '2034-06-01T10:00:00Z'), 201);
    const clash = expectRefusal(await postLesson(supervisor(), b.id, '2034-06-01T10:30:00Z'), 409, 'schedule_conflict');
    expect(clash.conflicts).toMatchObject([{ clazz_id: a.id, student_ids: ['both'], teacher_id: null }]);
    expectOk(await supervisor().post(`/clazz/${a.id}/student/both/suspend`));
    expectOk(await postLesson(supervisor(), b.id, '2034-06-01T10:30:00Z'), 201);
    expectRefusal(await supervisor().post(`/clazz/${a.id}/student/both/resume`), 409, 'schedule_conflict');
  });

  it('can be overridden by a supervisor with a reason, which the audit log contains', async () => {
    const lead = newTeacher();
    const [a, b] = [await classOf(lead), await classOf(lead)];
    expectOk(await postLesson(supervisor(), a.id, AT), 201);
    expectRefusal(await postLesson(teacher(lead), b.id, AT, { override: true, reason: 'exam' }), 403, 'forbidden');
    expectRefusal(await postLesson(supervisor(), b.id, AT, { override: true }), 400, 'invalid_request');
    const overriding = expectOk(await postLesson(supervisor(), b.id, AT, { override: true, reason: 'exam week' }), 201);
    const { items } = expectOk(await supervisor().get(`/clazz/${b.id}/audit-log?entity=lesson`));
    expect(items).toMatchObject([{ action: 'create', entity_id: overriding.id, reason: 'exam week' }]);
    expectRefusal(await postLesson(supervisor(), b.id, AT), 409, 'schedule_conflict');
  });

  it('of teacher, room and student are impossible for 40 parallel writers', async () => {
    const classes = await Promise.all(Array.from({ length: 8 }, () => classOf()));
    for (const { id } of classes) await enrolNow(supervisor(), id, 'everywhere');
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        postLesson(
          supervisor(),
          classes[n % 8]?.id ?? '',
          new Date(Date.parse('2035-01-01T08:00Z') + n * 900_000).toISOString(),
          {
            teacher_id: `hammer-${n % 3}`,
            room: `room-${n % 2}`,
          },
        ),
      ),
    );
    expect(new Set(answers.map((answer) => answer.body.code ?? answer.status))).toEqual(
      new Set([201, 'schedule_conflict']),
    );
    const overlaps = await fixture.sql(`
      select count(*)::int as n from clazz.lesson a join clazz.lesson b on a.org_id = b.org_id and a.id < b.id
        and tstzrange(a.starts_at, a.ends_at) && tstzrange(b.starts_at, b.ends_at)
      where a.starts_at between '2035-01-01' and '2035-01-03' and a.status <> 'cancelled' and b.status <> 'cancelled'`);
    expect(overlaps).toEqual([{ n: 0 }]);
  });

  it('of teacher and room are refused by database constraints', async () => {
    const { id } = await classOf('constraint');
    expectOk(await postLesson(supervisor(), id, '2036-01-01T10:00:00Z', { room: 'C' }), 201);
    const copy = (set: string) =>
      fixture.sql(`insert into clazz.lesson (org_id, id, clazz_id, teacher_id, room, starts_at, ends_at, zone, hours, status,
          created_at, updated_at)
        select org_id, gen_random_uuid(), clazz_id, ${set}, starts_at, ends_at, zone, hours, status, now(), now()
        from clazz.lesson where teacher_id = 'constraint'`);
    await expect(copy(`teacher_id, 'other'`)).rejects.toThrow(/lesson_teacher_free/);
    await expect(copy(`'other', room`)).rejects.toThrow(/lesson_room_free/);
  });
});

describe('a series', () => {
  it('is previewed with clashes and holidays, and is created completely or not at all', async () => {
    const { id, lead_teacher_id } = await classOf();
    expectOk(await supervisor().put('/clazz/holiday', { holidays: [{ date: '2033-01-10', name: '春节' }] }));
    expect(expectOk(await teacher(lead_teacher_id).get('/clazz/holiday')).holidays).toHaveLength(1);
    expectOk(await postLesson(supervisor(), id, '2033-01-17T17:30:00Z'), 201);
    const seen = expectOk(await preview(teacher(lead_teacher_id), id, { count: 3 }));
    expect(seen.skipped).toEqual([{ date: '2033-01-10', holiday: '春节' }]);
    expect(seen.occurrences.map((one) => [one.starts_at, one.conflicts.length])).toEqual([
      ['2033-01-03T17:00:00.000Z', 0],
      ['2033-01-17T17:00:00.000Z', 1],
      ['2033-01-24T17:00:00.000Z', 0],
    ]);
    expectRefusal(await series(supervisor(), id), 409, 'schedule_conflict');
    expect(expectOk(await supervisor().get(`/clazz/${id}/lesson`)).items).toHaveLength(1);
    const made = expectOk(await series(supervisor(), id, { skip_conflicts: true }), 201);
    expect(made.items).toHaveLength(2);
    expect(expectOk(await supervisor().get(`/clazz/${id}/lesson?series_id=${made.series_id}`)).items).toMatchObject(
      made.items,
    );
    expectOk(await supervisor().put('/clazz/holiday', { holidays: [] }));
  });

  it.each([
    ['COUNT in the rule', { rrule: 'FREQ=DAILY;COUNT=2' }, '/body/rrule'],
    ['the prefix RRULE', { rrule: 'RRULE:FREQ=DAILY' }, '/body/rrule'],
    ['an hourly rule', { rrule: 'FREQ=HOURLY' }, '/body/rrule'],
    ['both `until` and `count`', { until: '2033-02-01' }, '/body/count'],
    ['neither `until` nor `count`', { count: null }, '/body/count'],
    ['an unknown zone', { zone: 'Mars/Base' }, '/body/zone'],
  ])('refuses %s', async (_name, fields, path) => {
    const { id } = await classOf();
    const { errors } = expectRefusal(await series(supervisor(), id, fields), 400, 'invalid_request');
    expect(errors.map((error) => error.path)).toEqual([path]);
  });

  it('is edited and cancelled by scope: this, following or all, without its held lessons', async () => {
    const { id } = await classOf();
    const { items } = expectOk(await series(supervisor(), id, { count: 4, starts_on: '2033-03-14' }), 201);
    const [first = '', second = '', third = ''] = items.map((lesson) => lesson.id);
    await fixture.sql(`update clazz.lesson set status = 'held' where id = $1`, [first]);
    const patch = (lesson_id: string, scope: string, body: unknown) =>
      supervisor().patch(`/clazz/lesson/${lesson_id}?scope=${scope}`, body);
    expect(expectOk(await patch(second, 'this', { room: 'B' }))).toMatchObject({
      room: 'B',
      version: 2,
      changed_lessons: 1,
    });
    expectRefusal(await patch(first, 'this', { starts_at: '2033-03-15T17:00:00Z' }), 409, 'invalid_transition');
    // One hour later in local time; clocks change on 27 March 2033.
    const starts_at = '2033-03-21T18:00:00.000Z';
    expect(expectOk(await patch(second, 'all', { starts_at }))).toMatchObject({ starts_at, changed_lessons: 3 });
    const times = async () =>
      expectOk(await supervisor().get(`/clazz/${id}/lesson`)).items.map((row) => [row.starts_at, row.status]);
    expect(await times()).toEqual([
      ['2033-03-14T17:00:00.000Z', 'held'],
      ['2033-03-21T18:00:00.000Z', 'scheduled'],
      ['2033-03-28T17:00:00.000Z', 'scheduled'],
      ['2033-04-04T17:00:00.000Z', 'scheduled'],
    ]);
    // Each lesson moves to the time that the next one leaves in the same edit.
    expect(expectOk(await patch(second, 'all', { starts_at: '2033-03-28T17:00:00.000Z' })).changed_lessons).toBe(3);
    expectOk(await supervisor().post(`/clazz/lesson/${third}/cancel?scope=following`, { reason: 'strike' }));
    expect((await times()).map(([, status]) => status)).toEqual(['held', 'scheduled', 'cancelled', 'cancelled']);
    expectRefusal(await supervisor().post(`/clazz/lesson/${first}/cancel`), 400, 'invalid_request');
    expect(expectOk(await supervisor().post(`/clazz/lesson/${first}/cancel`, { reason: 'wrong class' }))).toMatchObject(
      {
        status: 'cancelled',
        cancelled_by: 'org',
        cancel_reason: 'wrong class',
      },
    );
    expectRefusal(await patch(first, 'this', { room: 'C' }), 409, 'invalid_transition');
    const stale = await supervisor().patch(`/clazz/lesson/${second}`, { room: 'C' }, { 'if-match': '"1"' });
    expectRefusal(stale, 412, 'version_mismatch');
  });

  it('moved across a clock change keeps each length, and moved back restores every time', async () => {
    const { id } = await classOf();
    const daily = { starts_on: '2033-03-25', start_time: '01:30', rrule: 'FREQ=DAILY', count: 4 };
    const { items } = expectOk(await series(supervisor(), id, daily), 201);
    const lessons = async () => expectOk(await supervisor().get(`/clazz/${id}/lesson`)).items;
    const times = async () => (await lessons()).map((it) => [it.starts_at, it.ends_at]);
    const before = await times();
    const move = async (n: number, starts_at: string) =>
      expectOk(await supervisor().patch(`/clazz/lesson/${items[n]?.id}?scope=all`, { starts_at }));
    await move(0, '2033-03-25T01:30:00.000Z');
    // On March 27 the clocks skip 02:30. The lesson is at 03:30, and its nominal time stays 02:30.
    expect(await times()).toEqual([
      ['2033-03-25T01:30:00.000Z', '2033-03-25T02:30:00.000Z'],
      ['2033-03-26T01:30:00.000Z', '2033-03-26T02:30:00.000Z'],
      ['2033-03-27T01:30:00.000Z', '2033-03-27T02:30:00.000Z'],
      ['2033-03-28T00:30:00.000Z', '2033-03-28T01:30:00.000Z'],
    ]);
    await move(3, '2033-03-27T23:30:00.000Z');
    expect(await times()).toEqual(before);
    await move(0, '2033-03-25T01:30:00.000Z');
    await move(2, items[2]?.starts_at ?? '');
    expect(await times()).toEqual(before);
    expect((await lessons())[0]).not.toHaveProperty('nominal_start');
    const { errors } = expectRefusal(
      await supervisor().patch(`/clazz/lesson/${items[0]?.id}?scope=all`, { starts_at: '2999-12-30T00:30:00Z' }),
      400,
      'invalid_request',
    );
    expect(errors).toEqual([{ path: '/body/starts_at', message: expect.stringContaining('1970 to 2999') }]);
  });

  it('names every problem of its rule', async () => {
    const { id } = await classOf();
    const refused = await series(supervisor(), id, { rrule: 'FREQ=HOURLY;BYMONTH=13;COUNT=2' });
    const { errors } = expectRefusal(refused, 400, 'invalid_request');
    expect(errors.map(({ message }) => message)).toEqual([
      'must not contain COUNT or UNTIL; use the fields count or until',
      'FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY',
      'BYMONTH must be numbers from 1 to 12',
    ]);
  });

  it('of 200 lessons for a class of 40 students is previewed and created in one call each', async () => {
    const { id } = await classOf();
    await enrolNow(supervisor(), id, ...Array.from({ length: 40 }, (_, n) => `big-${n}`));
    const spec = { count: 200, rrule: 'FREQ=DAILY', starts_on: '2037-01-01' };
    expect(expectOk(await preview(supervisor(), id, spec)).occurrences).toHaveLength(200);
    expect(expectOk(await series(supervisor(), id, spec), 201).items).toHaveLength(200);
    const [expected] = await fixture.sql('select count(*)::int as n from clazz.lesson_student where clazz_id = $1', [
      id,
    ]);
    expect(expected).toEqual({ n: 8_000 });
    const published = await fixture.events('clazz', clazzEvents.lessonChanged);
    const events = published.filter(({ aggregate_id }) => aggregate_id === id);
    expect(events.map(({ data }) => data.lessons.length)).toEqual([200]);
  });
});

describe('the lessons of the caller', () => {
  it('are those that the caller teaches, assists or attends, by start and within a range', async () => {
    const lead = newTeacher();
    const [a, b] = [await classOf(lead), await classOf()];
    await enrolNow(supervisor(), a.id, 'own-1');
    expectOk(await supervisor().put(`/clazz/${b.id}/assistants`, { teacher_ids: [lead] }));
    const days = ['2041-01-01', '2041-01-02', '2041-01-03'].map((day) => `${day}T10:00:00.000Z`);
    for (const day of days) expectOk(await postLesson(supervisor(), a.id, day), 201);
    expectOk(await postLesson(supervisor(), a.id, '2019-01-01T10:00:00.000Z'), 201);
    expectOk(await postLesson(supervisor(), b.id, '2041-01-01T12:00:00.000Z'), 201);
    const myLessons = async (api: Api, query: Request<typeof lessonCalls.listMyLessons>['query'] = {}) =>
      (await api.ok(lessonCalls.listMyLessons, { query })).items.map((row) => row.starts_at);
    expect(await myLessons(student('own-1'))).toEqual(days);
    expect(await myLessons(teacher(lead), { from: '2041-01-01T00:00:00Z' })).toEqual([
      days[0],
      '2041-01-01T12:00:00.000Z',
      days[1],
      days[2],
    ]);
    expect(await myLessons(teacher(lead), { from: '2041-01-01T10:30:00Z', to: days[1] })).toEqual([
      days[0],
      '2041-01-01T12:00:00.000Z',
    ]);
    expect(await myLessons(student('nobody'))).toEqual([]);
  });
});
