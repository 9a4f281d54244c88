import { randomUUID } from 'node:crypto';
import { hourCalls, ledgerCalls, type Leave, type Lesson } from '@teaching/contracts';
import { HOUR_MS, MINUTE_MS } from '@teaching/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codeOf, codesOf, expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { brokenInvariants } from './invariants.ts';
import { postLesson } from './enrol-helpers.ts';
import { createSchoolInNewOrg, marksOf, MONDAY, startSchool, type School } from './test-school.ts';

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

const restore = (id: string, body: object = { reason: 'cancelled by mistake' }) =>
  school.supervisor.post(`/clazz/lesson/${id}/restore`, body);
const cancel = async (id: string, body: object = { reason: 'flood' }): Promise<Lesson> =>
  expectOk(await school.supervisor.post(`/clazz/lesson/${id}/cancel`, body));
const lessonOf = async (id: string): Promise<Lesson> => expectOk(await school.supervisor.get(`/clazz/lesson/${id}`));
const requestLeave = async (student_id: string, lesson_id: string): Promise<Leave> =>
  singleElement(
    expectOk(await school.supervisor.post('/clazz/leave', { student_id, lesson_id, reason: 'ill' }), 201).items,
  );
const approve = async ({ id }: Leave): Promise<Leave> =>
  expectOk(await school.teacher.post(`/clazz/leave/${id}/approve`));
const bookMakeUp = async ({ id }: Leave, lesson_id: string): Promise<Leave> =>
  expectOk(await school.supervisor.post(`/clazz/leave/${id}/make-up`, { lesson_id }));
const leaveOf = async ({ id, student_id }: Leave): Promise<Leave | undefined> =>
  expectOk(await school.supervisor.get(`/clazz/leave?student_id=${student_id}`)).items.find((row) => row.id === id);
const missing = async (of = clazz_id) =>
  expectOk(await school.supervisor.get(`/clazz/roll-call/missing?clazz_id=${of}`)).items.map((row) => [
    row.id,
    row.unmarked,
  ]);
const auditEntries = async (entity: string, entity_id: string, of = clazz_id) =>
  expectOk(await school.supervisor.get(`/clazz/${of}/audit-log?entity=${entity}&action=update&limit=100`)).items.filter(
    (row) => row.entity_id === entity_id,
  );

