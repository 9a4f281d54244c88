import { randomUUID } from 'node:crypto';
import { clazzEvents, type EventData, type EventDef, type Request, rollCallCalls } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { marksOf, MONDAY, startSchool, type School } from './test-school.ts';
import { transactionStatements } from './count-statements.ts';

let fixture: Fixture;
let school: School;
const clock = clockAt(MONDAY);
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clock));
});
afterAll(() => fixture?.stop());

describe('roll call', () => {
  it('marks a whole class in one call, charges by policy, and makes the lesson held', async () => {
    const [ann, bob, cid] = school.students(3) as [string, string, string];
    const clazz_id = await school.classOf([ann, bob, cid]);
    const lesson = await school.lesson(clazz_id, -2, { hours: '1.50' });
    await school.grant(ann, '10');
    const before = await school.rollCall(lesson.id);
    expect(before.marks.map((row) => row.revision)).toEqual([0, 0, 0]);
    const done = expectOk(await school.submit(lesson.id, { [ann]: 'present', [bob]: 'leave', [cid]: 'trial' }));
    expect(done.lesson).toMatchObject({ id: lesson.id, status: 'held', version: lesson.version + 1 });
    expect(done.marks).toMatchObject([
      { student_id: ann, mark: 'present', revision: 1, marked_by: 'teacher-1', charged_hours: '1.50' },
      { student_id: bob, mark: 'leave', revision: 1, charged_hours: '0.75' },
      { student_id: cid, mark: 'trial', revision: 1, charged_hours: '0.00' },
    ]);
    const { lesson: held, marks } = await school.rollCall(lesson.id);
    expect({ lesson: held, marks }).toMatchObject(done);
    expect(await school.balance(ann)).toBe('8.50');
    expect(await school.balance(bob)).toBe('-0.75');
    expect(await school.entries(cid)).toEqual([]);
    expect(await school.entries(ann)).toMatchObject([
      { kind: 'grant', amount: '10.00', balance_before: '0.00', balance_after: '10.00', lesson_id: null },
      {
        kind: 'consume',
        amount: '-1.50',
        balance_after: '8.50',
        lesson_id: lesson.id,
        mark_revision: 1,
        policy_version: 1,
      },
    ]);
  });

  it('changes nothing when repeated, and only different marks when corrected', async () => {
    const [ann, bob] = school.students(2) as [string, string];
    const clazz_id = await school.classOf([ann, bob]);
    const lesson = await school.lesson(clazz_id, -2);
    await school.grant(ann, '5');
    const first = expectOk(await school.submit(lesson.id, { [ann]: 'absent', [bob]: 'present' }));
    expect(expectOk(await school.submit(lesson.id, { [ann]: 'absent', [bob]: 'present' }))).toEqual(first);
    expectOk(await school.submit(lesson.id, { [ann]: 'leave' }, { reason: 'a note came' }));
    expect(await school.balance(ann)).toBe('4.50');
    expect((await school.entries(ann)).slice(1)).toMatchObject([
      { kind: 'consume', amount: '-1.00', mark_revision: 1 },
      { kind: 'reverse', amount: '1.00', mark_revision: 1 },
      { kind: 'consume', amount: '-0.50', mark_revision: 2 },
    ]);
    const history = expectOk(await school.teacher.get(`/clazz/lesson/${lesson.id}/roll-call/history`)).items;
    expect(history.filter((row) => row.student_id === ann)).toMatchObject([
      { mark: 'absent', revision: 1, charged_hours: '1.00', reason: null },
      { mark: 'leave', revision: 2, charged_hours: '0.50', reason: 'a note came' },
    ]);
    expect(history).toHaveLength(3);
  });

  it('lists only students who are enrolled at the time of the lesson', async () => {
    const [ann, bob] = school.students(2) as [string, string];
    const clazz_id = await school.classOf([ann]);
    const lesson = await school.lesson(clazz_id, -2);
    await school.enrol(clazz_id, bob);
    expect(marksOf(await school.rollCall(lesson.id))).toEqual({ [ann]: null });
    const problem = expectRefusal(
      await school.submit(lesson.id, { [ann]: 'present', [bob]: 'absent' }),
      404,
      'not_found',
    );
    expect(problem.errors).toMatchObject([{ path: '/body/marks/1/student_id' }]);
    expect((await school.rollCall(lesson.id)).lesson.status).toBe('scheduled');
  });

  it('opens 15 minutes before the lesson, and closes for teachers after the edit window', async () => {
    const [ann] = school.students(1) as [string];
    const clazz_id = await school.classOf([ann]);
    const lesson = await school.lesson(clazz_id, 1);
    expectRefusal(await school.submit(lesson.id, { [ann]: 'present' }), 409, 'roll_call_too_early');
    await school.runHoursLater(0.75, async () => {
      expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
    });
    await school.runHoursLater(2 + 7 * 24 + 0.01, async () => {
      expectRefusal(await school.submit(lesson.id, { [ann]: 'late' }), 409, 'edit_window_over');
      const path = `/clazz/lesson/${lesson.id}/roll-call`;
      const marks = [{ student_id: ann, mark: 'late' }];
      const problem = expectRefusal(await school.supervisor.put(path, { marks }), 400, 'invalid_request');
      expect(problem.errors).toMatchObject([{ path: '/body/reason' }]);
      expectOk(await school.supervisor.put(path, { marks, reason: 'the parents called' }));
    });
  });

  it('is allowed to the teacher of the lesson, and answers 404 to other organizations', async () => {
    const [ann] = school.students(1) as [string];
    const clazz_id = await school.classOf([ann]);
    const lesson = await school.lesson(clazz_id, -2, { teacher_id: 'teacher-2' });
    const path = `/clazz/lesson/${lesson.id}/roll-call`;
    const body = { marks: [{ student_id: ann, mark: 'present' }] };
    expectRefusal(await fixture.as({ role: 'TEACHER', sub: 'teacher-3' }).put(path, body), 403, 'forbidden');
    expectRefusal(await school.student(ann).get(path), 403, 'forbidden');
    expectRefusal(await fixture.as({ role: 'SUPERVISOR', org: randomUUID() }).put(path, body), 404, 'not_found');
    expectOk(await fixture.as({ role: 'TEACHER', sub: 'teacher-2' }).put(path, body));
    const problem = expectRefusal(await school.submit(lesson.id, { [ann]: 'here' }), 400, 'invalid_request');
    expect(problem.errors).toMatchObject([{ path: '/body/marks/0/mark' }]);
  });

  it('is also allowed to the lead teacher and the assistants of the class', async () => {
    const [ann] = school.students(1) as [string];
    const clazz_id = await school.classOf([ann], { lead_teacher_id: 'teacher-8' });
    expectOk(await school.supervisor.put(`/clazz/${clazz_id}/assistants`, { teacher_ids: ['teacher-7'] }));
    const lesson = await school.lesson(clazz_id, -2);
    const take = (sub: string, mark: string) =>
      fixture
        .as({ role: 'TEACHER', sub })
        .put(`/clazz/lesson/${lesson.id}/roll-call`, { marks: [{ student_id: ann, mark }] });
    expectOk(await take('teacher-8', 'present'));
    expectOk(await take('teacher-7', 'late'));
    expectRefusal(await take('teacher-9', 'present'), 403, 'forbidden');
  });

  it('keeps `late_minutes` while the mark is late, and clears it with another mark', async () => {
    const [ann] = school.students(1) as [string];
    const clazz_id = await school.classOf([ann]);
    const lesson = await school.lesson(clazz_id, -2);
    const path = { lesson_id: lesson.id };
    const put = async (
      mark: Omit<Request<typeof rollCallCalls.submitRollCall>['body']['marks'][number], 'student_id'>,
    ) =>
      singleElement(
        (
          await school.teacher.ok(rollCallCalls.submitRollCall, {
            path,
            body: { marks: [{ student_id: ann, ...mark }] },
          })
        ).marks,
      );
    expect(await put({ mark: 'late', late_minutes: 10 })).toMatchObject({ revision: 1, late_minutes: 10 });
    expect(await put({ mark: 'late', note: 'bus' })).toMatchObject({ revision: 2, late_minutes: 10, note: 'bus' });
    expect(await put({ mark: 'late', note: 'bus', late_minutes: null })).toMatchObject({
      revision: 3,
      late_minutes: null,
    });
    expect(await put({ mark: 'late', late_minutes: 5 })).toMatchObject({ revision: 4, late_minutes: 5 });
    expect(await put({ mark: 'present' })).toMatchObject({ revision: 5, late_minutes: null });
    const { items } = await school.teacher.ok(rollCallCalls.listRollCallRevisions, { path });
    expect(items.map((row) => row.late_minutes)).toEqual([10, 10, null, 5, null]);
  });

  it('is refused if a mark has changed since the revision in the request', async () => {
    const [ann, bob] = school.students(2) as [string, string];
    const clazz_id = await school.classOf([ann, bob]);
    const lesson = await school.lesson(clazz_id, -2);
    expectOk(
      await school.supervisor.put(`/clazz/lesson/${lesson.id}/roll-call`, {
        marks: [{ student_id: ann, mark: 'absent' }],
      }),
    );
    const take = (revision: number) =>
      school.teacher.put(`/clazz/lesson/${lesson.id}/roll-call`, {
        marks: [
          { student_id: bob, mark: 'present', revision: 0 },
          { student_id: ann, mark: 'present', revision },
        ],
      });
    const problem = expectRefusal(await take(0), 409, 'mark_changed');
    expect(problem.errors).toMatchObject([{ path: '/body/marks/1/revision' }]);
    expect(marksOf(await school.rollCall(lesson.id))).toEqual({ [ann]: 'absent', [bob]: null });
    expectOk(await take(1));
    expect(marksOf(await school.rollCall(lesson.id))).toEqual({ [ann]: 'present', [bob]: 'present' });
  });

  it('shows leave, remaining hours and attendance of each student', async () => {
    const [ann, bob] = school.students(2) as [string, string];
    const clazz_id = await school.classOf([ann, bob]);
    const other = await school.classOf([], { lead_teacher_id: 'teacher-4' });
    await school.grant(ann, '10');
    const [first, second, third] = [
      await school.lesson(clazz_id, -30),
      await school.lesson(clazz_id, -20),
      await school.lesson(clazz_id, 30),
    ];
    expectOk(await school.submit(first.id, { [ann]: 'late', [bob]: 'absent' }));
    expectOk(await school.submit(second.id, { [ann]: 'absent' }));
    await school.student(ann).post('/clazz/leave', { lesson_id: third.id, reason: 'a wedding' });
    const seen = await school.rollCall(third.id);
    expect(seen.marks).toMatchObject([
      {
        hours_left: '8.00',
        attended: { present: 1, of: 2 },
        leave: { status: 'pending', in_time: true, reason: 'a wedding' },
      },
      { hours_left: '-1.00', attended: { present: 0, of: 1 }, leave: null },
    ]);
    expect(seen).toMatchObject({ opens_at: school.inHours(29.75), closes_at: school.inHours(31 + 7 * 24) });
    expect((await school.rollCall(first.id)).marks).toMatchObject([{ attended: { present: 0, of: 0 } }, {}]);
    const stranger = fixture.as({ role: 'TEACHER', sub: 'teacher-4' });
    const shown = expectOk(await stranger.get(`/clazz/lesson/${third.id}/roll-call`)).marks;
    expect(shown.map((row) => row.hours_left)).toEqual([null, null]);
    expect(other).not.toBe(clazz_id);
  });

  it('is listed as missing until it is taken', async () => {
    const [ann] = school.students(1) as [string];
    const clazz_id = await school.classOf([ann], { lead_teacher_id: 'teacher-9' });
    const earlier = await school.lesson(clazz_id, -9);
    const lesson = await school.lesson(clazz_id, -5);
    await school.lesson(clazz_id, 5);
    const mine = fixture.as({ role: 'TEACHER', sub: 'teacher-9' });
    const missing = async () => expectOk(await mine.get('/clazz/roll-call/missing')).items.map((row) => row.id);
    expect(await missing()).toEqual([earlier.id, lesson.id]);
    const first = expectOk(await mine.get('/clazz/roll-call/missing?limit=1'));
    expect(first.items).toMatchObject([
      { closes_at: expectOk(await mine.get(`/clazz/lesson/${earlier.id}/roll-call`)).closes_at },
    ]);
    await school.runHoursLater(0.1, async () => {
      const next = expectOk(await mine.get(`/clazz/roll-call/missing?limit=1&cursor=${first.next_cursor}`));
      expect([...first.items, ...next.items]).toMatchObject([{ id: earlier.id }, { id: lesson.id }]);
    });
    expectOk(await mine.put(`/clazz/lesson/${lesson.id}/roll-call`, { marks: [{ student_id: ann, mark: 'late' }] }));
    expect(await missing()).toEqual([earlier.id]);
  });

  it('is refused for a closed class and for a cancelled lesson', async () => {
    const [ann] = school.students(1) as [string];
    const clazz_id = await school.classOf([ann]);
    const cancelled = await school.lesson(clazz_id, -6);
    const lesson = await school.lesson(clazz_id, -2);
    expectOk(await school.supervisor.post(`/clazz/lesson/${cancelled.id}/cancel`, { reason: 'rain' }));
    expectRefusal(await school.submit(cancelled.id, { [ann]: 'present' }), 409, 'invalid_transition');
    expectOk(await school.supervisor.post(`/clazz/${clazz_id}/complete`, { force: true, reason: 'over' }));
    expectRefusal(await school.submit(lesson.id, { [ann]: 'present' }), 409, 'clazz_closed');
    expect(await school.entries(ann)).toEqual([]);
  });

  it('is refused as a whole if overdraft is forbidden, and names students without enough hours', async () => {
    const [ann, bob] = school.students(2) as [string, string];
    const clazz_id = await school.classOf([ann, bob]);
    const lesson = await school.lesson(clazz_id, -2);
    await school.grant(ann, '5');
    await school.grant(bob, '0.5');
    const { version } = await school.setPolicy({ hours: { overdraft: 'forbid' } });
    const problem = expectRefusal(
      await school.submit(lesson.id, { [ann]: 'present', [bob]: 'present' }),
      409,
      'insufficient_hours',
    );
    expect(problem.students).toEqual([{ student_id: bob, balance: '0.50', needed: '1.00' }]);
    expect(await school.balance(ann)).toBe('5.00');
    const back = await school.setPolicy({});
    expect(back.version).toBe(version + 1);
    expectOk(await school.submit(lesson.id, { [ann]: 'present', [bob]: 'present' }));
    expect((await school.entries(bob)).slice(1)).toMatchObject([
      { kind: 'consume', amount: '-0.50', policy_version: back.version },
      { kind: 'consume', amount: '-0.50', lot_id: null, balance_after: '-0.50' },
    ]);
  });
});

