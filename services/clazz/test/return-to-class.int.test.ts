import { enrolmentCalls, leaveCalls, rollCallCalls } from '@teaching/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { marksOf, MONDAY, startSchool, type School } from './test-school.ts';

/** Cases of suspension, return and cancellation that random histories found. */

const clock = clockAt(MONDAY);
let fixture: Fixture;
let school: School;
let ann = '';
let ben = '';
let clazz_id = '';
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clock));
});
afterAll(() => fixture?.stop());
beforeEach(async () => {
  clock.reset();
  await school.setPolicy({});
  [ann = '', ben = ''] = school.students(2);
  clazz_id = await school.classOf([ann, ben]);
});

const requestLeave = async (student_id: string, lesson_id: string): Promise<string> => {
  const body = { student_id, lesson_id, reason: 'ill' };
  return singleElement((await school.supervisor.ok(leaveCalls.requestLeave, { body })).items).id;
};
const completeClazz = async (): Promise<unknown> =>
  expectOk(await school.supervisor.post(`/clazz/${clazz_id}/complete`));
const reopenClazz = async (): Promise<unknown> =>
  expectOk(await school.supervisor.post(`/clazz/${clazz_id}/reopen`, { reason: 'too early' }));

it('approved leave presets the mark of a restored lesson whose cancellation was charged', async () => {
  await school.setPolicy({ charge: { cancelled_by_org: '0.50' } });
  const { id } = await school.lesson(clazz_id, 48);
  await completeClazz();
  expect(await school.balance(ann)).toBe('-0.50');
  await reopenClazz();
  expect(await school.balance(ann)).toBe('0.00');
  await school.supervisor.ok(leaveCalls.approveLeave, { path: { id: await requestLeave(ann, id) } });
  expect(marksOf(await school.rollCall(id))).toEqual({ [ann]: 'leave', [ben]: null });
});

it('the charge of a cancelled lesson stays when a student with leave is suspended and resumed', async () => {
  await school.setPolicy({ charge: { cancelled_by_org: '0.50' } });
  const { id } = await school.lesson(clazz_id, 48);
  await requestLeave(ann, id);
  expectOk(await school.supervisor.post(`/clazz/lesson/${id}/cancel`, { reason: 'rain' }));
  await school.setPolicy({ charge: { cancelled_by_org: '0.25' } });
  const path = { id: clazz_id, student_id: ann };
  await school.supervisor.ok(enrolmentCalls.suspendEnrolment, { path });
  expect([await school.balance(ann), await school.balance(ben)]).toEqual(['-0.50', '-0.50']);
  await school.supervisor.ok(enrolmentCalls.resumeEnrolment, { path });
  expect([await school.balance(ann), await school.balance(ben)]).toEqual(['-0.50', '-0.50']);
});

it('a backdated enrolment of a former student does not make an earlier roll call incomplete', async () => {
  const { id } = await school.lesson(clazz_id, 2);
  const path = { id: clazz_id, student_id: ann };
  clock.advance(1_000);
  await school.supervisor.ok(enrolmentCalls.withdrawEnrolment, { path });
  school.passHours(4);
  expectOk(await school.submit(id, { [ben]: 'present' }));
  school.passHours(1);
  const body = { student_ids: [ann], since: school.inHours(-4), reason: 'forgotten' };
  await school.supervisor.ok(enrolmentCalls.enrolStudents, { path: { id: clazz_id }, body });
  expect((await school.supervisor.ok(rollCallCalls.listMissingRollCalls, { query: { clazz_id } })).items).toEqual([]);
});

it('pending leave is restored with its class, also if its lesson began meanwhile', async () => {
  const { id } = await school.lesson(clazz_id, 2);
  const leave = await requestLeave(ann, id);
  await school.runHoursLater(1.9, async () => {
    expectOk(await school.submit(id, { [ben]: 'present' }));
    expectOk(await school.supervisor.post(`/clazz/${clazz_id}/complete`, { force: true, reason: 'too early' }));
  });
  school.passHours(3);
  await reopenClazz();
  const { items } = await school.supervisor.ok(leaveCalls.listLeaves, { query: { clazz_id } });
  expect(items.map((it) => [it.id, it.status])).toEqual([[leave, 'pending']]);
});

