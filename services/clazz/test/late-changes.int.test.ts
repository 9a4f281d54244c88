import type { Leave } from '@teaching/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { brokenInvariants } from './invariants.ts';
import { MONDAY, startSchool, type School } from './test-school.ts';

const clock = clockAt(Date.parse(MONDAY));
let fixture: Fixture;
let school: School;
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clock));
});
afterAll(() => fixture?.stop());

let ann: string;
let bob: string;
let clazz_id: string;
beforeEach(async () => {
  clock.reset();
  await school.setPolicy({});
  [ann, bob] = school.students(2) as [string, string];
  clazz_id = await school.classOf([ann, bob]);
});

const DAY = 24;
const requestLeave = async (student_id: string, lesson_id: string): Promise<Leave> =>
  singleElement(
    expectOk(await school.teacher.post('/clazz/leave', { student_id, lesson_id, reason: 'ill' }), 201).items,
  );
const heldLesson = async (hours: number, marks: Record<string, string>) => {
  const lesson = await school.lesson(clazz_id, hours);
  expectOk(await school.submit(lesson.id, marks));
  return lesson;
};

describe('a change that re-derives a held lesson', () => {
  it('of its hours is allowed to teachers in the edit window, and later to a supervisor with a reason', async () => {
    const lesson = await heldLesson(-3, { [ann]: 'present', [bob]: 'present' });
    const path = `/clazz/lesson/${lesson.id}` as const;
    expectOk(await school.teacher.patch(path, { hours: '2.00' }));
    expect(await school.balance(ann)).toBe('-2.00');
    school.passHours(8 * DAY);
    expectRefusal(await school.teacher.patch(path, { hours: '1.00' }), 409, 'edit_window_over');
    expectRefusal(await school.teacher.patch(path, { hours: '1.00', reason: 'x' }), 409, 'edit_window_over');
    expectRefusal(await school.supervisor.patch(path, { hours: '1.00' }), 400, 'invalid_request');
    expectOk(await school.supervisor.patch(path, { room: 'B' }));
    expectOk(await school.supervisor.patch(path, { hours: '1.00', reason: 'a typing error' }));
    expect(await school.balance(ann)).toBe('-1.00');
  });

  it('is refused without enough hours if overdraft is forbidden, but never if it only gives hours back', async () => {
    await school.grant(ann, '1');
    const lesson = await heldLesson(-3, { [ann]: 'present' });
    await school.setPolicy({ hours: { overdraft: 'forbid' } });
    const path = `/clazz/lesson/${lesson.id}` as const;
    expectRefusal(await school.teacher.patch(path, { hours: '2.00' }), 409, 'insufficient_hours');
    expect(await school.balance(ann)).toBe('0.00');
    expectOk(await school.teacher.patch(path, { hours: '0.50' }));
    expect(await school.balance(ann)).toBe('0.50');
  });

  it('by leave needs a supervisor with a reason after the edit window, or if the student was present', async () => {
    const lesson = await heldLesson(-3, { [ann]: 'present', [bob]: 'absent' });
    const [presentLeave, absentLeave] = [await requestLeave(ann, lesson.id), await requestLeave(bob, lesson.id)];
    const approve = (id: string) => `/clazz/leave/${id}/approve` as const;
    expectRefusal(await school.teacher.post(approve(presentLeave.id), { reason: 'x' }), 409, 'already_attended');
    expectRefusal(await school.supervisor.post(approve(presentLeave.id)), 409, 'already_attended');
    expectOk(await school.supervisor.post(approve(presentLeave.id), { reason: 'a wrong mark' }));
    expect(await school.balance(ann)).toBe('-0.50');
    school.passHours(8 * DAY);
    expectRefusal(await school.teacher.post(approve(absentLeave.id), { reason: 'x' }), 409, 'edit_window_over');
    expectRefusal(await school.supervisor.post(approve(absentLeave.id)), 400, 'invalid_request');
    expectRefusal(await school.teacher.post(`/clazz/leave/${absentLeave.id}/reject`), 409, 'edit_window_over');
    expectRefusal(await school.student(bob).post(`/clazz/leave/${absentLeave.id}/cancel`), 409, 'edit_window_over');
    const late = { student_id: bob, lesson_id: (await school.lesson(clazz_id, -10 * DAY)).id, reason: 'ill' };
    expectOk(
      await school.supervisor.put(`/clazz/lesson/${late.lesson_id}/roll-call`, {
        marks: [
          { student_id: ann, mark: 'absent' },
          { student_id: bob, mark: 'absent' },
        ],
        reason: 'forgotten',
      }),
    );
    expectRefusal(await school.teacher.post('/clazz/leave', late), 409, 'edit_window_over');
    expectOk(await school.supervisor.post(approve(absentLeave.id), { reason: 'a letter came' }));
    expect(await school.balance(bob)).toBe('-1.50');
  });

  it('by a backdated enrolment needs a supervisor with a reason after the edit window', async () => {
    const lesson = await school.lesson(clazz_id, 30);
    const leave = await requestLeave(ann, lesson.id);
    expectOk(await school.teacher.post(`/clazz/leave/${leave.id}/approve`));
    expectOk(await school.supervisor.post(`/clazz/${clazz_id}/student/${ann}/withdraw`));
    school.passHours(31);
    expectOk(await school.submit(lesson.id, { [bob]: 'present' }));
    school.passHours(8 * DAY);
    const back = { student_ids: [ann], since: school.inHours(-9 * DAY) };
    expectRefusal(await school.teacher.post(`/clazz/${clazz_id}/student`, back), 409, 'edit_window_over');
    expectRefusal(await school.supervisor.post(`/clazz/${clazz_id}/student`, back), 400, 'invalid_request');
    expectOk(
      await school.supervisor.post(`/clazz/${clazz_id}/student`, { ...back, reason: 'withdrawn by mistake' }),
      201,
    );
    const { marks } = await school.rollCall(lesson.id);
    expect(marks.find((row) => row.student_id === ann)).toMatchObject({ mark: 'leave' });
  });
});

