import {
  closureCalls,
  enrolmentCalls,
  holidayCalls,
  leaveCalls,
  type Lesson,
  lessonCalls,
  seriesCalls,
} from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf, expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { brokenInvariants } from './invariants.ts';
import { MONDAY, startSchool, type School } from './test-school.ts';

let fixture: Fixture;
let school: School;
const clock = clockAt(MONDAY);
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clock));
});
afterAll(() => fixture?.stop());

const REASON = 'burst pipe';
let week = 0;
/** A week that no other test uses, as a function from hours after its start to hours from now. */
const nextWeek = () => {
  week += 1;
  const start = week * 24 * 7;
  return (hours: number): number => start + hours;
};
const at = (hours: number): string => clock.after(hours * HOUR_MS);
const postClosure = (body: Record<string, unknown>) =>
  school.supervisor.post('/clazz/closure', { reason: REASON, ...body });
const createClosure = async (body: Record<string, unknown>) => expectOk(await postClosure(body));
const lessonOf = (lesson_id: string): Promise<Lesson> =>
  school.supervisor.ok(lessonCalls.getLesson, { path: { lesson_id } });
const ids = (lessons: readonly { id: string }[]) => lessons.map(({ id }) => id).toSorted();

describe('a closure', () => {
  it('cancels lessons of all classes that overlap the half-open range, and changes nothing when repeated', async () => {
    const hour = nextWeek();
    const clazzes = [await school.classOf([], { name: 'Algebra' }), await school.classOf([], { name: 'Botany' })];
    const [a = '', b = ''] = clazzes;
    const inside = [await school.lesson(a, hour(9.5)), await school.lesson(b, hour(11.5))];
    const touching = [await school.lesson(a, hour(9 - 1 / 60)), await school.lesson(b, hour(12))];
    const before = await school.lesson(b, hour(9));
    const body = { from: at(hour(10)), to: at(hour(12)) };
    // One touching lesson ends at the start of the range, the other begins at its end.
    const fitted = { ...body, from: touching[0]?.ends_at ?? '', to: touching[1]?.starts_at ?? '' };
    const preview = await createClosure({ ...fitted, preview: true });
    expect(preview.failed).toEqual([]);
    expect(ids(preview.items ?? [])).toEqual(ids([...inside, before]));
    expect((await lessonOf(before.id)).status).toBe('scheduled');
    const done = await createClosure(fitted);
    expect(ids(done.items ?? [])).toEqual(ids([...inside, before]));
    expect(done.items).toMatchObject([
      { id: before.id, clazz_name: 'Botany' },
      { id: inside[0]?.id, clazz_name: 'Algebra', status: 'cancelled', cancelled_by: 'org', cancel_reason: REASON },
      { id: inside[1]?.id, version: 2 },
    ]);
    expect(await createClosure(fitted)).toEqual({ items: [], failed: [] });
    expect(await lessonOf(before.id)).toMatchObject({ status: 'cancelled', version: 2 });
    for (const { id } of touching) expect((await lessonOf(id)).status).toBe('scheduled');
  });

  it('can be limited to classes, a teacher or a room', async () => {
    const hour = nextWeek();
    const a = await school.classOf([]);
    const b = await school.classOf([]);
    const [one, two, three] = [
      await school.lesson(a, hour(1), { teacher_id: 'closing-ann', room: 'Aula' }),
      await school.lesson(b, hour(1), { teacher_id: 'closing-bob', room: 'Cellar' }),
      await school.lesson(b, hour(3), { teacher_id: 'closing-bob', room: 'Aula' }),
    ];
    const range = { from: at(hour(0)), to: at(hour(20)), preview: true };
    expect(ids((await createClosure({ ...range, clazz_ids: [b] })).items ?? [])).toEqual(ids([two, three]));
    expect(ids((await createClosure({ ...range, room: 'Aula' })).items ?? [])).toEqual(ids([one, three]));
    const closureOfTeacher = await createClosure({ ...range, teacher_id: 'closing-bob', room: 'Aula', preview: false });
    expect(closureOfTeacher.items).toMatchObject([{ id: three.id, cancelled_by: 'teacher' }]);
    const unknown = expectRefusal(await postClosure({ ...range, clazz_ids: [b, one.id] }), 404, 'not_found');
    expect(unknown.errors).toEqual([{ path: '/body/clazz_ids/1', message: 'does not exist' }]);
    expectRefusal(await postClosure({ ...range, to: range.from }), 400, 'invalid_request');
    expectRefusal(await school.supervisor.post('/clazz/closure', range), 400, 'invalid_request');
    expectRefusal(await school.teacher.post('/clazz/closure', { ...range, reason: REASON }), 403, 'forbidden');
    const elsewhere = fixture.as({ role: 'SUPERVISOR', org: crypto.randomUUID() });
    expect(
      await elsewhere.ok(closureCalls.createClosure, { body: { ...range, reason: REASON, preview: false } }),
    ).toEqual({
      items: [],
      failed: [],
    });
    expect((await lessonOf(one.id)).status).toBe('scheduled');
  });

  it('ends leave and promotes waiting students as a single cancellation does, and keeps held lessons', async () => {
    const hour = nextWeek();
    const [student = '', waiting = '', guest = ''] = school.students(3);
    const clazz = await school.classOf([student]);
    const busy = await school.classOf([waiting]);
    const full = await school.classOf(school.students(1), { capacity: 2 });
    const path = { id: full };
    const lesson = await school.lesson(clazz, hour(30));
    const clashing = await school.lesson(busy, hour(40));
    await school.lesson(full, hour(40));
    const body = { student_id: student, lesson_id: lesson.id, reason: 'a trip' };
    const [leave] = (await school.supervisor.ok(leaveCalls.requestLeave, { body })).items;
    // The student `waiting` is passed over: their own class has a lesson at the same time.
    const wanted = { path, body: { student_ids: [guest], waitlist: true } };
    await school.supervisor.ok(enrolmentCalls.enrolStudents, wanted);
    await school.supervisor.ok(enrolmentCalls.enrolStudents, {
      path,
      body: { student_ids: [waiting], waitlist: true },
    });
    await school.supervisor.ok(enrolmentCalls.withdrawEnrolment, { path: { id: full, student_id: guest } });
    const statusOf = async () =>
      (await school.supervisor.ok(enrolmentCalls.listEnrolments, { path })).items.find(
        (row) => row.student_id === waiting,
      )?.status;
    expect(await statusOf()).toBe('waiting');
    const range = { from: at(hour(30)), to: at(hour(50)), clazz_ids: [clazz, busy] };
    expect(ids((await createClosure(range)).items ?? [])).toEqual(ids([lesson, clashing]));
    const left = await school.supervisor.ok(leaveCalls.listLeaves, { query: { student_id: student } });
    expect(left.items).toMatchObject([{ id: leave?.id, status: 'cancelled' }]);
    expect(await statusOf()).toBe('active');
    const held = await school.lesson(clazz, -2);
    expectOk(await school.submit(held.id, { [student]: 'present' }));
    expect((await createClosure({ from: at(-3), to: at(-1), clazz_ids: [clazz] })).items).toEqual([]);
    expect((await lessonOf(held.id)).status).toBe('held');
    expect(await brokenInvariants(fixture)).toEqual([]);
  });

  it('reports a closed class as failed, and cancels the lessons of the others', async () => {
    const hour = nextWeek();
    const over = await school.classOf([]);
    const clazz = await school.classOf([]);
    const forgotten = await school.lesson(over, hour(2));
    const lesson = await school.lesson(clazz, hour(2));
    const range = { from: at(hour(0)), to: at(hour(4)) };
    await school.runHoursLater(hour(10), async () => {
      expectOk(await school.supervisor.post(`/clazz/${over}/complete`, { force: true, reason: 'nobody came' }));
    });
    const failed = [{ clazz_id: over, code: 'clazz_closed' }];
    expect(await createClosure({ ...range, preview: true })).toMatchObject({ items: [{ id: lesson.id }], failed });
    expect(await createClosure(range)).toMatchObject({ items: [{ id: lesson.id }], failed });
    expect((await lessonOf(forgotten.id)).status).toBe('scheduled');
  });

  it('is replayed under its Idempotency-Key with the same consistency token, without further events', async () => {
    const hour = nextWeek();
    const clazzes = [await school.classOf([]), await school.classOf([]), await school.classOf([])];
    for (const [n, clazz] of clazzes.entries()) await school.lesson(clazz, hour(n));
    const body = { from: at(hour(0)), to: at(hour(9)), reason: REASON };
    const headers = { 'idempotency-key': 'closing' };
    const first = await school.supervisor.post('/clazz/closure', body, headers);
    expect(expectOk(first).items).toHaveLength(3);
    const again = await school.supervisor.post('/clazz/closure', body, headers);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('x-consistency-token')).toBe(first.headers.get('x-consistency-token'));
    const events = await fixture.sql(
      `select 1 from clazz.log_entry where type = 'clazz.lesson.changed.v1' and aggregate_id = any($1::text[])
         and data::text like '%"cancelled"%'`,
      [clazzes],
    );
    expect(events).toHaveLength(3);
  });
});