describe('a cancelled lesson', () => {
  it('is restored as it was, with leave, credits and bookings on both sides', async () => {
    const lesson = await school.lesson(clazz_id, 30);
    const hosts = await school.classOf([]);
    const elsewhere = await school.lesson(hosts, 50);
    const pending = await requestLeave(ann, lesson.id);
    const approved = await bookMakeUp(await approve(await requestLeave(bob, lesson.id)), elsewhere.id);
    const [cid] = school.students(1) as [string];
    const guests = await school.classOf([cid]);
    const guest = await bookMakeUp(
      await approve(await requestLeave(cid, (await school.lesson(guests, 20)).id)),
      lesson.id,
    );
    await cancel(lesson.id);
    expect(await leaveOf(approved)).toMatchObject({ status: 'cancelled', make_up: { lesson_id: null } });
    school.passHours(1);
    const back = expectOk(await restore(lesson.id));
    expect(back).toMatchObject({ status: 'scheduled', cancelled_by: null, cancel_reason: null, not_restored: [] });
    const { version, updated_at } = back;
    expect(await lessonOf(lesson.id)).toMatchObject({ ...lesson, version, updated_at });
    expect(await leaveOf(pending)).toMatchObject({ status: 'pending', make_up: null });
    expect(await leaveOf(approved)).toMatchObject({ status: 'approved', make_up: approved.make_up });
    expect(await leaveOf(guest)).toMatchObject({ status: 'approved', make_up: guest.make_up });
    expect((await school.rollCall(lesson.id)).marks.map((row) => row.student_id).toSorted()).toEqual([ann, bob, cid]);
    const [entry] = await auditEntries('lesson', lesson.id);
    expect(entry).toMatchObject({
      reason: 'cancelled by mistake',
      changes: { status: { before: 'cancelled', after: 'scheduled' } },
    });
  });

  it('is restored even if a booking cannot be, and names that booking', async () => {
    const lesson = await school.lesson(clazz_id, 30);
    const [cid, dan] = school.students(2) as [string, string];
    const home = await school.classOf([cid]);
    const guest = await bookMakeUp(
      await approve(await requestLeave(cid, (await school.lesson(home, 20)).id)),
      lesson.id,
    );
    await cancel(lesson.id);
    const other = await school.lesson(await school.classOf([dan]), 40);
    await bookMakeUp(guest, other.id);
    const { not_restored } = expectOk(await restore(lesson.id));
    const lost = { leave_id: guest.id, student_id: cid, lesson_id: lesson.id, reason: 'credit_unavailable' };
    expect(not_restored).toMatchObject([lost]);
    expect(await leaveOf(guest)).toMatchObject({ make_up: { lesson_id: other.id } });
    const [entry] = await auditEntries('leave', guest.id);
    expect(entry?.changes).toEqual({ not_restored: { before: lesson.id, after: 'credit_unavailable' } });
  });

  it('is not restored if teacher, room or a student has a clash; override allows the first two', async () => {
    const lesson = await school.lesson(clazz_id, 30, { teacher_id: 'wu', room: 'Hall' });
    await cancel(lesson.id);
    const other = await school.classOf([]);
    const clashing = await school.lesson(other, 30.5, { teacher_id: 'wu', room: 'Hall' });
    const { conflicts } = expectRefusal(await restore(lesson.id), 409, 'schedule_conflict');
    expect(conflicts).toMatchObject([{ lesson_id: clashing.id, teacher_id: 'wu', room: 'Hall', student_ids: [] }]);
    expect(await lessonOf(lesson.id)).toMatchObject({ status: 'cancelled', cancel_reason: 'flood' });
    const override = { reason: 'both fit', override: true };
    expectOk(await restore(lesson.id, override));
    // A lesson that has an override already needs no second one.
    await cancel(lesson.id);
    expectOk(await restore(lesson.id));
    await cancel(lesson.id);
    expectOk(await school.supervisor.post(`/clazz/${other}/student`, { student_ids: [ann] }), 201);
    const { conflicts: people } = expectRefusal(await restore(lesson.id, override), 409, 'schedule_conflict');
    expect(people).toMatchObject([{ lesson_id: clashing.id, student_ids: [ann] }]);
  });

  it('is restored, alone or with its class, for a student on leave from another lesson at that time', async () => {
    const other = await school.classOf([]);
    const lesson = await school.lesson(other, 30.5);
    const away = await approve(await requestLeave(ann, (await school.lesson(clazz_id, 30)).id));
    expectOk(await school.supervisor.post(`/clazz/${other}/student`, { student_ids: [ann] }), 201);
    await cancel(lesson.id);
    expectOk(await restore(lesson.id));
    expectOk(await school.supervisor.post(`/clazz/${other}/complete`));
    const reopened = expectOk(await school.supervisor.post(`/clazz/${other}/reopen`, { reason: 'too early' }));
    expect(reopened).toMatchObject({ restored_lessons: [lesson.id], not_restored: [] });
    const moved = { starts_at: school.inHours(30), ends_at: school.inHours(31) };
    expectOk(await school.supervisor.patch(`/clazz/lesson/${lesson.id}`, moved));
    expectRefusal(await school.supervisor.post(`/clazz/leave/${away.id}/cancel`), 409, 'schedule_conflict');
  });

  it('that was held is restored without marks and charges, and its roll call is missing again', async () => {
    const lesson = await school.lesson(clazz_id, -3);
    expectOk(await school.submit(lesson.id, { [ann]: 'present', [bob]: 'absent' }));
    await cancel(lesson.id);
    expect(await school.balance(ann)).toBe('0.00');
    expectOk(await restore(lesson.id));
    expect(await missing()).toEqual([[lesson.id, [ann, bob]]]);
    expectOk(await school.submit(lesson.id, { [ann]: 'late', [bob]: 'absent' }));
    expect([await school.balance(ann), await missing()]).toEqual(['-1.00', []]);
  });

  it('gives back the charge of its cancellation when it is restored', async () => {
    await school.setPolicy({ charge: { cancelled_by_org: '0.50' } });
    const lesson = await school.lesson(clazz_id, 30);
    await cancel(lesson.id);
    expect(await school.balance(ann)).toBe('-0.50');
    await school.setPolicy({ charge: { cancelled_by_org: '1.00' }, hours: { overdraft: 'forbid' } });
    expectOk(await restore(lesson.id));
    expect(await school.balance(ann)).toBe('0.00');
  });

  it('is restored once, only by a supervisor with a reason, and only in an open class', async () => {
    const lesson = await school.lesson(clazz_id, 30);
    expectRefusal(await restore(lesson.id), 409, 'invalid_transition');
    const { version } = await cancel(lesson.id);
    expectRefusal(await school.teacher.post(`/clazz/lesson/${lesson.id}/restore`, { reason: 'x' }), 403, 'forbidden');
    expectRefusal(await restore(lesson.id, {}), 400, 'invalid_request');
    expectRefusal(await restore(randomUUID()), 404, 'not_found');
    const stale = { 'if-match': `"${version - 1}"` };
    const path = `/clazz/lesson/${lesson.id}/restore` as const;
    expectRefusal(await school.supervisor.post(path, { reason: 'x' }, stale), 412, 'version_mismatch');
    const answers = await Promise.all(Array.from({ length: 5 }, () => restore(lesson.id)));
    expect(codesOf(answers)).toEqual(['200', ...Array<string>(4).fill('409 invalid_transition')]);
    await cancel(lesson.id);
    expectOk(await school.supervisor.post(`/clazz/${clazz_id}/complete`, { force: true, reason: 'end' }));
    expectRefusal(await restore(lesson.id), 409, 'clazz_closed');
  });
});