describe('the policy', () => {
  it('has defaults, is replaced as a whole by supervisors, and numbers its versions', async () => {
    const org = randomUUID();
    const supervisor = fixture.as({ role: 'SUPERVISOR', org });
    const standard = expectOk(await supervisor.get('/clazz/policy'));
    expect(standard).toEqual({
      zone: 'UTC',
      currency: null,
      org_name: null,
      student_money: 'always',
      people: 'open',
      rooms: 'open',
      roll_call: { lead_minutes: 15, edit_window_days: 7 },
      leave: {
        deadline_hours: 24,
        quota_per_30_days: null,
        late: 'accept',
        approval: 'staff',
        make_up_credit: true,
        make_up_expires_days: 60,
      },
      charge: {
        present: '1.00',
        late: '1.00',
        absent: '1.00',
        leave_in_time: '0.00',
        leave_late: '0.50',
        makeup: '1.00',
        trial: '0.00',
        cancelled_by_teacher: '0.00',
        cancelled_by_org: '0.00',
      },
      hours: { overdraft: 'allow', overdraft_limit: null, reversal_extension_days: 30, draw_order: ['gift', 'paid'] },
      version: 1,
    });
    const { version: _version, ...settings } = standard;
    const wanted = { ...settings, zone: 'Asia/Shanghai', hours: { overdraft_limit: 5 } };
    const set = await supervisor.put('/clazz/policy', wanted);
    expect(expectOk(set)).toMatchObject({ zone: 'Asia/Shanghai', hours: { overdraft_limit: '5.00' }, version: 2 });
    expect(set.headers.get('etag')).toBe('"2"');
    expect(expectOk(await supervisor.put('/clazz/policy', wanted))).toEqual(set.body);
    expect(expectOk(await supervisor.get('/clazz/policy'))).toEqual(set.body);
    expectRefusal(await supervisor.put('/clazz/policy', {}, { 'if-match': '"1"' }), 412, 'version_mismatch');
    const problem = expectRefusal(
      await supervisor.put('/clazz/policy', { colour: 1, charge: { late: '1.001' } }),
      400,
      'invalid_request',
    );
    expect(problem.errors.map((error) => error.path).toSorted()).toEqual(['/body/charge/late', '/body/colour']);
    expectRefusal(await fixture.as({ role: 'TEACHER', org }).put('/clazz/policy', {}), 403, 'forbidden');
    const versions = await Promise.all(
      [1, 2, 3, 4].map((hours) => supervisor.put('/clazz/policy', { leave: { deadline_hours: hours } })),
    );
    expect(versions.map((answer) => answer.body.version).toSorted()).toEqual([3, 4, 5, 6]);
  });
});