describe('a closure in parallel with roll calls', () => {
  it('leaves each lesson either held and charged, or cancelled and not charged', async () => {
    const students = school.students(4);
    const clazzes = await Promise.all(students.map((student) => school.classOf([student])));
    const lessons = await Promise.all(
      clazzes.flatMap((clazz) => [-9, -7, -5].map((hours) => school.lesson(clazz, hours))),
    );
    const studentOf = (lesson: Lesson): string => students[clazzes.indexOf(lesson.clazz_id)] ?? '';
    const range = { from: at(-10), to: at(0), clazz_ids: clazzes };
    const [answers, closures] = await Promise.all([
      Promise.all(lessons.map((lesson) => school.submit(lesson.id, { [studentOf(lesson)]: 'present' }))),
      Promise.all([createClosure(range), createClosure(range)]),
    ]);
    const cancelled = closures.flatMap((done) => done.items ?? []);
    expect(closures.map((done) => done.failed)).toEqual([[], []]);
    const states = await Promise.all(lessons.map((lesson) => lessonOf(lesson.id)));
    expect(ids(cancelled)).toEqual(ids(states.filter((lesson) => lesson.status === 'cancelled')));
    for (const [n, answer] of answers.entries()) {
      expect([codeOf(answer), states[n]?.status]).toEqual(
        answer.status === 200 ? ['200', 'held'] : [codeOf(answer), 'cancelled'],
      );
    }
    for (const student of students) {
      const held = states.filter((lesson) => lesson.status === 'held' && studentOf(lesson) === student);
      const charged = (await school.entries(student)).filter((entry) => entry.kind === 'consume');
      expect(charged.map((entry) => entry.lesson_id).toSorted()).toEqual(ids(held));
    }
    expect(await brokenInvariants(fixture)).toEqual([]);
  });
});