const DAY = 24;
const move = (lesson_id: string, hours: number) =>
  school.supervisor.patch(`/clazz/lesson/${lesson_id}`, { starts_at: school.inHours(hours) });
const changeEnrolment = async (student_id: string, step: 'suspend' | 'resume' | 'withdraw') =>
  expectOk(await school.supervisor.post(`/clazz/${clazz_id}/student/${student_id}/${step}`));
const transferTo = async (to_clazz_id: string, student_id: string) =>
  expectOk(await school.supervisor.post(`/clazz/${clazz_id}/student/${student_id}/transfer`, { to_clazz_id }));
const leaveOf = async (id: string) => expectOk(await school.supervisor.get(`/clazz/leave/${id}`));
const approvedLeave = async (student_id: string, lesson_id: string): Promise<string> => {
  const id = await requestLeave(student_id, lesson_id);
  expectOk(await school.teacher.post(`/clazz/leave/${id}/approve`));
  return id;
};
const bookMakeUp = (leave: string, lesson_id: string) =>
  school.supervisor.post(`/clazz/leave/${leave}/make-up`, { lesson_id });
const undoMakeUp = async (leave: string) => expectOk(await school.supervisor.delete(`/clazz/leave/${leave}/make-up`));

describe('leave that ended with a membership stays ended when its lesson is moved into that membership', () => {
  it('until the student is resumed', async () => {
    const lesson = await school.lesson(clazz_id, 30);
    const leave = await requestLeave(ann, lesson.id);
    await changeEnrolment(ann, 'suspend');
    school.passHours(1);
    expectOk(await move(lesson.id, -6 * DAY));
    expect(await leaveOf(leave)).toMatchObject({ status: 'cancelled' });
    await changeEnrolment(ann, 'resume');
    expect(await leaveOf(leave)).toMatchObject({ status: 'pending' });
  });

  it('until the student is resumed, also if the lesson was between both periods then', async () => {
    const lesson = await school.lesson(clazz_id, 3);
    const leave = await requestLeave(ann, lesson.id);
    await changeEnrolment(ann, 'suspend');
    school.passHours(6);
    await changeEnrolment(ann, 'resume');
    expect(await leaveOf(leave)).toMatchObject({ status: 'cancelled' });
    expectOk(await move(lesson.id, -6 * DAY));
    expect(await leaveOf(leave)).toMatchObject({ status: 'pending' });
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a withdrawn student', () => changeEnrolment(ann, 'withdraw')],
    ['a transferred student', async () => transferTo(await school.classOf([]), ann)],
    [
      'a student who was suspended first',
      async () => {
        await changeEnrolment(ann, 'suspend');
        await changeEnrolment(ann, 'withdraw');
      },
    ],
  ])('for %s, whose roll call shows no leave', async (_who, end) => {
    const lesson = await school.lesson(clazz_id, 30);
    const leave = await approvedLeave(ann, lesson.id);
    await end();
    school.passHours(1);
    expectOk(await move(lesson.id, -6 * DAY));
    expect(await leaveOf(leave)).toMatchObject({ status: 'cancelled', make_up: { status: 'withdrawn' } });
    expect(marksOf(await school.rollCall(lesson.id))).toEqual({ [ann]: null, [ben]: null });
  });

  it('also if the lesson was cancelled and restored meanwhile', async () => {
    const lesson = await school.lesson(clazz_id, 30);
    const leave = await requestLeave(ann, lesson.id);
    expectOk(await school.supervisor.post(`/clazz/lesson/${lesson.id}/cancel`, { reason: 'rain' }));
    await changeEnrolment(ann, 'suspend');
    school.passHours(1);
    expectOk(await school.supervisor.post(`/clazz/lesson/${lesson.id}/restore`, { reason: 'a mistake' }));
    expectOk(await move(lesson.id, -6 * DAY));
    expect(await leaveOf(leave)).toMatchObject({ status: 'cancelled' });
  });

  it('and a new leave from that lesson replaces it', async () => {
    const lesson = await school.lesson(clazz_id, 30);
    const leave = await requestLeave(ann, lesson.id);
    await changeEnrolment(ann, 'suspend');
    school.passHours(1);
    expectOk(await move(lesson.id, -6 * DAY));
    const newer = await requestLeave(ann, lesson.id);
    await changeEnrolment(ann, 'resume');
    expect(await leaveOf(newer)).toMatchObject({ status: 'pending' });
    expectOk(await school.supervisor.post(`/clazz/leave/${newer}/cancel`));
    expectOk(await move(lesson.id, -5 * DAY));
    expect(await leaveOf(leave)).toMatchObject({ status: 'cancelled' });
    expect(await leaveOf(newer)).toMatchObject({ status: 'cancelled' });
  });

  it('also when the student is resumed, if the lesson was held meanwhile: its marks and charges stay', async () => {
    await school.setPolicy({ charge: { leave_in_time: '1.00' } });
    const lesson = await school.lesson(clazz_id, 30);
    const leave = await approvedLeave(ann, lesson.id);
    await changeEnrolment(ann, 'suspend');
    school.passHours(1);
    expectOk(await move(lesson.id, -6 * DAY));
    expectOk(await school.submit(lesson.id, { [ben]: 'present' }));
    await changeEnrolment(ann, 'resume');
    expect(await leaveOf(leave)).toMatchObject({ status: 'cancelled', make_up: { status: 'withdrawn' } });
    expect(marksOf(await school.rollCall(lesson.id))).toEqual({ [ann]: null, [ben]: 'present' });
    expect(await school.balance(ann)).toBe('0.00');
  });

  it('and does not free the time of a student who is a member again, so lessons at the same time clash', async () => {
    const lesson = await school.lesson(clazz_id, 30);
    await approvedLeave(ann, lesson.id);
    await changeEnrolment(ann, 'withdraw');
    const body = { student_ids: [ann], since: school.inHours(10 * DAY) };
    await school.supervisor.ok(enrolmentCalls.enrolStudents, { path: { id: clazz_id }, body });
    const other = await school.classOf([ann]);
    const { id } = await school.lesson(other, 12 * DAY);
    expectRefusal(await move(lesson.id, 12 * DAY), 409, 'schedule_conflict');
    expectOk(await move(id, 13 * DAY));
    expectOk(await move(lesson.id, 12 * DAY));
    expectRefusal(await move(id, 12 * DAY), 409, 'schedule_conflict');
  });
});