describe('roll call of a large class', () => {
  /** The events of the last roll-call transaction of a lesson, and the data of its event of one type. */
  const lastTransaction = async (lesson_id: string) => {
    const events = await fixture.events('clazz');
    const tx_id = events.findLast(
      ({ type, data }) => type.startsWith('clazz.roll_call') && JSON.stringify(data).includes(lesson_id),
    )?.tx_id;
    const ofTransaction = <T extends { tx_id: string }>(all: T[]): T[] => all.filter((event) => event.tx_id === tx_id);
    return {
      events: ofTransaction(events).toSorted((x, y) => (x.type < y.type ? -1 : 1)),
      dataOf: async <E extends EventDef>(event: E): Promise<EventData<E>> =>
        singleElement(ofTransaction(await fixture.events('clazz', event))).data,
    };
  };

  it('publishes one event of each type for any number of students', async () => {
    const students = school.students(30);
    const clazz_id = await school.classOf(students);
    const lesson = await school.lesson(clazz_id, -2);
    for (const student of students) await school.grant(student, '5');
    const all = (mark: string) => Object.fromEntries(students.map((student) => [student, mark]));
    expectOk(await school.submit(lesson.id, all('present')));
    const { events, dataOf } = await lastTransaction(lesson.id);
    expect(events.map(({ type, aggregate_id }) => [type, aggregate_id])).toEqual([
      ['clazz.audit.recorded.v2', clazz_id],
      ['clazz.hours.moved.v2', clazz_id],
      ['clazz.lesson.changed.v1', clazz_id],
      ['clazz.roll_call.recorded.v2', clazz_id],
    ]);
    const hours = await dataOf(clazzEvents.accountsMoved);
    expect((await dataOf(clazzEvents.auditRecorded)).entries).toMatchObject([
      { entity: 'lesson' },
      { entity: 'roll_call', action: 'create', clazz_id },
    ]);
    expect(hours).toMatchObject({ lesson_id: lesson.id, clazz_id });
    expect(hours.accounts).toHaveLength(30);
    expect(hours.accounts).toContainEqual({
      student_id: students[0],
      balance: '4.00',
      granted: '5.00',
      consumed: '1.00',
      entries: [{ id: expect.any(String), kind: 'consume', lot_id: expect.any(String), amount: '-1.00' }],
      lots: [{ id: expect.any(String), kind: 'paid', granted: '5.00', remaining: '4.00', expires_at: null }],
    });
    expect(await dataOf(clazzEvents.rollCallsRecorded)).toMatchObject({
      clazz_id,
      marked_by: 'teacher-1',
      lessons: [{ lesson: { status: 'held' } }],
    });
    expectOk(await school.submit(lesson.id, all('leave')));
    const corrected = await lastTransaction(lesson.id);
    expect(corrected.events.map(({ type }) => type)).toEqual([
      'clazz.audit.recorded.v2',
      'clazz.hours.moved.v2',
      'clazz.roll_call.recorded.v2',
    ]);
    expect((await corrected.dataOf(clazzEvents.accountsMoved)).accounts).toContainEqual(
      expect.objectContaining({ student_id: students[0], balance: '4.50', granted: '5.00', consumed: '0.50' }),
    );
  });

  it('takes as many statements as the roll call of a small class', async () => {
    const counts: number[] = [];
    for (const size of [2, 40]) {
      const students = school.students(size);
      const clazz_id = await school.classOf(students);
      const lesson = await school.lesson(clazz_id, -2);
      for (const student of students) await school.grant(student, '5');
      const all = (mark: string) => Object.fromEntries(students.map((student) => [student, mark]));
      const first = await transactionStatements(/insert into mark_revision/, async () =>
        expectOk(await school.submit(lesson.id, all('present'))),
      );
      const correction = await transactionStatements(/insert into mark_revision/, async () =>
        expectOk(await school.submit(lesson.id, all('leave'))),
      );
      counts.push(first.length, correction.length);
    }
    // Begin; six that lock and read; four that open accounts; five that store; the outbox; names; commit.
    // A correction updates no lesson, but updates the missing marks.
    expect(counts).toEqual([19, 19, 19, 19]);
  });
});