it('a lesson is restored or stays cancelled, without a clash, when others are scheduled in parallel', async () => {
  for (let round = 0; round < 4; round += 1) {
    const hours = 100 + 10 * round;
    const [teacher_id, room] = [`wu-${round}`, `Hall ${round}`];
    const lesson = await school.lesson(clazz_id, hours, { teacher_id, room });
    await cancel(lesson.id);
    const classes = await Promise.all([[], [], [bob]].map((students) => school.classOf(students)));
    const fields = [{ room }, { teacher_id }, {}];
    const [back, ...others] = await Promise.all([
      restore(lesson.id),
      ...classes.map((id, n) =>
        postLesson(school.supervisor, id, school.inHours(hours + 0.5), { teacher_id: `other-${id}`, ...fields[n] }),
      ),
    ]);
    // Either the lesson was restored and the others were refused, or another one was stored first.
    const taken = others.filter((answer) => answer.status === 201);
    expect(new Set(codesOf([back, ...others].filter(({ status }) => status >= 300)))).toEqual(
      new Set(['409 schedule_conflict']),
    );
    expect(taken.length > 0).toBe(back.status !== 200);
    expect((await lessonOf(lesson.id)).status).toBe(back.status === 200 ? 'scheduled' : 'cancelled');
  }
});

describe('a new lesson', () => {
  const remove = (id: string, of = school.supervisor, scope = 'this') =>
    of.delete(`/clazz/lesson/${id}?scope=${scope}`);
  const refuse = async (id: string, scope = 'this') =>
    expectRefusal(await remove(id, school.supervisor, scope), 409, 'lesson_in_use');

  it('can be removed for 10 minutes, until it begins, by staff who may create it, in an open class', async () => {
    const [soon, old, kept] = [
      await school.lesson(clazz_id, 0.1),
      await school.lesson(clazz_id, 5),
      await school.lesson(clazz_id, 7),
    ];
    const assistant = school.as({ role: 'TEACHER', sub: 'assistant-9' });
    expectRefusal(await remove(old.id, assistant), 403, 'forbidden');
    expectRefusal(
      await school.supervisor.delete(`/clazz/lesson/${old.id}`, { 'if-match': '"7"' }),
      412,
      'version_mismatch',
    );
    school.passHours(0.1);
    await refuse(soon.id);
    clock.set(Date.parse(MONDAY) + 10 * MINUTE_MS);
    expect((await remove(old.id, school.teacher)).status).toBe(204);
    clock.set(Date.parse(MONDAY) + 10 * MINUTE_MS + 1);
    await refuse(kept.id);
    clock.reset();
    const closed = await school.lesson(clazz_id, 9);
    expectOk(await school.supervisor.post(`/clazz/${clazz_id}/cancel`, { reason: 'x' }));
    expectRefusal(await remove(closed.id), 409, 'clazz_closed');
  });

  it('cannot be removed once it had a mark, a charge, a leave or a booking, even if that ended', async () => {
    await school.setPolicy({ charge: { cancelled_by_org: '0.50' }, roll_call: { lead_minutes: 600 } });
    const marked = await school.lesson(clazz_id, 4);
    expectOk(await school.submit(marked.id, { [ann]: 'present' }));
    const withdrawn = { marks: [{ student_id: ann, mark: null }], reason: 'x' };
    expectOk(await school.supervisor.put(`/clazz/lesson/${marked.id}/roll-call`, withdrawn));
    expectOk(await restore(marked.id));
    const charged = await school.lesson(clazz_id, 60);
    await cancel(charged.id);
    const left = await school.lesson(clazz_id, 70);
    expectOk(await school.supervisor.post(`/clazz/leave/${(await requestLeave(ann, left.id)).id}/cancel`));
    const missed = await school.lesson(clazz_id, 80);
    const booked = await school.lesson(await school.classOf([]), 90);
    const leave = await bookMakeUp(await approve(await requestLeave(bob, missed.id)), booked.id);
    await refuse(booked.id);
    expectOk(await school.supervisor.delete(`/clazz/leave/${leave.id}/make-up`));
    for (const { id } of [marked, charged, left, missed, booked]) await refuse(id);
  });

  it('is removed with its whole series or not at all, and gives its time to waiting students', async () => {
    const rule = {
      starts_on: '2026-03-10',
      start_time: '10:00',
      duration_minutes: 60,
      zone: 'UTC',
      rrule: 'FREQ=DAILY',
      count: 3,
    };
    const [full, taken] = [await school.classOf([bob], { capacity: 1 }), await school.classOf([ann])];
    expectOk(await postLesson(school.supervisor, full, '2026-03-11T10:30:00Z', { teacher_id: 'waited-for' }), 201);
    const made = expectOk(
      await school.supervisor.post(`/clazz/${taken}/lesson/series`, { ...rule, teacher_id: 'of-series' }),
      201,
    );
    const [first = '', second = ''] = made.items.map(({ id }) => id);
    expectOk(await school.supervisor.post(`/clazz/${full}/student`, { student_ids: [ann], waitlist: true }), 201);
    expectOk(await school.supervisor.post(`/clazz/${full}/student/${bob}/withdraw`));
    const statusIn = async () =>
      expectOk(await school.supervisor.get(`/clazz/${full}/student`)).items.map(({ status }) => status);
    expect(await statusIn()).toEqual(['withdrawn', 'waiting']);
    const request = await requestLeave(ann, second);
    await refuse(first, 'all');
    expect(expectOk(await school.supervisor.get(`/clazz/${taken}/lesson`)).items).toHaveLength(3);
    await fixture.sql('delete from clazz.leave where id = $1', [request.id]);
    expect((await remove(second, school.supervisor, 'following')).status).toBe(204);
    expect(expectOk(await school.supervisor.get(`/clazz/${taken}/lesson`)).items).toMatchObject([{ id: first }]);
    expect(await statusIn()).toEqual(['withdrawn', 'active']);
  });

  it('is either removed or used when it is marked, booked, left and removed in parallel', async () => {
    await school.setPolicy({ roll_call: { lead_minutes: 600 } });
    const creditOf = async (hours: number) =>
      approve(await requestLeave(bob, (await school.lesson(clazz_id, hours)).id));
    const credits = [await creditOf(50), await creditOf(52)];
    const hosts = await school.classOf([ann]);
    for (let round = 0; round < 6; round += 1) {
      const { id } = await school.lesson(hosts, 4 + round * 2);
      const uses = [
        () => school.submit(id, { [ann]: 'present' }),
        () => school.student(ann).post('/clazz/leave', { lesson_id: id, reason: 'ill' }),
        () =>
          school.supervisor.post(`/clazz/leave/${credits[Math.floor(round / 3)]?.id ?? ''}/make-up`, { lesson_id: id }),
      ] as const;
      const use = uses[(round % 3) as 0 | 1 | 2];
      // Each use is sent first once, and second once.
      const isFirst = round < 3;
      const answers = await Promise.all(isFirst ? [use(), remove(id)] : [remove(id), use()]);
      const [used, removed] = (isFirst ? answers : answers.toReversed()).map(codeOf);
      if (removed === '204') expect(used).toBe('404 not_found');
      else expect([removed, used]).toEqual(['409 lesson_in_use', expect.stringMatching(/^20[01]$/)]);
    }
  });
});

