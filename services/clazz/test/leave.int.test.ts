import { randomUUID } from 'node:crypto';
import type { Leave } from '@teaching/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codesOf, expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { marksOf, MONDAY, startSchool, type School } from './test-school.ts';

const clock = clockAt(MONDAY);
const DAY = 24;
let fixture: Fixture;
let school: School;
let ann: string;
let bob: string;
let clazz_id: string;
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clock));
});
afterAll(() => fixture?.stop());
beforeEach(async () => {
  clock.reset();
  [ann, bob] = school.students(2) as [string, string];
  clazz_id = await school.classOf([ann, bob]);
});

const requestLeave = (student: string, body: object) =>
  school.student(student).post('/clazz/leave', { reason: 'ill', ...body });
const requestedLeave = async (student: string, lesson_id: string): Promise<Leave> =>
  singleElement(expectOk(await requestLeave(student, { lesson_id }), 201).items);
const decideLeave = (id: string, decision: 'approve' | 'reject' | 'cancel', body?: object) =>
  school.teacher.post(`/clazz/leave/${id}/${decision}`, body);
const approvedLeave = async (student: string, lesson_id: string): Promise<Leave> =>
  expectOk(await decideLeave((await requestedLeave(student, lesson_id)).id, 'approve'));

describe('leave', () => {
  it('presets the mark when approved, and is not charged if it was requested in time', async () => {
    const lesson = await school.lesson(clazz_id, 2 * DAY);
    const leave = await requestedLeave(ann, lesson.id);
    expect(leave).toMatchObject({
      status: 'pending',
      in_time: true,
      student_id: ann,
      lesson_id: lesson.id,
      make_up: null,
    });
    expectRefusal(await requestLeave(ann, { lesson_id: lesson.id }), 409, 'leave_exists');
    const done = expectOk(await decideLeave(leave.id, 'approve'));
    expect(done).toMatchObject({ status: 'approved', decided_by: 'teacher-1', make_up: { status: 'available' } });
    expectRefusal(await decideLeave(leave.id, 'approve'), 409, 'invalid_transition');
    expectRefusal(await decideLeave(leave.id, 'reject'), 409, 'invalid_transition');
    school.passHours(2 * DAY);
    expect(marksOf(await school.rollCall(lesson.id))).toEqual({ [ann]: 'leave', [bob]: null });
    const taken = expectOk(await school.submit(lesson.id, { [bob]: 'present' }));
    expect(taken.marks).toMatchObject([
      { student_id: ann, mark: 'leave', revision: 1, charged_hours: '0.00' },
      { student_id: bob, mark: 'present', charged_hours: '1.00' },
    ]);
  });

  it('after the deadline is accepted as late or refused, by policy', async () => {
    const lesson = await school.lesson(clazz_id, 3);
    const leave = await approvedLeave(ann, lesson.id);
    expect(leave.in_time).toBe(false);
    await school.setPolicy({ leave: { late: 'refuse' } });
    expectRefusal(await requestLeave(bob, { lesson_id: lesson.id }), 409, 'leave_too_late');
    await school.setPolicy({});
    school.passHours(3);
    const taken = expectOk(await school.submit(lesson.id, { [ann]: 'leave', [bob]: 'leave' }));
    expect(taken.marks.map((row) => row.charged_hours)).toEqual(['0.50', '0.50']);
  });

  const auditEntryOf = async (id: string) =>
    expectOk(await school.supervisor.get(`/clazz/${clazz_id}/audit-log?action=create&limit=100`)).items.find(
      (row) => row.entity_id === id,
    );

  it('is in time if staff of the class record that the call came in time', async () => {
    const lesson = await school.lesson(clazz_id, 3);
    const called_at = school.inHours(-22);
    const body = { lesson_id: lesson.id, reason: 'ill', called_at };
    const forAnn = { ...body, student_id: ann };
    expectRefusal(await school.student(ann).post('/clazz/leave', body), 403, 'forbidden');
    expectRefusal(await fixture.as({ role: 'TEACHER', sub: 'another' }).post('/clazz/leave', forAnn), 403, 'forbidden');
    const ahead = await school.teacher.post('/clazz/leave', { ...forAnn, called_at: school.inHours(1) });
    expect(expectRefusal(ahead, 400, 'invalid_request').errors).toMatchObject([{ path: '/body/called_at' }]);
    const withoutTime = await school.teacher.post('/clazz/leave', {
      ...forAnn,
      called_at: null,
      called_by: 'her mother',
    });
    expect(expectRefusal(withoutTime, 400, 'invalid_request').errors).toMatchObject([{ path: '/body/called_at' }]);
    await school.setPolicy({ leave: { late: 'refuse' } });
    const made = singleElement(
      expectOk(await school.teacher.post('/clazz/leave', { ...forAnn, called_by: 'her mother' }), 201).items,
    );
    const called = { in_time: true, called_at, called_by: 'her mother' };
    expect(made).toMatchObject({ ...called, requested_by: 'teacher-1', requested_at: school.inHours(0) });
    const late = { ...body, student_id: bob, called_at: school.inHours(-20) };
    expectRefusal(await school.teacher.post('/clazz/leave', late), 409, 'leave_too_late');
    await school.setPolicy({});
    expect(singleElement(expectOk(await school.teacher.post('/clazz/leave', late), 201).items)).toMatchObject({
      in_time: false,
      called_by: bob,
    });
    expect(await auditEntryOf(made.id)).toMatchObject({
      actor_id: 'teacher-1',
      changes: { called_at: { after: called_at }, called_by: { after: 'her mother' }, in_time: { after: true } },
    });
    expectOk(await decideLeave(made.id, 'approve'));
    school.passHours(3);
    expect(expectOk(await school.submit(lesson.id, { [bob]: 'present' })).marks[0]).toMatchObject({
      charged_hours: '0.00',
    });
  });

  it('beyond deadline or quota is accepted from a supervisor with an `override_reason`', async () => {
    await school.setPolicy({ leave: { late: 'refuse', quota_per_30_days: 1 } });
    const [soon, first, second] = [
      await school.lesson(clazz_id, 3),
      await school.lesson(clazz_id, 40),
      await school.lesson(clazz_id, 50),
    ];
    const body = (lesson_id: string) => ({ lesson_id, student_id: ann, reason: 'ill' });
    const override = { override_reason: 'a funeral' };
    expectOk(await school.supervisor.post('/clazz/leave', body(first.id)), 201);
    expectRefusal(await school.supervisor.post('/clazz/leave', body(soon.id)), 409, 'leave_too_late');
    expectRefusal(await school.supervisor.post('/clazz/leave', body(second.id)), 409, 'leave_quota');
    for (const { id } of [soon, second]) {
      expectRefusal(await school.teacher.post('/clazz/leave', { ...body(id), ...override }), 403, 'forbidden');
      expectRefusal(
        await school.student(ann).post('/clazz/leave', { ...override, lesson_id: id, reason: 'ill' }),
        403,
        'forbidden',
      );
      const made = singleElement(
        expectOk(await school.supervisor.post('/clazz/leave', { ...body(id), ...override }), 201).items,
      );
      expect(made).toMatchObject({ ...override, reason: 'ill', in_time: id === second.id, called_at: null });
      expect(await auditEntryOf(made.id)).toMatchObject({
        reason: 'ill',
        changes: { override_reason: { before: null, after: 'a funeral' } },
      });
    }
    // Leave beyond the quota counts in the quota.
    expectRefusal(await requestLeave(ann, { lesson_id: (await school.lesson(clazz_id, 60)).id }), 409, 'leave_quota');
    await school.setPolicy({});
  });

  it('for a date range becomes one leave per lesson, all or none', async () => {
    const lessons = [await school.lesson(clazz_id, 30), await school.lesson(clazz_id, 54)];
    await school.lesson(clazz_id, 300);
    const from = school.inHours(1);
    const items = expectOk(await requestLeave(ann, { from, to: school.inHours(100) }), 201).items;
    expect(new Set(items.map((row) => row.lesson_id))).toEqual(new Set(lessons.map((lesson) => lesson.id)));
    expectRefusal(await requestLeave(ann, { from, to: school.inHours(400) }), 409, 'leave_exists');
    const list = expectOk(await school.student(ann).get('/clazz/leave')).items;
    expect(list).toHaveLength(2);
    expectRefusal(await requestLeave(bob, { from, to: school.inHours(2) }), 400, 'invalid_request');
    expectRefusal(await requestLeave(bob, { from }), 400, 'invalid_request');
    const unknown = { from, to: school.inHours(100), clazz_id: randomUUID() };
    expect(expectRefusal(await requestLeave(bob, unknown), 404, 'not_found').errors).toMatchObject([
      { path: '/body/clazz_id' },
    ]);
    expectRefusal(await requestLeave(bob, {}), 400, 'invalid_request');
  });

  it('is limited by a quota of lessons in any 30 days, also for parallel requests', async () => {
    await school.setPolicy({ leave: { quota_per_30_days: 2 } });
    const lessons = await Promise.all(Array.from({ length: 12 }, (_, day) => school.lesson(clazz_id, 40 + day * DAY)));
    const far = await school.lesson(clazz_id, 40 + 45 * DAY);
    const pupils = [ann, ...school.students(7)];
    await school.enrol(clazz_id, ...pupils.slice(1));
    const all = await Promise.all(
      pupils.map((pupil) => Promise.all(lessons.map((lesson) => requestLeave(pupil, { lesson_id: lesson.id })))),
    );
    const tenRefused = Array.from({ length: 10 }, () => '409 leave_quota');
    expect(all.map(codesOf)).toEqual(pupils.map(() => ['201', '201', ...tenRefused]));
    const [answers = []] = all;
    const granted = answers.find((answer) => answer.status === 201) ?? expect.fail('none was granted');
    const { id } = singleElement(expectOk(granted, 201).items);
    expectOk(await school.student(ann).post(`/clazz/leave/${id}/cancel`));
    expect((await requestLeave(ann, { lesson_id: far.id })).status).toBe(201);
    await school.setPolicy({});
  });

  it('changes mark and charge when it is approved or cancelled after roll call', async () => {
    const lesson = await school.lesson(clazz_id, 30);
    await school.grant(ann, '5');
    const leave = await requestedLeave(ann, lesson.id);
    school.passHours(31);
    expectOk(await school.submit(lesson.id, { [ann]: 'absent', [bob]: 'present' }));
    expect(await school.balance(ann)).toBe('4.00');
    expectOk(await decideLeave(leave.id, 'approve', { reason: 'doctor' }));
    expect((await school.rollCall(lesson.id)).marks[0]).toMatchObject({
      mark: 'leave',
      revision: 2,
      charged_hours: '0.00',
    });
    expect(await school.balance(ann)).toBe('5.00');
    const back = expectOk(await school.student(ann).post(`/clazz/leave/${leave.id}/cancel`));
    expect(back).toMatchObject({ status: 'cancelled', make_up: { status: 'withdrawn' } });
    expect((await school.rollCall(lesson.id)).marks[0]).toMatchObject({
      mark: 'absent',
      revision: 3,
      charged_hours: '1.00',
    });
    expect(await school.balance(ann)).toBe('4.00');
    expectOk(await requestLeave(ann, { lesson_id: lesson.id }), 201);
  });

  it('loses its credit while the student is marked present', async () => {
    const lesson = await school.lesson(clazz_id, 30);
    const leave = await approvedLeave(ann, lesson.id);
    school.passHours(31);
    expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
    const other = await school.lesson(await school.classOf([]), 48);
    const bookMakeUp = () => school.student(ann).post(`/clazz/leave/${leave.id}/make-up`, { lesson_id: other.id });
    expectRefusal(await bookMakeUp(), 409, 'credit_unavailable');
    expectOk(await school.submit(lesson.id, { [ann]: 'leave' }));
    expect(expectOk(await bookMakeUp()).make_up).toMatchObject({ status: 'used', lesson_id: other.id });
  });

  it('shows its student the booked lesson of another class', async () => {
    const lesson = await school.lesson(clazz_id, 30);
    const leave = await approvedLeave(ann, lesson.id);
    const elsewhere = await school.lesson(await school.classOf([]), 72);
    const read = async () => (await school.student(ann).get(`/clazz/lesson/${elsewhere.id}`)).status;
    const mine = async () =>
      expectOk(await school.student(ann).get('/clazz/lesson/my?limit=100')).items.map((row) => row.id);
    expect(await read()).toBe(404);
    expect(await mine()).not.toContain(elsewhere.id);
    expectOk(await school.student(ann).post(`/clazz/leave/${leave.id}/make-up`, { lesson_id: elsewhere.id }));
    expect(await read()).toBe(200);
    expect(await mine()).toContain(elsewhere.id);
  });

  it('is cancelled with its lesson, and while its student is suspended', async () => {
    const lesson = await school.lesson(clazz_id, 30);
    const other = await school.lesson(clazz_id, 60);
    const [first, second] = [await approvedLeave(ann, lesson.id), await requestedLeave(ann, other.id)];
    expectOk(await school.supervisor.post(`/clazz/lesson/${lesson.id}/cancel`, { reason: 'snow' }));
    const statuses = async () => {
      const { items } = expectOk(await school.teacher.get(`/clazz/leave?student_id=${ann}`));
      return Object.fromEntries(items.map((row) => [row.id, row.status]));
    };
    expect(await statuses()).toEqual({ [first.id]: 'cancelled', [second.id]: 'pending' });
    expectOk(await school.supervisor.post(`/clazz/${clazz_id}/student/${ann}/suspend`));
    expect((await statuses())[second.id]).toBe('cancelled');
    expectOk(await school.supervisor.post(`/clazz/${clazz_id}/student/${ann}/resume`));
    expect((await statuses())[second.id]).toBe('pending');
    expectRefusal(await decideLeave(first.id, 'cancel'), 409, 'invalid_transition');
  });

  it('is restored when its class is completed and reopened', async () => {
    const lesson = await school.lesson(clazz_id, 30);
    const leave = await approvedLeave(ann, lesson.id);
    const pending = await requestedLeave(bob, lesson.id);
    const preview = expectOk(await school.supervisor.get(`/clazz/${clazz_id}/completion-preview`));
    expect(preview.blockers).toMatchObject([{ kind: 'leave_pending', leave_id: pending.id, student_id: bob }]);
    expectOk(await school.supervisor.post(`/clazz/${clazz_id}/complete`, { force: true, reason: 'end' }));
    expectRefusal(await decideLeave(leave.id, 'cancel'), 409, 'clazz_closed');
    expectOk(await school.supervisor.post(`/clazz/${clazz_id}/reopen`, { reason: 'too early' }));
    const { items } = expectOk(await school.teacher.get(`/clazz/leave?lesson_id=${lesson.id}`));
    const byId = new Map(items.map((row) => [row.id, row]));
    expect(byId.get(leave.id)).toMatchObject({ status: 'approved', make_up: { status: 'available' } });
    expect(byId.get(pending.id)).toMatchObject({ status: 'pending' });
  });

  it('can be cancelled by a student who is also a teacher, but not for other students', async () => {
    const teacherAndStudent = (sub: string) => fixture.as({ role: ['TEACHER', 'STUDENT'], sub });
    const [mine, theirs] = await Promise.all([
      requestedLeave(ann, (await school.lesson(clazz_id, 30)).id),
      requestedLeave(bob, (await school.lesson(clazz_id, 35)).id),
    ]);
    expectRefusal(await teacherAndStudent(ann).post(`/clazz/leave/${theirs.id}/cancel`), 403, 'forbidden');
    expect(expectOk(await teacherAndStudent(ann).post(`/clazz/leave/${mine.id}/cancel`)).status).toBe('cancelled');
  });

  it('is decided only by supervisors and the lead teacher, and students see only their own', async () => {
    const lesson = await school.lesson(clazz_id, 30, { teacher_id: 'substitute' });
    const leave = await requestedLeave(ann, lesson.id);
    const substitute = fixture.as({ role: 'TEACHER', sub: 'substitute' });
    expectRefusal(await substitute.post(`/clazz/leave/${leave.id}/approve`), 403, 'forbidden');
    expectRefusal(await school.student(ann).post(`/clazz/leave/${leave.id}/approve`), 403, 'forbidden');
    expectRefusal(await school.student(bob).post(`/clazz/leave/${leave.id}/cancel`), 404, 'not_found');
    expectRefusal(await requestLeave(bob, { lesson_id: lesson.id, student_id: ann }), 403, 'forbidden');
    expectRefusal(await requestLeave('outsider', { lesson_id: lesson.id }), 404, 'not_found');
    expectRefusal(await requestLeave(ann, { lesson_id: randomUUID() }), 404, 'not_found');
    expect(expectOk(await school.student(bob).get('/clazz/leave')).items).toEqual([]);
    const elsewhere = fixture.as({ role: 'SUPERVISOR', org: randomUUID() });
    expectRefusal(await elsewhere.post(`/clazz/leave/${leave.id}/approve`), 404, 'not_found');
    expectRefusal(
      await school.teacher.post('/clazz/leave', { lesson_id: lesson.id, reason: 'x' }),
      400,
      'invalid_request',
    );
    const forBob = { lesson_id: lesson.id, student_id: bob, reason: 'called' };
    expectOk(await substitute.post('/clazz/leave', forBob), 201);
  });
});