describe('holidays', () => {
  const zone = 'Asia/Shanghai';
  it('cancel the lessons of their days in the organization’s zone if `lessons` is `cancel`', async () => {
    await school.setPolicy({ zone });
    const clazz = await school.classOf([]);
    const lesson = async (starts_at: string) =>
      expectOk(
        await school.supervisor.post(`/clazz/${clazz}/lesson`, {
          starts_at,
          ends_at: new Date(Date.parse(starts_at) + HOUR_MS).toISOString(),
        }),
        201,
      );
    const before = await lesson('2027-10-01T14:59:00+08:00');
    const first = await lesson('2027-10-02T00:00:00+08:00');
    const second = await lesson('2027-10-05T23:30:00+08:00');
    const after = await lesson('2027-10-06T23:30:00+08:00');
    const holidays = [
      { date: '2027-10-02', name: 'National Day' },
      { date: '2027-10-05', name: 'Another' },
    ];
    const stored = await school.supervisor.ok(holidayCalls.putHolidays, { body: { holidays } });
    expect(stored).toEqual({ holidays });
    expect((await lessonOf(first.id)).status).toBe('scheduled');
    const done = await school.supervisor.ok(holidayCalls.putHolidays, {
      query: { lessons: 'cancel' },
      body: { holidays },
    });
    expect(done).toMatchObject({
      holidays,
      items: [
        { id: first.id, cancel_reason: 'National Day', cancelled_by: 'org' },
        { id: second.id, cancel_reason: 'Another' },
      ],
      failed: [],
    });
    for (const { id } of [before, after]) expect((await lessonOf(id)).status).toBe('scheduled');
    const withDuplicate = { holidays: [...holidays, { date: '2027-10-02', name: 'again' }] };
    expectRefusal(await school.supervisor.put('/clazz/holiday?lessons=cancel', withDuplicate), 400, 'invalid_request');
    expectRefusal(await school.supervisor.put('/clazz/holiday?lessons=drop', { holidays }), 400, 'invalid_request');
    await school.setPolicy({});
  });

  it('are skipped by series, cancelled and shown by a check on the same days, also in another zone', async () => {
    await school.setPolicy({ zone: 'UTC' });
    const holidays = [{ date: '2027-01-01', name: 'New Year' }];
    const daily = {
      starts_on: '2026-12-30',
      start_time: '08:00',
      duration_minutes: 60,
      zone: 'Pacific/Kiritimati',
      rrule: 'FREQ=DAILY',
      until: '2027-01-04',
    };
    await school.supervisor.ok(holidayCalls.putHolidays, { body: { holidays: [] } });
    const [all, without] = [await school.classOf([]), await school.classOf([])];
    const made = await school.supervisor.ok(seriesCalls.createLessonSeries, { path: { id: all }, body: daily });
    await school.supervisor.ok(holidayCalls.putHolidays, { body: { holidays } });
    // 08:00 on January 2 in Kiritimati is 18:00 on January 1 in UTC.
    const skipping = await school.supervisor.ok(seriesCalls.createLessonSeries, {
      path: { id: without },
      body: { ...daily, teacher_id: 'another' },
    });
    expect(skipping.skipped).toEqual([{ date: '2027-01-02', holiday: 'New Year' }]);
    const kept = new Set(skipping.items.map((it) => it.starts_at));
    const onHoliday = made.items.filter((it) => !kept.has(it.starts_at));
    expect(onHoliday.map((it) => it.starts_at)).toEqual(['2027-01-01T18:00:00.000Z']);
    const checked = await Promise.all(
      made.items.map(({ id, starts_at, ends_at }) =>
        school.supervisor.ok(lessonCalls.checkLesson, {
          path: { id: all },
          body: { lesson_id: id, scope: 'this', starts_at, ends_at },
        }),
      ),
    );
    expect(checked.map(({ holiday }) => holiday)).toEqual(
      made.items.map((it) => (kept.has(it.starts_at) ? null : 'New Year')),
    );
    const query = { lessons: 'cancel' as const };
    const done = await school.supervisor.ok(holidayCalls.putHolidays, { query, body: { holidays } });
    expect(done.items?.map((it) => it.id)).toEqual(onHoliday.map((it) => it.id));
    await school.supervisor.ok(holidayCalls.putHolidays, { body: { holidays: [] } });
    await school.setPolicy({});
  });
});