it('a booked make-up counts as a lesson of its guest, who had leave from it as a member of its class', async () => {
  const lesson = await school.lesson(clazz_id, 30);
  await approvedLeave(ann, lesson.id);
  const next = await school.classOf([]);
  await transferTo(next, ann);
  const credit = await approvedLeave(ann, (await school.lesson(next, 20)).id);
  expectOk(await bookMakeUp(credit, lesson.id));
  const third = await school.classOf([ann]);
  const during = { starts_at: lesson.starts_at, ends_at: lesson.ends_at, teacher_id: 'teacher-3' };
  expectRefusal(await school.supervisor.post(`/clazz/${third}/lesson`, during), 409, 'schedule_conflict');
  await undoMakeUp(credit);
  expectOk(await school.supervisor.post(`/clazz/${third}/lesson`, during), 201);
});

describe('a booking that ended with its lesson', () => {
  it('is named when its class is reopened, also after another booking was made, undone and made again', async () => {
    const hosts = await school.classOf([]);
    const target = await school.lesson(hosts, 50);
    const leave = await approvedLeave(ann, (await school.lesson(clazz_id, 30)).id);
    expectOk(await bookMakeUp(leave, target.id));
    expectOk(await school.supervisor.post(`/clazz/${hosts}/complete`, { force: true, reason: 'a test' }));
    const other = await school.lesson(await school.classOf([]), 60);
    expectOk(await bookMakeUp(leave, other.id));
    await undoMakeUp(leave);
    expectOk(await bookMakeUp(leave, other.id));
    const { not_restored } = expectOk(await school.supervisor.post(`/clazz/${hosts}/reopen`, { reason: 'a test' }));
    expect(not_restored).toMatchObject([{ leave_id: leave, lesson_id: target.id, reason: 'credit_unavailable' }]);
  });

  it('is made again when its lesson is restored, also after other bookings were undone or ended', async () => {
    const cancel = async (id: string) =>
      expectOk(await school.supervisor.post(`/clazz/lesson/${id}/cancel`, { reason: 'rain' }));
    const restore = async (id: string) =>
      expectOk(await school.supervisor.post(`/clazz/lesson/${id}/restore`, { reason: 'sun' }));
    const leave = await approvedLeave(ann, (await school.lesson(clazz_id, 30)).id);
    const hosts = [
      await school.lesson(await school.classOf([]), 50),
      await school.lesson(await school.classOf([]), 60),
    ];
    const [first, second] = hosts.map(({ id }) => id) as [string, string];
    expectOk(await bookMakeUp(leave, first));
    await cancel(first);
    expectOk(await bookMakeUp(leave, second));
    await undoMakeUp(leave);
    expect(await restore(first)).toMatchObject({ not_restored: [] });
    expect(await leaveOf(leave)).toMatchObject({ make_up: { status: 'used', lesson_id: first } });
    await cancel(first);
    expectOk(await bookMakeUp(leave, second));
    await cancel(second);
    expect(await restore(first)).toMatchObject({ not_restored: [] });
    expect(await leaveOf(leave)).toMatchObject({ make_up: { status: 'used', lesson_id: first } });
    expect(await restore(second)).toMatchObject({
      not_restored: [{ leave_id: leave, lesson_id: second, reason: 'credit_unavailable' }],
    });
  });
});

