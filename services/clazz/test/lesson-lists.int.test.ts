import { type Lesson, lessonCalls, type Request } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { MONDAY, startSchool, type School } from './test-school.ts';
import { transactionStatements } from './count-statements.ts';

const clock = clockAt(MONDAY);
let fixture: Fixture;
let school: School;
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clock));
});
afterAll(() => fixture?.stop());

type LessonQuery = Request<typeof lessonCalls.listLessons>['query'];
const listed = async (query: LessonQuery, api: Api = school.supervisor) =>
  (await api.ok(lessonCalls.listLessons, { query })).items;
const ids = (rows: readonly { id: string }[]): string[] => rows.map((row) => row.id);

describe('lessons of all classes', () => {
  /** Two classes: Ann and Ben in the first, Cem in the second, where Ann makes up for a lesson she missed. */
  let one: string;
  let two: string;
  let ann: string;
  let ben: string;
  let cem: string;
  let past: Lesson;
  let missed: Lesson;
  let hosting: Lesson;
  let cancelled: Lesson;
  let substitute: string;
  beforeAll(async () => {
    [ann, ben, cem] = school.students(3) as [string, string, string];
    one = await school.classOf([ann, ben], { name: 'Algebra', lead_teacher_id: 'teacher-1', capacity: 3 });
    two = await school.classOf([cem], { name: 'Botany', lead_teacher_id: 'teacher-2' });
    past = await school.lesson(one, -5, { teacher_id: 'teacher-1', room: 'A' });
    missed = await school.lesson(one, 30, { room: 'A' });
    hosting = await school.lesson(two, 40, { room: 'B' });
    substitute = hosting.teacher_id;
    cancelled = await school.lesson(two, 50);
    expectOk(await school.supervisor.post(`/clazz/lesson/${cancelled.id}/cancel`, { reason: 'a burst pipe' }));
    const [leave] = expectOk(
      await school.student(ann).post('/clazz/leave', { lesson_id: missed.id, reason: 'ill' }),
      201,
    ).items;
    expectOk(await school.supervisor.post(`/clazz/leave/${leave?.id}/approve`));
    expectOk(await school.student(ann).post(`/clazz/leave/${leave?.id}/make-up`, { lesson_id: hosting.id }));
  });

  it('and classes contain the names of teachers, and null for a teacher who is not in the directory', async () => {
    const { supervisor } = school;
    const members = [{ user_id: 'teacher-1', role: 'TEACHER', display_name: 'Li Wei' } as const];
    expectOk(await supervisor.put('/ws/member/bulk', { members }));
    expectOk(await supervisor.put(`/clazz/${one}/assistants`, { teacher_ids: ['tim', 'teacher-9'] }));
    const [first, , third] = await listed({});
    expect(first).toMatchObject({ clazz_name: 'Algebra', teacher_id: 'teacher-1', teacher_name: 'Li Wei' });
    expect(third).toMatchObject({ clazz_name: 'Botany', teacher_name: null });
    const same = { id: past.id, clazz_name: 'Algebra', teacher_name: 'Li Wei' };
    expect(expectOk(await supervisor.get(`/clazz/lesson/${past.id}`))).toMatchObject(same);
    expect(expectOk(await supervisor.get(`/clazz/${one}/lesson?limit=1`)).items).toMatchObject([same]);
    expect(expectOk(await school.student(ann).get('/clazz/lesson/my?limit=1')).items).toMatchObject([same]);
    const shown = { lead_teacher_name: 'Li Wei', assistant_ids: ['tim', 'teacher-9'], assistant_names: [null, null] };
    expect(expectOk(await supervisor.get(`/clazz/${one}`))).toMatchObject(shown);
    expect(expectOk(await supervisor.get('/clazz?teacher_id=tim')).items).toMatchObject([shown]);
  });

  it('are listed by start with class names and seats, including cancelled ones', async () => {
    const rows = await listed({});
    expect(ids(rows)).toEqual(ids([past, missed, hosting, cancelled]));
    expect(rows.map((row) => row.clazz_name)).toEqual(['Algebra', 'Algebra', 'Botany', 'Botany']);
    expect(rows[1]).toMatchObject({ ...missed, enrolled: 2, guests: 0, capacity: 3, free: 1 });
    expect(rows[2]).toMatchObject({ enrolled: 1, guests: 1, capacity: null, free: null });
    expect(rows[3]).toMatchObject({ status: 'cancelled', cancel_reason: 'a burst pipe' });
    expect(ids(await listed({ sort: '-starts_at' }))).toEqual(ids(rows).toReversed());
  });

  it('are filtered by class, teacher, student, room and status, with several values each', async () => {
    expect(ids(await listed({ clazz_id: one }))).toEqual(ids([past, missed]));
    expect(ids(await listed({ clazz_id: `${one},${two}` }))).toHaveLength(4);
    expect(ids(await listed({ teacher_id: substitute }))).toEqual([hosting.id]);
    expect(ids(await listed({ teacher_id: 'teacher-2' }))).toEqual([]);
    expect(ids(await listed({ teacher_id: `${substitute},teacher-1` }))).toEqual(ids([past, hosting]));
    expect(ids(await listed({ student_id: ann }))).toEqual(ids([past, missed, hosting]));
    expect(ids(await listed({ student_id: cem }))).toEqual(ids([hosting, cancelled]));
    expect(ids(await listed({ student_id: `${ben},${cem}` }))).toHaveLength(4);
    expect(ids(await listed({ room: 'B' }))).toEqual([hosting.id]);
    expect(ids(await listed({ room: 'A,B' }))).toEqual(ids([past, missed, hosting]));
    expect(ids(await listed({ status: 'cancelled' }))).toEqual([cancelled.id]);
    expect(ids(await listed({ status: 'scheduled,held', clazz_id: two }))).toEqual([hosting.id]);
    expectRefusal(await school.supervisor.get('/clazz/lesson?status=scheduled,gone'), 400, 'invalid_request');
    expect(await listed({ clazz_id: past.id })).toEqual([]);
  });

  it('are those that overlap the half-open range', async () => {
    const { starts_at, ends_at } = hosting;
    const inside = school.inHours(40.5);
    expect(ids(await listed({ from: inside, to: inside }))).toEqual([hosting.id]);
    expect(ids(await listed({ from: ends_at, to: cancelled.starts_at }))).toEqual([]);
    expect(ids(await listed({ from: missed.ends_at, to: ends_at }))).toEqual([hosting.id]);
    expect(ids(await listed({ to: starts_at }))).toEqual(ids([past, missed]));
  });

  it('are filtered by their free seats', async () => {
    expect(ids(await listed({ min_free: '1' }))).toEqual(ids([past, missed, hosting, cancelled]));
    expect(ids(await listed({ min_free: '2' }))).toEqual(ids([hosting, cancelled]));
  });

  it('are filtered by the state of their roll call, and agree with the list of missing roll calls', async () => {
    const before = await school.supervisor.get('/clazz/roll-call/missing');
    expect(ids(await listed({ roll_call: 'missing' }))).toEqual([past.id]);
    expect(ids(expectOk(before).items)).toEqual([past.id]);
    expect(singleElement(await listed({ clazz_id: one, to: school.inHours(0) })).marks).toMatchObject({
      present: 0,
      unmarked: 2,
    });
    expectOk(await school.submit(past.id, { [ann]: 'late' }));
    expect(ids(await listed({ roll_call: 'missing' }))).toEqual([]);
    const incomplete = singleElement(await listed({ roll_call: 'incomplete' }));
    expect(incomplete.marks).toEqual({ present: 0, late: 1, absent: 0, leave: 0, makeup: 0, trial: 0, unmarked: 1 });
    expect(ids(await listed({ roll_call: 'missing,incomplete' }))).toEqual([past.id]);
    expectOk(await school.submit(past.id, { [ann]: 'present', [ben]: 'absent' }));
    expect(await listed({ roll_call: 'missing,incomplete' })).toEqual([]);
    const done = singleElement(await listed({ roll_call: 'done' }));
    expect(done.marks).toEqual({ present: 1, late: 0, absent: 1, leave: 0, makeup: 0, trial: 0, unmarked: 0 });
    expect(ids(await listed({ roll_call: 'done,missing' }))).toEqual([past.id]);
  });

  it('are for students only their own, without data of other students', async () => {
    const me = school.student(ann);
    const rows = await listed({}, me);
    expect(ids(rows)).toEqual(ids([past, missed, hosting]));
    expect(ids(await listed({ student_id: ann, clazz_id: two }, me))).toEqual([hosting.id]);
    expect(rows[0]?.marks).toMatchObject({ present: 1, absent: 0, unmarked: 0 });
    expect(rows[1]?.marks).toMatchObject({ unmarked: 1 });
    for (const student_id of [ben, `${ann},${ben}`]) {
      expectRefusal(await me.get(`/clazz/lesson?student_id=${student_id}`), 403, 'forbidden');
    }
    const [hidden] = await listed({ status: 'cancelled' }, school.student(cem));
    expect(hidden).toMatchObject({ id: cancelled.id, cancel_reason: null });
    expect(ids(await listed({ student_id: cem }, school.teacher))).toEqual(ids([hosting, cancelled]));
  });

  it('take one statement and one audit entry, found in the audit log of each class', async () => {
    const sent = await transactionStatements(
      /as clazz_name/,
      async () => void (await listed({ from: school.inHours(0) })),
    );
    // The statements are begin, the list, the audit entry and commit.
    expect(sent.filter((text) => /\bfrom\b/.test(text) && /^\s*(select|with)/.test(text))).toHaveLength(1);
    expect(sent.length).toBeLessThanOrEqual(4);
    for (const id of [one, two]) {
      const lastRead = async () =>
        expectOk(await school.supervisor.get(`/clazz/${id}/audit-log?action=read&entity=lesson&limit=1`)).items[0];
      await expect.poll(async () => (await lastRead())?.clazz_ids).toEqual([one, two].toSorted());
    }
  });
});