describe('a decided leave', () => {
  const reopenLeave = ({ id }: Leave, by = school.teacher) =>
    by.post(`/clazz/leave/${id}/reopen`, { reason: 'the wrong button' });
  const reject = async ({ id }: Leave): Promise<Leave> =>
    expectOk(await school.teacher.post(`/clazz/leave/${id}/reject`, { reason: 'the exam is that day' }));

  it('shows its reason, and is pending without reason and credit when it is reopened', async () => {
    const lesson = await school.lesson(clazz_id, 30);
    const asked = await requestLeave(ann, lesson.id);
    expectRefusal(await reopenLeave(asked), 409, 'invalid_transition');
    const why = { reason: 'get well soon' };
    const approved = expectOk(await school.teacher.post(`/clazz/leave/${asked.id}/approve`, why));
    expect(approved).toMatchObject({ decision_reason: 'get well soon', make_up: { status: 'available' } });
    const seenByStudent = expectOk(await school.student(ann).get(`/clazz/leave/${asked.id}`));
    expect(seenByStudent).toMatchObject({ decision_reason: 'get well soon' });
    const sheet = await school.rollCall(lesson.id);
    expect(sheet.marks[0]?.leave).toMatchObject({ decision_reason: 'get well soon' });
    expectRefusal(await reopenLeave(asked, school.student(ann)), 403, 'forbidden');
    expect(expectOk(await reopenLeave(asked))).toEqual({ ...asked, approval: expect.anything(), version: 3 });
    const entries = await auditEntries('leave', asked.id);
    expect(entries[0]).toMatchObject({
      reason: 'the wrong button',
      changes: {
        status: { before: 'approved', after: 'pending' },
        decision_reason: { before: 'get well soon', after: null },
        make_up: { before: 'available', after: null },
      },
    });
    expect(await reject(asked)).toMatchObject({ status: 'rejected', decision_reason: 'the exam is that day' });
    expectOk(await reopenLeave(asked, school.supervisor));
    expect(await approve(asked)).toMatchObject({ decision_reason: null, make_up: approved.make_up });
  });

  it('that an early roll call marked leaves the student unmarked when it is reopened', async () => {
    const lesson = await school.lesson(clazz_id, 0.2);
    const leave = await approve(await requestLeave(ann, lesson.id));
    expectOk(await school.submit(lesson.id, { [bob]: 'present' }));
    expect(await school.balance(ann)).toBe('-0.50');
    expectOk(await reopenLeave(leave));
    expect((await school.rollCall(lesson.id)).marks).toMatchObject([
      { student_id: ann, mark: null, revision: 2, charged_hours: '0.00' },
      { student_id: bob, mark: 'present', revision: 1 },
    ]);
    expect(await school.balance(ann)).toBe('0.00');
    school.passHours(2);
    expect(await missing()).toEqual([[lesson.id, [ann]]]);
    expect(marksOf(expectOk(await school.submit(lesson.id, { [ann]: 'absent' })))).toMatchObject({ [ann]: 'absent' });
  });

  it('is not reopened with a booking, a clash, a newer leave, over the quota, or once its lesson began', async () => {
    const lesson = await school.lesson(clazz_id, 30);
    const hosts = await school.classOf([ann]);
    const leave = await approve(await requestLeave(ann, lesson.id));
    const clash = await school.lesson(hosts, 30.5);
    expectRefusal(await reopenLeave(leave), 409, 'schedule_conflict');
    await cancel(clash.id);
    const target = await school.lesson(await school.classOf([]), 50);
    await bookMakeUp(leave, target.id);
    expectRefusal(await reopenLeave(leave), 409, 'make_up_booked');
    const rejected = await reject(await requestLeave(bob, lesson.id));
    const newer = await requestLeave(bob, lesson.id);
    expectRefusal(await reopenLeave(rejected), 409, 'leave_exists');
    await reject(newer);
    await requestLeave(bob, (await school.lesson(clazz_id, 40)).id);
    await school.setPolicy({ leave: { quota_per_30_days: 1 } });
    expectRefusal(await reopenLeave(newer), 409, 'leave_quota');
    await school.setPolicy({});
    school.passHours(30);
    expectRefusal(await reopenLeave(newer), 409, 'invalid_transition');
  });

  it('is either reopened or made up, and reopened once, by requests at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const lesson = await school.lesson(clazz_id, 30 + 2 * round);
      const target = await school.lesson(await school.classOf([]), 50 + 2 * round);
      const leave = await approve(await requestLeave(ann, lesson.id));
      const [first, second, booked] = await Promise.all([
        reopenLeave(leave),
        reopenLeave(leave, school.supervisor),
        school.supervisor.post(`/clazz/leave/${leave.id}/make-up`, { lesson_id: target.id }),
      ]);
      const after = await leaveOf(leave);
      if (booked.status === 200) {
        expect(codesOf([first, second])).toEqual(['409 make_up_booked', '409 make_up_booked']);
        expect(after).toMatchObject({ status: 'approved', make_up: { lesson_id: target.id } });
      } else {
        expect(codesOf([first, second, booked])).toEqual(['200', '409 credit_unavailable', '409 invalid_transition']);
        expect(after).toMatchObject({ status: 'pending', make_up: null });
      }
    }
  });

  it('has no mark `leave` when it is pending, after a roll call and a reopening at the same time', async () => {
    for (let round = 0; round < 4; round += 1) {
      const lesson = await school.lesson(await school.classOf([ann]), 0.2);
      const leave = await approve(await requestLeave(ann, lesson.id));
      const answers = await Promise.all([reopenLeave(leave), school.submit(lesson.id, { [ann]: 'absent' })]);
      expect(codesOf(answers)).toEqual(['200', '200']);
      expect(marksOf(await school.rollCall(lesson.id))).toEqual({ [ann]: 'absent' });
      await cancel(lesson.id);
    }
  });
});