describe('the edit window and the expiry of credits', () => {
  it('count days in the organization’s zone, where a credit ends with its last day', async () => {
    await school.setPolicy({ zone: 'Europe/Berlin' });
    // The lesson ends on Friday 27 March 2026 at 11:00 in Berlin. Clocks go forward by an hour on the 29th.
    const lesson = await school.lesson(clazz_id, 25 * DAY - 1, { hours: '1.00' });
    expect(lesson.ends_at).toBe('2026-03-27T10:00:00.000Z');
    const away = await requestLeave(bob, lesson.id);
    const { make_up } = expectOk(await school.teacher.post(`/clazz/leave/${away.id}/approve`));
    // 60 days later is Tuesday 26 May, in summer time. The credit expires when that day ends in Berlin.
    expect(make_up?.expires_at).toBe('2026-05-26T22:00:00.000Z');
    school.passHours(25 * DAY);
    expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
    const path = `/clazz/lesson/${lesson.id}` as const;
    school.passHours(7 * DAY - 1);
    expectOk(await school.teacher.patch(path, { hours: '2.00' }));
    school.passHours(0.01);
    expectRefusal(await school.teacher.patch(path, { hours: '1.00' }), 409, 'edit_window_over');
    expectOk(await school.supervisor.post(`/clazz/leave/${away.id}/cancel`, { reason: 'a mistake' }));
    // The approval is after midnight in Berlin, but before midnight in UTC.
    const late = await school.lesson(clazz_id, -3);
    const requested = await requestLeave(ann, late.id);
    await school.runHoursLater(13.4, async () => {
      const approved = expectOk(await school.teacher.post(`/clazz/leave/${requested.id}/approve`));
      expect(approved.make_up?.expires_at).toBe('2026-06-03T22:00:00.000Z');
    });
  });
});

