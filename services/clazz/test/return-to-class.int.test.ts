import { enrolmentCalls, leaveCalls, rollCallCalls } from '@teaching/contracts';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
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
