import { leaveCalls, type LeaveQuote, memberCalls } from '@teaching/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codeOf, expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { marksOf, MONDAY, startSchool, type School } from './test-school.ts';

const clock = clockAt(MONDAY);
const DAY = 24;
let fixture: Fixture;
let school: School;
let ann: string;
let clazz_id: string;
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clock));
});
afterAll(() => fixture?.stop());
beforeEach(async () => {
  clock.reset();
  [ann] = school.students(1) as [string];
  clazz_id = await school.classOf([ann]);
  await school.setPolicy({});
});

const quote = (lesson_id: string): Promise<LeaveQuote> =>
  school.student(ann).ok(leaveCalls.quoteLeave, { query: { lesson_id } });
const requestLeave = (lesson_id: string) => school.student(ann).post('/clazz/leave', { lesson_id, reason: 'ill' });
/** The error code of a leave request, or `null` if it is accepted. */
const requestCode = async (lesson_id: string): Promise<string | null> => {
  const answer = await requestLeave(lesson_id);
  return answer.status === 201 ? null : String(answer.body.code);
};

describe('a leave quote', () => {
  it('contains deadline, charge, quota and credit, and stores nothing', async () => {
    await school.setPolicy({ leave: { quota_per_30_days: 2, make_up_expires_days: 10 } });
    const lesson = await school.lesson(clazz_id, 3 * DAY, { hours: '1.5' });
    const found = await quote(lesson.id);
    expect(found).toMatchObject({
      allowed: true,
      refusal: null,
      in_time: true,
      deadline: school.inHours(2 * DAY),
      charge_hours: '0.00',
      absent_hours: '1.50',
      quota: { limit: 2, used: 1 },
    });
    expect(await quote(lesson.id)).toEqual(found);
    expect((await school.student(ann).ok(leaveCalls.listLeaves, {})).items).toEqual([]);
    const requested = singleElement(expectOk(await requestLeave(lesson.id), 201).items);
    const approved = await school.supervisor.ok(leaveCalls.approveLeave, { path: { id: requested.id } });
    expect(approved.make_up?.expires_at).toBe(found.make_up?.expires_at);
    expect(found.policy_version).toBe(approved.policy_version);
  });

  it('contains the charge of late leave, and no credit if the policy gives none', async () => {
    await school.setPolicy({ leave: { make_up_credit: false }, charge: { leave_late: '0.25' } });
    const lesson = await school.lesson(clazz_id, 3);
    expect(await quote(lesson.id)).toMatchObject({
      allowed: true,
      in_time: false,
      charge_hours: '0.25',
      make_up: null,
    });
    const { id } = singleElement(expectOk(await requestLeave(lesson.id), 201).items);
    const { approval, quota } = await school.supervisor.ok(leaveCalls.getLeave, { path: { id } });
    expect(approval?.charge_hours).toBe('0.25');
    expect(quota).toEqual((await quote(lesson.id)).quota);
  });

  it('predicts immediate approval: leave in time is approved with the request if `approval` is `in_time`', async () => {
    await school.setPolicy({ leave: { approval: 'in_time' } });
    const soon = await school.lesson(clazz_id, 3);
    const later = await school.lesson(clazz_id, 3 * DAY);
    expect((await quote(soon.id)).at_once).toBe(false);
    expect(singleElement(expectOk(await requestLeave(soon.id), 201).items)).toMatchObject({
      status: 'pending',
      make_up: null,
    });
    const quoted = await quote(later.id);
    expect(quoted.at_once).toBe(true);
    const requested = singleElement(expectOk(await requestLeave(later.id), 201).items);
    expect(requested).toMatchObject({
      status: 'approved',
      decided_by: null,
      decided_at: clock.now().toISOString(),
      make_up: { status: 'available', expires_at: quoted.make_up?.expires_at },
    });
    const auditLog = await school.supervisor.get(`/clazz/${clazz_id}/audit-log?entity=leave&limit=100`);
    const decisions = expectOk(auditLog).items.filter((row) => row.entity_id === requested.id && row.action !== 'read');
    expect(decisions.map((row) => row.changes.status)).toEqual([
      { before: 'pending', after: 'approved' },
      { before: null, after: 'pending' },
    ]);
    school.passHours(3 * DAY);
    expect(marksOf(await school.rollCall(later.id))).toEqual({ [ann]: 'leave' });
  });

  it('contains the same refusal as the request itself', async () => {
    await school.setPolicy({ leave: { late: 'refuse', quota_per_30_days: 1 } });
    const late = await school.lesson(clazz_id, 3);
    const first = await school.lesson(clazz_id, 2 * DAY);
    const second = await school.lesson(clazz_id, 3 * DAY);
    const cancelled = await school.lesson(clazz_id, 4 * DAY);
    expectOk(await school.supervisor.post(`/clazz/lesson/${cancelled.id}/cancel`));
    const closed = await school.classOf([ann]);
    const ofClosed = await school.lesson(closed, 5 * DAY);
    expectOk(await school.supervisor.post(`/clazz/${closed}/cancel`, { reason: 'x' }));
    const expectSameRefusal = async (lesson_id: string): Promise<string | null> => {
      const { allowed, refusal } = await quote(lesson_id);
      expect(allowed).toBe(refusal === null);
      expect(await requestCode(lesson_id)).toBe(refusal);
      return refusal;
    };
    expect(await expectSameRefusal(late.id)).toBe('leave_too_late');
    expect(await expectSameRefusal(first.id)).toBe(null);
    expect(await expectSameRefusal(first.id)).toBe('leave_exists');
    expect(await expectSameRefusal(second.id)).toBe('leave_quota');
    expect(await quote(second.id)).toMatchObject({ quota: { limit: 1, used: 2 } });
    expect(await expectSameRefusal(cancelled.id)).toBe('invalid_transition');
    expect(await expectSameRefusal(ofClosed.id)).toBe('clazz_closed');
    await school.setPolicy({});
    const held = await school.lesson(clazz_id, 1);
    school.passHours(2);
    expectOk(await school.submit(held.id, { [ann]: 'absent' }));
    school.passHours(30 * DAY);
    expect(await expectSameRefusal(held.id)).toBe('edit_window_over');
  });

  it('is allowed to the student, guardians and teachers, and answers 404 for a lesson of other students', async () => {
    const guardian_id = `guardian-of-${ann}`;
    const members = [
      { user_id: ann, role: 'STUDENT' as const, display_name: 'Ann' },
      { user_id: guardian_id, role: 'GUARDIAN' as const, display_name: 'Mum' },
    ];
    await school.supervisor.ok(memberCalls.putMembers, { body: { members } });
    await school.supervisor.ok(memberCalls.putGuardians, {
      path: { user_id: ann },
      body: { guardians: [{ user_id: guardian_id, money: false }] },
    });
    const lesson = await school.lesson(clazz_id, 3 * DAY);
    const mum = school.as({ role: 'GUARDIAN', sub: guardian_id });
    const path = `/clazz/leave/quote?lesson_id=${lesson.id}` as const;
    expect(expectOk(await mum.get(`${path}&student_id=${ann}`))).toEqual(await quote(lesson.id));
    expect(expectRefusal(await mum.get(path), 400, 'invalid_request').errors).toMatchObject([
      { path: '/query/student_id' },
    ]);
    expect(expectOk(await school.teacher.get(`${path}&student_id=${ann}`)).allowed).toBe(true);
    expectRefusal(
      await school.as({ role: 'TEACHER', sub: 'another' }).get(`${path}&student_id=${ann}`),
      403,
      'forbidden',
    );
    const [bob] = school.students(1) as [string];
    expectRefusal(await school.student(bob).get(`${path}&student_id=${ann}`), 403, 'forbidden');
    expect(expectRefusal(await school.student(bob).get(path), 404, 'not_found').errors).toMatchObject([
      { path: '/query/lesson_id' },
    ]);
    expect(codeOf(await mum.get(`${path}&student_id=${bob}`))).toBe('404 not_found');
  });
});