it('a lesson held while nobody was listed misses the mark of a student who is resumed before it begins', async () => {
  await school.setPolicy({ roll_call: { lead_minutes: 60 } });
  const lesson = await school.lesson(clazz_id, 2);
  school.passHours(1);
  for (const student_id of [ann, ben]) await changeEnrolment(student_id, 'suspend');
  expectOk(await school.submit(lesson.id, {}));
  await changeEnrolment(ann, 'resume');
  school.passHours(3);
  const { items } = await school.supervisor.ok(rollCallCalls.listMissingRollCalls, { query: { clazz_id } });
  expect(items).toMatchObject([{ id: lesson.id, unmarked: [ann] }]);
});

it('restored leave is the mark of a lesson whose roll call was taken early, so no mark is missing', async () => {
  await school.setPolicy({ roll_call: { lead_minutes: 60 } });
  const lesson = await school.lesson(clazz_id, 2);
  await approvedLeave(ann, lesson.id);
  school.passHours(1);
  await changeEnrolment(ann, 'suspend');
  expectOk(await school.submit(lesson.id, { [ben]: 'present' }));
  await changeEnrolment(ann, 'resume');
  school.passHours(3);
  expect(marksOf(await school.rollCall(lesson.id))).toEqual({ [ann]: 'leave', [ben]: 'present' });
  const { items } = await school.supervisor.ok(rollCallCalls.listMissingRollCalls, { query: { clazz_id } });
  expect(items).toEqual([]);
});

it('a lesson that is cancelled again is charged by the policy of then', async () => {
  const lesson = await school.lesson(clazz_id, -5);
  expectOk(await school.submit(lesson.id, { [ann]: 'present', [ben]: 'present' }));
  const path = `/clazz/lesson/${lesson.id}` as const;
  expectOk(await school.supervisor.post(`${path}/cancel`, { reason: 'a mistake' }));
  expectOk(await school.supervisor.post(`${path}/restore`, { reason: 'no mistake' }));
  await school.setPolicy({ charge: { cancelled_by_org: '1.00' } });
  expectOk(await school.supervisor.post(`${path}/cancel`, { reason: 'it did not take place' }));
  expect(await school.balance(ann)).toBe('-1.00');
});