describe('an incomplete roll call', () => {
  it('is listed as missing with its unmarked students, and blocks completion until all are marked', async () => {
    const lesson = await heldLesson(-3, { [ann]: 'present' });
    const missing = async () =>
      expectOk(await school.supervisor.get(`/clazz/roll-call/missing?clazz_id=${clazz_id}`)).items.map((row) => [
        row.id,
        row.unmarked,
      ]);
    expect(await missing()).toEqual([[lesson.id, [bob]]]);
    const complete = () => school.supervisor.post(`/clazz/${clazz_id}/complete`);
    const { blockers } = expectRefusal(await complete(), 409, 'completion_blocked');
    expect(blockers).toMatchObject([{ kind: 'roll_call_missing', lesson_id: lesson.id }]);
    const [cid] = school.students(1) as [string];
    const back = { student_ids: [cid], since: school.inHours(-DAY) };
    expectOk(await school.supervisor.post(`/clazz/${clazz_id}/student`, back), 201);
    expectOk(await school.submit(lesson.id, { [bob]: 'late' }));
    expect(await missing()).toEqual([]);
    expectOk(await complete());
  });

  it('becomes complete when leave of the unmarked student is approved', async () => {
    const lesson = await school.lesson(clazz_id, -3);
    const leave = await requestLeave(bob, lesson.id);
    expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
    expectOk(await school.supervisor.post(`/clazz/leave/${leave.id}/approve`));
    expect(expectOk(await school.supervisor.get(`/clazz/roll-call/missing?clazz_id=${clazz_id}`)).items).toEqual([]);
  });
});

describe('leave', () => {
  it('for a lesson of a completed class is refused with `clazz_closed`, and with 404 to outsiders', async () => {
    const lesson = await school.lesson(clazz_id, 30);
    expectOk(await school.supervisor.post(`/clazz/${clazz_id}/complete`, { force: true, reason: 'end' }));
    const body = { lesson_id: lesson.id, reason: 'ill' };
    expectRefusal(await school.student(ann).post('/clazz/leave', body), 409, 'clazz_closed');
    expectRefusal(await school.teacher.post('/clazz/leave', { ...body, student_id: ann }), 409, 'clazz_closed');
    expectRefusal(await school.student('outsider').post('/clazz/leave', body), 404, 'not_found');
  });

  it('keeps the person who decided it apart from the person who cancelled it', async () => {
    const lesson = await school.lesson(clazz_id, 30);
    const { id } = await requestLeave(ann, lesson.id);
    const { decided_by, decided_at } = expectOk(await school.teacher.post(`/clazz/leave/${id}/approve`));
    school.passHours(1);
    expect(expectOk(await school.student(ann).post(`/clazz/leave/${id}/cancel`))).toMatchObject({
      status: 'cancelled',
      decided_by,
      decided_at,
      cancelled_by: ann,
      cancelled_at: school.inHours(0),
    });
    const pending = await requestLeave(bob, lesson.id);
    const cancelled = expectOk(await school.student(bob).post(`/clazz/leave/${pending.id}/cancel`));
    expect(cancelled).toMatchObject({ decided_by: null, decided_at: null, cancelled_by: bob });
  });
});

it('an override allows a clash of teacher and room, but never of a student', async () => {
  const hall = { room: 'Hall', teacher_id: 'busy' };
  await school.lesson(clazz_id, 30, hall);
  const other = await school.classOf([]);
  const post = (id: string) =>
    school.supervisor.post(`/clazz/${id}/lesson`, {
      starts_at: school.inHours(30.5),
      ends_at: school.inHours(31.5),
      ...hall,
      override: true,
      reason: 'exam week',
    });
  expectOk(await post(other), 201);
  // The lesson with the override still counts as a clash for students.
  const enrol = () => school.supervisor.post(`/clazz/${other}/student`, { student_ids: [ann] });
  expectRefusal(await enrol(), 409, 'schedule_conflict');
  const both = await school.classOf([bob]);
  const { conflicts } = expectRefusal(await post(both), 409, 'schedule_conflict');
  expect(conflicts?.flatMap((row) => row.student_ids)).toContain(bob);
});

it('one of several parallel holiday lists is stored as a whole', async () => {
  const listOf = (n: number) =>
    Array.from({ length: 20 }, (_, day) => ({
      date: `2034-${String(n + 1).padStart(2, '0')}-${String(day + 1).padStart(2, '0')}`,
      name: `list ${n}`,
    }));
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => school.supervisor.put('/clazz/holiday', { holidays: listOf(n) })),
    );
    for (const answer of answers) expectOk(answer);
    const { holidays } = expectOk(await school.supervisor.get('/clazz/holiday'));
    expect(holidays).toHaveLength(20);
    expect(new Set(holidays.map((row) => row.name)).size).toBe(1);
  }
});

it('the tests above leave a consistent ledger', async () => {
  expect(await brokenInvariants(fixture)).toEqual([]);
});