describe('a make-up', () => {
  const bookMakeUp = (id: string, lesson_id: string) =>
    school.student(ann).post(`/clazz/leave/${id}/make-up`, { lesson_id });

  it('adds the student to a lesson of another class, which lists and charges them', async () => {
    const missed = await school.lesson(clazz_id, 30);
    const [cid] = school.students(1) as [string];
    const other = await school.classOf([cid], { capacity: 2 });
    const target = await school.lesson(other, 50);
    const leave = await requestedLeave(ann, missed.id);
    expectRefusal(await bookMakeUp(leave.id, target.id), 409, 'credit_unavailable');
    const rejected = await requestedLeave(bob, missed.id);
    expectOk(await decideLeave(rejected.id, 'reject'));
    const forBob = school.student(bob).post(`/clazz/leave/${rejected.id}/make-up`, { lesson_id: target.id });
    expectRefusal(await forBob, 409, 'credit_unavailable');
    expectOk(await decideLeave(leave.id, 'approve'));
    expectRefusal(await bookMakeUp(leave.id, randomUUID()), 404, 'not_found');
    expect(expectOk(await bookMakeUp(leave.id, target.id)).make_up).toMatchObject({
      status: 'used',
      lesson_id: target.id,
    });
    expectRefusal(await bookMakeUp(leave.id, target.id), 409, 'already_attending');
    school.passHours(51);
    const taken = expectOk(await school.submit(target.id, { [ann]: 'makeup', [cid]: 'present' }));
    expect(taken.marks.map((row) => [row.student_id, row.mark, row.make_up, row.charged_hours])).toEqual([
      [ann, 'makeup', true, '1.00'],
      [cid, 'present', false, '1.00'],
    ]);
    expectRefusal(await school.student(ann).post(`/clazz/leave/${leave.id}/cancel`), 409, 'invalid_transition');
  });

  it('needs a free seat, and gives the last seat to one of two parallel requests', async () => {
    const missed = await school.lesson(clazz_id, 30);
    const other = await school.classOf([], { capacity: 1 });
    const target = await school.lesson(other, 50);
    const [first, second] = [await approvedLeave(ann, missed.id), await approvedLeave(bob, missed.id)];
    const answers = await Promise.all([
      school.student(ann).post(`/clazz/leave/${first.id}/make-up`, { lesson_id: target.id }),
      school.student(bob).post(`/clazz/leave/${second.id}/make-up`, { lesson_id: target.id }),
    ]);
    expect(codesOf(answers)).toEqual(['200', '409 clazz_full']);
  });

  it('returns the credit when its lesson is cancelled, and is refused for a clash or an expired credit', async () => {
    const missed = await school.lesson(clazz_id, 30);
    const leave = await approvedLeave(ann, missed.id);
    const other = await school.classOf([]);
    const target = await school.lesson(other, 50);
    await school.lesson(clazz_id, 70);
    const clashing = await school.lesson(other, 70.5);
    expectRefusal(await bookMakeUp(leave.id, clashing.id), 409, 'schedule_conflict');
    expectOk(await bookMakeUp(leave.id, target.id));
    expectOk(await school.supervisor.post(`/clazz/lesson/${target.id}/cancel`, { reason: 'snow' }));
    const seen = singleElement(expectOk(await school.student(ann).get('/clazz/leave')).items);
    expect(seen.make_up).toMatchObject({ status: 'available', lesson_id: null });
    school.passHours(31 + 60 * DAY);
    const afterExpiry = await school.lesson(other, 10);
    expectRefusal(await bookMakeUp(leave.id, afterExpiry.id), 409, 'credit_unavailable');
  });
});

describe('a cancelled lesson', () => {
  it('that was held gives its charges back and voids its marks', async () => {
    const lesson = await school.lesson(clazz_id, -3);
    await school.grant(ann, '5');
    expectOk(await school.submit(lesson.id, { [ann]: 'present', [bob]: 'absent' }));
    expectOk(
      await school.supervisor.post(`/clazz/lesson/${lesson.id}/cancel`, {
        reason: 'the teacher was ill',
        by: 'teacher',
      }),
    );
    expect([await school.balance(ann), await school.balance(bob)]).toEqual(['5.00', '0.00']);
    expect((await school.rollCall(lesson.id)).marks).toMatchObject([
      { student_id: ann, mark: null, revision: 2, charged_hours: '0.00' },
      { student_id: bob, mark: null, revision: 2 },
    ]);
  });

  it('is charged as the policy says', async () => {
    const lesson = await school.lesson(clazz_id, 3);
    await school.setPolicy({ charge: { cancelled_by_org: '0.25' } });
    expectOk(await school.supervisor.post(`/clazz/lesson/${lesson.id}/cancel`, { reason: 'strike' }));
    expect([await school.balance(ann), await school.balance(bob)]).toEqual(['-0.25', '-0.25']);
    await school.setPolicy({});
  });
});