describe('classes', () => {
  it('are filtered by lead teacher or assistant, student, course and several statuses', async () => {
    const { supervisor } = school;
    const [student] = school.students(1) as [string];
    const course_id: string = expectOk(await supervisor.post('/ws/course', { title: 'Chemistry' }), 201).id;
    const led = await school.classOf([student], { name: 'Led', lead_teacher_id: 'lou', course_id });
    const assisted = await school.classOf([], { name: 'Assisted', lead_teacher_id: 'max' });
    const other = await school.classOf([], { name: 'Other', lead_teacher_id: 'max', course_id });
    expectOk(await supervisor.put(`/clazz/${assisted}/assistants`, { teacher_ids: ['lou'] }));
    expectOk(await supervisor.post(`/clazz/${other}/cancel`));
    const found = async (query: string, api: Api = supervisor) =>
      ids(expectOk(await api.get(`/clazz?sort=created_at&${query}`)).items);
    expect(await found('teacher_id=lou')).toEqual([led, assisted]);
    expect(await found('teacher_id=lou,max')).toEqual([led, assisted, other]);
    expect(await found('lead_teacher_id=max')).toEqual([assisted, other]);
    expect(await found(`student_id=${student}`)).toEqual([led]);
    expect(await found(`course_id=${course_id}`)).toEqual([led, other]);
    expect(await found(`course_id=${course_id}&status=draft,cancelled`)).toEqual([other]);
    expect(await found('teacher_id=lou&status=active,draft')).toEqual([led, assisted]);
    const me = school.student(student);
    expect(await found(`student_id=${student}`, me)).toEqual([led]);
    expectRefusal(await me.get('/clazz?student_id=another-student'), 403, 'forbidden');
  });
});
