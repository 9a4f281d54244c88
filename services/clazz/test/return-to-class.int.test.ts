import { enrolmentCalls, leaveCalls, rollCallCalls } from '@teaching/contracts';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { marksOf, MONDAY, openSchool, type School } from './test-school.ts';

/** What leaving, coming back and being cancelled once must not change; found by random histories. */

const clock = clockAt(MONDAY);
let fixture: Fixture;
let school: School;
let ann = '';
let ben = '';
let clazz_id = '';
beforeAll(async () => {
  ({ fixture, school } = await openSchool(clock));
});
afterAll(() => fixture?.stop());
beforeEach(async () => {
  clock.reset();
  await school.setPolicy({});
  [ann = '', ben = ''] = school.students(2);
  clazz_id = await school.classOf([ann, ben]);
});

const asked = async (student_id: string, lesson_id: string): Promise<string> => {
  const body = { student_id, lesson_id, reason: 'ill' };
  return singleElement((await school.supervisor.ok(leaveCalls.requestLeave, { body })).items).id;
};
const close = async (): Promise<unknown> => expectOk(await school.supervisor.post(`/clazz/${clazz_id}/complete`));
const reopen = async (): Promise<unknown> =>
  expectOk(await school.supervisor.post(`/clazz/${clazz_id}/reopen`, { reason: 'too early' }));

it('approved leave presets the mark also at a lesson that was cancelled at a cost and came back', async () => {
  await school.setPolicy({ charge: { cancelled_by_org: '0.50' } });
  const { id } = await school.lesson(clazz_id, 48);
  await close();
  expect(await school.balance(ann)).toBe('-0.50');
  await reopen();
  expect(await school.balance(ann)).toBe('0.00');
  await school.supervisor.ok(leaveCalls.approveLeave, { path: { id: await asked(ann, id) } });
  expect(marksOf(await school.rollCall(id))).toEqual({ [ann]: 'leave', [ben]: null });
});

it('a cancelled lesson costs what it cost, also who had asked for leave and left afterwards', async () => {
  await school.setPolicy({ charge: { cancelled_by_org: '0.50' } });
  const { id } = await school.lesson(clazz_id, 48);
  await asked(ann, id);
  expectOk(await school.supervisor.post(`/clazz/lesson/${id}/cancel`, { reason: 'rain' }));
  await school.setPolicy({ charge: { cancelled_by_org: '0.25' } });
  const path = { id: clazz_id, student_id: ann };
  await school.supervisor.ok(enrolmentCalls.suspendEnrolment, { path });
  expect([await school.balance(ann), await school.balance(ben)]).toEqual(['-0.50', '-0.50']);
  await school.supervisor.ok(enrolmentCalls.resumeEnrolment, { path });
  expect([await school.balance(ann), await school.balance(ben)]).toEqual(['-0.50', '-0.50']);
});

it('an enrolment that is dated back does not make an earlier roll call incomplete, also of who had been there before', async () => {
  const { id } = await school.lesson(clazz_id, 2);
  const path = { id: clazz_id, student_id: ann };
  clock.pass(1_000);
  await school.supervisor.ok(enrolmentCalls.withdrawEnrolment, { path });
  school.pass(4);
  expectOk(await school.submit(id, { [ben]: 'present' }));
  school.pass(1);
  const body = { student_ids: [ann], since: school.inHours(-4), reason: 'forgotten' };
  await school.supervisor.ok(enrolmentCalls.enrolStudents, { path: { id: clazz_id }, body });
  expect((await school.supervisor.ok(rollCallCalls.listMissingRollCalls, { query: { clazz_id } })).items).toEqual([]);
});

it('leave that nobody had decided returns with its class, also from a lesson that began meanwhile', async () => {
  const { id } = await school.lesson(clazz_id, 2);
  const leave = await asked(ann, id);
  await school.later(1.9, async () => {
    expectOk(await school.submit(id, { [ben]: 'present' }));
    expectOk(await school.supervisor.post(`/clazz/${clazz_id}/complete`, { force: true, reason: 'too early' }));
  });
  school.pass(3);
  await reopen();
  const { items } = await school.supervisor.ok(leaveCalls.listLeaves, { query: { clazz_id } });
  expect(items.map((it) => [it.id, it.status])).toEqual([[leave, 'pending']]);
});