describe('a mark', () => {
  const withdraw = (lesson_id: string, ...student_ids: string[]) =>
    school.supervisor.put(`/clazz/lesson/${lesson_id}/roll-call`, {
      marks: student_ids.map((student_id) => ({ student_id, mark: null })),
      reason: 'a wrong name',
    });

  const unmark = (by: School['teacher'], lesson_id: string, ...student_ids: string[]) =>
    by.put(`/clazz/lesson/${lesson_id}/roll-call`, {
      marks: student_ids.map((student_id) => ({ student_id, mark: null })),
    });

  it('is withdrawn without a reason by the teacher who set it, for 10 minutes', async () => {
    const lesson = await school.lesson(clazz_id, -1.5);
    await school.grant(ann, '2');
    const other = school.as({ role: 'TEACHER', sub: lesson.teacher_id });
    expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
    const bobs = { marks: [{ student_id: bob, mark: 'late' }] };
    expectOk(await other.put(`/clazz/lesson/${lesson.id}/roll-call`, bobs));
    expectRefusal(await unmark(school.teacher, lesson.id, ann, bob), 403, 'forbidden');
    expectRefusal(await unmark(other, lesson.id, ann), 403, 'forbidden');
    expect(marksOf(await school.rollCall(lesson.id))).toEqual({ [ann]: 'present', [bob]: 'late' });
    expect(marksOf(expectOk(await unmark(school.teacher, lesson.id, ann)))).toEqual({ [ann]: null, [bob]: 'late' });
    expectOk(await unmark(school.teacher, lesson.id, ann));
    expect([await school.balance(ann), await missing()]).toEqual(['2.00', [[lesson.id, [ann]]]]);
    expect(await auditEntries('roll_call', lesson.id)).toMatchObject([
      { reason: null, changes: { [ann]: { before: 'present', after: null } } },
      { changes: { [bob]: { before: null, after: 'late' } } },
    ]);
    expectOk(await school.submit(lesson.id, { [ann]: 'absent' }));
    school.passHours(11 / 60);
    expectRefusal(await unmark(school.teacher, lesson.id, ann), 403, 'forbidden');
  });

  it('is the last one of a roll call that its teacher withdraws: the lesson is scheduled as before, with leave', async () => {
    const lesson = await school.lesson(clazz_id, 0.2);
    const leave = await approve(await requestLeave(bob, lesson.id));
    const state = async () => ({
      marks: (await school.rollCall(lesson.id)).marks.map(({ mark, charged_hours }) => ({ mark, charged_hours })),
      leave: { ...(await leaveOf(leave)), version: 0 },
      status: (await lessonOf(lesson.id)).status,
      balances: [await school.balance(ann), await school.balance(bob)],
      missing: await missing(),
    });
    const before = await state();
    expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
    expect(await state()).toMatchObject({ status: 'held', marks: [{ mark: 'present' }, { mark: 'leave' }] });
    expect(expectOk(await unmark(school.teacher, lesson.id, ann)).lesson.status).toBe('scheduled');
    expect(await state()).toEqual(before);
    school.passHours(2);
    const never = await school.lesson(clazz_id, -3.5);
    expect((await missing()).find(([id]) => id === lesson.id)?.[1]).toEqual(
      (await missing()).find(([id]) => id === never.id)?.[1],
    );
    expectOk(await school.submit(lesson.id, { [ann]: 'late' }));
    expect(await state()).toMatchObject({ status: 'held', marks: [{ mark: 'late' }, { mark: 'leave' }] });
  });

  it('is withdrawn before its roll call opens', async () => {
    const lesson = await school.lesson(clazz_id, 0.5);
    await school.setPolicy({ roll_call: { lead_minutes: 60 } });
    expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
    await school.setPolicy({});
    expectRefusal(await school.submit(lesson.id, { [bob]: 'present' }), 409, 'roll_call_too_early');
    expect(marksOf(expectOk(await unmark(school.teacher, lesson.id, ann)))).toEqual({ [ann]: null, [bob]: null });
  });

  it('of another person is never withdrawn, also if it is set at the same time', async () => {
    const lesson = await school.lesson(clazz_id, -3);
    const codes = new Set<string>();
    for (let round = 0; round < 8; round += 1) {
      expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
      const marks = [{ student_id: ann, mark: 'late' }];
      const answers = await Promise.all([
        unmark(school.teacher, lesson.id, ann),
        school.supervisor.put(`/clazz/lesson/${lesson.id}/roll-call`, { marks }),
      ]);
      for (const code of codesOf(answers)) codes.add(code);
      expect(marksOf(await school.rollCall(lesson.id))[ann]).toBe('late');
    }
    expect([...codes].filter((code) => code !== '200' && code !== '403 forbidden')).toEqual([]);
  });

  it('is withdrawn by a supervisor with a reason: the charge returns, and the history stays complete', async () => {
    const lesson = await school.lesson(clazz_id, -3);
    expectOk(await school.submit(lesson.id, { [ann]: 'present', [bob]: 'present' }));
    const path = `/clazz/lesson/${lesson.id}/roll-call` as const;
    const marks = [{ student_id: ann, mark: null }];
    school.passHours(1);
    expectRefusal(await school.teacher.put(path, { marks, reason: 'x' }), 403, 'forbidden');
    expectRefusal(await school.supervisor.put(path, { marks }), 400, 'invalid_request');
    const { marks: rows } = expectOk(await withdraw(lesson.id, ann));
    expect(rows.find((row) => row.student_id === ann)).toMatchObject({
      mark: null,
      revision: 2,
      charged_hours: '0.00',
    });
    expect([await school.balance(ann), await school.balance(bob)]).toEqual(['0.00', '-1.00']);
    expect(await missing()).toEqual([[lesson.id, [ann]]]);
    expect(expectOk(await withdraw(lesson.id, ann)).marks).toEqual(rows);
    const history = expectOk(await school.supervisor.get(`${path}/history`)).items.filter(
      (row) => row.student_id === ann,
    );
    expect(history.map((row) => [row.mark, row.reason])).toEqual([
      ['present', null],
      [null, 'a wrong name'],
    ]);
    const [entry] = await auditEntries('roll_call', lesson.id);
    expect(entry).toMatchObject({ reason: 'a wrong name', changes: { [ann]: { before: 'present', after: null } } });
    expectOk(await school.submit(lesson.id, { [ann]: 'late' }));
    expect([await school.balance(ann), await missing()]).toEqual(['-1.00', []]);
  });

  it('is replaced by approved leave when it is withdrawn, and the credit returns', async () => {
    const lesson = await school.lesson(clazz_id, 30);
    const leave = await approve(await requestLeave(ann, lesson.id));
    school.passHours(31);
    expectOk(await school.submit(lesson.id, { [ann]: 'present', [bob]: 'present' }));
    expect(await leaveOf(leave)).toMatchObject({ make_up: { status: 'withdrawn' } });
    const after = expectOk(await withdraw(lesson.id, ann));
    expect(marksOf(after)).toEqual({ [ann]: 'leave', [bob]: 'present' });
    expect([await school.balance(ann), await missing()]).toEqual(['0.00', []]);
    expect(await leaveOf(leave)).toMatchObject({ status: 'approved', make_up: { status: 'available' } });
    expect(expectOk(await withdraw(lesson.id, ann)).marks).toEqual(after.marks);
  });

  it('of a guest prevents cancelling the leave that is made up, until the mark is withdrawn', async () => {
    const [cid] = school.students(1) as [string];
    const home = await school.classOf([cid]);
    const lesson = await school.lesson(clazz_id, 30);
    const leave = await bookMakeUp(
      await approve(await requestLeave(cid, (await school.lesson(home, 25)).id)),
      lesson.id,
    );
    school.passHours(31);
    expectOk(await school.submit(lesson.id, { [ann]: 'present', [bob]: 'present', [cid]: 'makeup' }));
    const cancelLeave = () => school.supervisor.post(`/clazz/leave/${leave.id}/cancel`);
    expectRefusal(await cancelLeave(), 409, 'invalid_transition');
    expectOk(await withdraw(lesson.id, cid));
    expect(await missing()).toEqual([[lesson.id, [cid]]]);
    expectOk(await cancelLeave());
    expect(await missing()).toEqual([]);
  });

  it('of a former student is withdrawn together with their row in the roll call', async () => {
    const lesson = await school.lesson(clazz_id, -3);
    expectOk(await school.submit(lesson.id, { [ann]: 'present', [bob]: 'present' }));
    expectOk(await school.supervisor.post(`/clazz/${clazz_id}/student/${ann}/withdraw`));
    await fixture.sql(
      `update clazz.enrolment_period set during = tstzrange(lower(during), $2)
       where clazz_id = $1 and student_id = $3`,
      [clazz_id, new Date(school.inHours(-5)), ann],
    );
    expect(marksOf(expectOk(await withdraw(lesson.id, ann)))).toEqual({ [bob]: 'present' });
    expect(await missing()).toEqual([]);
    const [row] = await fixture.sql('select count(*)::int as n from clazz.lesson_student where lesson_id = $1', [
      lesson.id,
    ]);
    expect(row).toEqual({ n: 1 });
  });

  it('must exist to make a lesson held, and a held lesson without marks can be scheduled again', async () => {
    const lesson = await school.lesson(clazz_id, 30);
    await approve(await requestLeave(bob, lesson.id));
    school.passHours(31);
    expectOk(await withdraw(lesson.id, ann, bob));
    expect(await lessonOf(lesson.id)).toMatchObject({ status: 'scheduled' });
    expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
    const { detail } = expectRefusal(await restore(lesson.id), 409, 'invalid_transition');
    expect(detail).toMatch(/^1 mark/);
    expectOk(await withdraw(lesson.id, ann));
    expect(expectOk(await restore(lesson.id))).toMatchObject({ status: 'scheduled', not_restored: [] });
    expect(marksOf(await school.rollCall(lesson.id))).toEqual({ [ann]: null, [bob]: 'leave' });
    expect(await missing()).toEqual([[lesson.id, [ann, bob]]]);
    const moved = { starts_at: school.inHours(2), ends_at: school.inHours(3) };
    expectOk(await school.supervisor.patch(`/clazz/lesson/${lesson.id}`, moved));
  });

  it('that is withdrawn and corrected in parallel has every revision, and is charged by the last one', async () => {
    const lesson = await school.lesson(clazz_id, -3);
    expectOk(await school.submit(lesson.id, { [ann]: 'present', [bob]: 'present' }));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        n % 2 === 0 ? withdraw(lesson.id, ann) : school.submit(lesson.id, { [ann]: n % 4 === 1 ? 'late' : 'trial' }),
      ),
    );
    expect(new Set(codesOf(answers))).toEqual(new Set(['200']));
    const path = `/clazz/lesson/${lesson.id}/roll-call/history?limit=100` as const;
    const history = expectOk(await school.supervisor.get(path)).items.filter((row) => row.student_id === ann);
    expect(history.map((row) => row.revision)).toEqual(history.map((_, index) => index + 1));
    const last = history.at(-1)?.mark ?? null;
    expect(marksOf(await school.rollCall(lesson.id))[ann]).toBe(last);
    expect(await school.balance(ann)).toBe(last === 'late' ? '-1.00' : '0.00');
    expect(await missing()).toEqual(last === null ? [[lesson.id, [ann]]] : []);
  });
});

describe('a grant', () => {
  const undo = (lot_id: string, headers = {}) =>
    school.supervisor.post(`/clazz/hour/grant/${lot_id}/undo`, { reason: 'wrong student' }, headers);
  const refuse = async ({ id }: { id: string }) => expectRefusal(await undo(id), 409, 'in_use');

  it('is undone by a reversal, or with a price by a full refund with its receipt, and figures add up', async () => {
    const { school: shop } = createSchoolInNewOrg(fixture, clock);
    const [cid] = shop.students(1) as [string];
    const undone = (lot_id: string) =>
      shop.supervisor.ok(hourCalls.undoGrant, { path: { lot_id }, body: { reason: 'x' } });
    const kept = await shop.grant(cid, '2');
    const before = await shop.account(cid);
    const plain = await shop.grant(cid, '5');
    const gift = await shop.grant(cid, '3', { kind: 'gift', price_minor: 300, currency: 'EUR' });
    await undone(gift.id);
    const account = await undone(plain.id);
    expect(account).toEqual(await shop.account(cid));
    expect(account.hours).toEqual(before.hours);
    expect(account.lots.map(({ id, remaining }) => [id, remaining])).toEqual([
      [kept.id, '2.00'],
      [plain.id, '0.00'],
      [gift.id, '0.00'],
    ]);
    const sold = await shop.grant(cid, '4', { price_minor: 1_001, currency: 'EUR' });
    const refunded = await undone(sold.id);
    expect(refunded.hours).toEqual({ ...before.hours, granted: '6.00', refunded: '4.00' });
    const entries = (await shop.entries(cid)).slice(3);
    expect(entries.map(({ kind, amount, price_minor, reason }) => [kind, amount, price_minor, reason])).toEqual([
      ['reverse', '-3.00', null, 'x'],
      ['reverse', '-5.00', null, 'x'],
      ['grant', '4.00', 1_001, null],
      ['refund', '-4.00', 1_001, 'x'],
    ]);
    const path = { entry_id: entries.at(-1)?.id ?? '' };
    expect(await shop.supervisor.ok(ledgerCalls.getReceipt, { path })).toMatchObject({
      kind: 'refund',
      number: 2,
      hours: '4.00',
      price_minor: 1_001,
    });
    const summary = await shop.supervisor.ok(ledgerCalls.getHourSummary, {});
    expect(summary).toMatchObject({ granted: '6.00', consumed: '0.00', refunded: '4.00' });
    const sumOfParts = summary.by_package.reduce((sum, part) => sum + Number(part.granted), 0);
    expect(sumOfParts).toBe(6);
    const { items: trail } = expectOk(
      await shop.supervisor.get('/clazz/audit-log?entity=entry&action=create&limit=100'),
    );
    expect(trail.slice(0, 4).map((row) => [row.changes['kind']?.after, row.reason])).toEqual([
      ['refund', 'x'],
      ['grant', null],
      ['reverse', 'x'],
      ['reverse', 'x'],
    ]);
    // On a day after the grant, the undone hours are negative.
    const late = await shop.grant(cid, '7');
    await clock.later(26 * HOUR_MS, async () => {
      await undone(late.id);
      const query = { from: '2026-03-03', to: '2026-03-03' };
      const next = await shop.supervisor.ok(ledgerCalls.getHourSummary, { query });
      expect([next.granted, next.by_package.map(({ granted }) => granted)]).toEqual(['-7.00', ['-7.00']]);
    });
  });

  it('cannot be undone while hours of it are used, moved, refunded or expired, or twice', async () => {
    const lesson = await school.lesson(clazz_id, -2);
    const charged = await school.grant(ann, '3');
    expectOk(await school.submit(lesson.id, { [ann]: 'present', [bob]: 'present' }));
    await refuse(charged);
    const other = await school.grant(ann, '3');
    expectOk(await undo(other.id));
    await refuse(other);
    expectOk(await school.submit(lesson.id, { [ann]: 'trial', [bob]: 'present' }));
    expectOk(await undo(charged.id));
    await refuse(await school.grant(bob, '2'));
    const moved = await school.grant(bob, '4');
    const transfer = { from_student_id: bob, to_student_id: ann, hours: '2', reason: 'x' };
    expectOk(await school.supervisor.post('/clazz/hour/transfer', transfer));
    await refuse(moved);
    const [received] = (await school.account(ann)).lots.toReversed();
    expectRefusal(await undo(received?.id ?? ''), 404, 'not_found');
    expectRefusal(await undo(randomUUID()), 404, 'not_found');
    const sold = await school.grant(ann, '4', { price_minor: 100, currency: 'EUR' });
    const { quote_id } = expectOk(await school.supervisor.post('/clazz/hour/refund-quote', { student_id: ann }), 201);
    expectOk(await school.supervisor.post('/clazz/hour/refund', { quote_id }));
    await refuse(sold);
    const soon = await school.grant(ann, '1', { expires_at: school.inHours(1) });
    await school.runHoursLater(2, () => refuse(soon).then(() => undefined));
    expectRefusal(await school.teacher.post(`/clazz/hour/grant/${soon.id}/undo`), 403, 'forbidden');
  });

  it('is undone once, and either undone or charged, by parallel requests', async () => {
    for (let round = 0; round < 4; round += 1) {
      const [cid, dan] = school.students(2) as [string, string];
      const twice = await school.grant(cid, '5', { price_minor: 500, currency: 'EUR' });
      expect(codesOf(await Promise.all([undo(twice.id), undo(twice.id), undo(twice.id)]))).toEqual([
        '200',
        '409 in_use',
        '409 in_use',
      ]);
      expect((await school.entries(cid)).map(({ kind }) => kind)).toEqual(['grant', 'refund']);
      const key = { 'idempotency-key': randomUUID() };
      const { id } = await school.grant(dan, '5');
      const first = expectOk(await undo(id, key));
      expect(expectOk(await undo(id, key))).toEqual(first);

      const lesson = await school.lesson(await school.classOf([dan]), -3 - 2 * round);
      const lot = await school.grant(dan, '5');
      const charge = () => school.submit(lesson.id, { [dan]: 'present' });
      const work = [() => undo(lot.id), charge];
      const answers = await Promise.all((round % 2 === 0 ? work : work.toReversed()).map((send) => send()));
      const [undone, charged] = (round % 2 === 0 ? answers : answers.toReversed()).map(codeOf);
      expect(charged).toBe('200');
      expect([undone, await school.balance(dan)]).toEqual(undone === '200' ? ['200', '-1.00'] : ['409 in_use', '4.00']);
    }
  });
});

it('the tests above leave a consistent ledger', async () => {
  expect(await brokenInvariants(fixture)).toEqual([]);
});
