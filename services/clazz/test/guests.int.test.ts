import { randomUUID } from 'node:crypto';
import type { Leave } from '@teaching/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codeOf, codesOf, expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { newClazz } from '../../../tools/proofs/test/clazz.ts';
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

/** Students with two lessons at the same time, computed from enrolment periods and bookings. */
const doubleBooked = () =>
  fixture.sql(`
    with seat as (
      select l.*, p.student_id from clazz.lesson l
      join clazz.enrolment_period p on p.clazz_id = l.clazz_id and p.during @> l.starts_at
      where not exists (select from clazz.leave v where v.lesson_id = l.id and v.student_id = p.student_id
        and v.status = 'approved')
      union select l.*, c.student_id from clazz.lesson l join clazz.make_up_credit c on c.lesson_id = l.id
    )
    select a.student_id from seat a join seat b on a.student_id = b.student_id and a.id < b.id
      and tstzrange(a.starts_at, a.ends_at) && tstzrange(b.starts_at, b.ends_at)
    where a.status <> 'cancelled' and b.status <> 'cancelled'`);

let ann: string;
let bob: string;
let home: string;
let hosts: string;
beforeEach(async () => {
  clock.reset();
  [ann, bob] = school.students(2) as [string, string];
  home = await school.classOf([ann, bob]);
  hosts = await school.classOf([], { capacity: 2 });
});

const requestLeave = async (student_id: string, lesson_id: string): Promise<Leave> =>
  singleElement(
    expectOk(await school.student(student_id).post('/clazz/leave', { lesson_id, reason: 'ill' }), 201).items,
  );
const approve = (id: string, body?: unknown) => school.teacher.post(`/clazz/leave/${id}/approve`, body);
/** An approved leave with a credit, from a lesson that begins in `hours` hours. */
const leaveWithCredit = async (student_id: string, hours = 30, clazz_id = home): Promise<Leave> => {
  const lesson = await school.lesson(clazz_id, hours);
  return expectOk(await approve((await requestLeave(student_id, lesson.id)).id));
};
const bookMakeUp = ({ id, student_id }: Leave, lesson_id: string) =>
  school.student(student_id).post(`/clazz/leave/${id}/make-up`, { lesson_id });
const undoMakeUp = ({ id, student_id }: Leave) => school.student(student_id).delete(`/clazz/leave/${id}/make-up`);
const enrol = (clazz_id: string, student_id: string) =>
  school.supervisor.post(`/clazz/${clazz_id}/student`, { student_ids: [student_id] });
const move = (lesson_id: string, hours: number) =>
  school.supervisor.patch(`/clazz/lesson/${lesson_id}`, { starts_at: school.inHours(hours) });
const leaveOf = async ({ id, student_id }: Leave): Promise<Leave> => {
  const found = expectOk(await school.student(student_id).get('/clazz/leave?limit=100')).items.find(
    (row) => row.id === id,
  );
  if (found === undefined) throw new Error(`no leave ${id}`);
  return found;
};

describe('a guest', () => {
  it('never has a clash, by booking, scheduling, enrolling or moving either lesson', async () => {
    const leave = await leaveWithCredit(ann);
    const target = await school.lesson(hosts, 50);
    expectOk(await bookMakeUp(leave, target.id));
    const at = { starts_at: school.inHours(50.5), ends_at: school.inHours(51.5), teacher_id: 'free' };
    const own = await school.supervisor.post(`/clazz/${home}/lesson`, at);
    const { conflicts } = expectRefusal(own, 409, 'schedule_conflict');
    expect(conflicts).toMatchObject([{ lesson_id: target.id, student_ids: [ann] }]);
    const third = await school.classOf([]);
    await school.lesson(third, 50.5);
    expectRefusal(await enrol(third, ann), 409, 'schedule_conflict');
    const later = await school.lesson(home, 60);
    expectRefusal(await move(later.id, 50.2), 409, 'schedule_conflict');
    expectRefusal(await move(target.id, 60.2), 409, 'schedule_conflict');
    const again = await leaveWithCredit(ann, 33);
    const same = await school.lesson(await school.classOf([]), 60.5);
    expectRefusal(await bookMakeUp(again, same.id), 409, 'schedule_conflict');
    expectOk(await move(target.id, 55));
    expectOk(await school.supervisor.post(`/clazz/${home}/lesson`, at), 201);
  });

  it('gets one of two bookings at the same time that are sent in parallel', async () => {
    const [first, second] = [await leaveWithCredit(ann, 30), await leaveWithCredit(ann, 33)];
    const [one, two] = [await school.lesson(hosts, 50), await school.lesson(await school.classOf([]), 50.5)];
    const answers = await Promise.all([bookMakeUp(first, one.id), bookMakeUp(second, two.id)]);
    expect(codesOf(answers)).toEqual(['200', '409 schedule_conflict']);
  });

  it('never has a clash when booking, enrolling, scheduling and moving run in parallel', async () => {
    for (let round = 0; round < 6; round += 1) {
      clock.reset();
      const [cid] = school.students(1) as [string];
      const clazz_id = await school.classOf([cid]);
      const leave = await leaveWithCredit(cid, 30, clazz_id);
      const [target, moving] = [await school.lesson(hosts, 70 + 3 * round), await school.lesson(clazz_id, 100)];
      const third = await school.classOf([]);
      await school.lesson(third, 70.2 + 3 * round);
      const answers = await Promise.all([
        bookMakeUp(leave, target.id),
        enrol(third, cid),
        move(moving.id, 70.4 + 3 * round),
        school.supervisor.post(`/clazz/${clazz_id}/lesson`, {
          starts_at: school.inHours(70.1 + 3 * round),
          ends_at: school.inHours(70.9 + 3 * round),
          teacher_id: `at-once-${round}`,
        }),
      ]);
      const codes = answers.map(codeOf);
      expect(codes.filter((code) => !code.startsWith('2') && code !== '409 schedule_conflict')).toEqual([]);
      expect(codes.filter((code) => code.startsWith('2'))).not.toEqual([]);
      expect(await doubleBooked()).toEqual([]);
    }
  });

  it('has a seat: guests, members and suspended students count against the capacity', async () => {
    const small = await school.classOf([], { capacity: 1 });
    const target = await school.lesson(small, 50);
    const [cid] = school.students(1) as [string];
    const leave = await leaveWithCredit(ann);
    expectOk(await bookMakeUp(leave, target.id));
    expectRefusal(await enrol(small, cid), 409, 'clazz_full');
    expectRefusal(await school.supervisor.patch(`/clazz/${small}`, { capacity: 0 }), 409, 'capacity_below_enrolled');
    expectOk(await undoMakeUp(leave));
    expectOk(await enrol(small, cid), 201);
    expectRefusal(await bookMakeUp(leave, target.id), 409, 'clazz_full');
    expectOk(await school.supervisor.post(`/clazz/${small}/student/${cid}/suspend`));
    expectRefusal(await bookMakeUp(leave, target.id), 409, 'clazz_full');
    expectOk(await school.supervisor.post(`/clazz/${small}/student/${cid}/resume`));
    expectOk(await school.supervisor.post(`/clazz/${small}/student/${cid}/withdraw`));
    expectOk(await bookMakeUp(leave, target.id));
    // A guest who enrols keeps the seat of the booking.
    expectOk(await enrol(small, ann), 201);
  });

  it('and a new member never get the same last seat in parallel', async () => {
    for (let round = 0; round < 6; round += 1) {
      clock.reset();
      const [cid, guest] = school.students(2) as [string, string];
      const clazz_id = await school.classOf([guest]);
      const small = await school.classOf([], { capacity: 1 });
      const target = await school.lesson(small, 50);
      const leave = await leaveWithCredit(guest, 30, clazz_id);
      const codes = (await Promise.all([bookMakeUp(leave, target.id), enrol(small, cid)])).map(codeOf);
      expect(codes.filter((code) => code === '409 clazz_full')).toHaveLength(1);
    }
  });

  it('enrolled in parallel with the booking keeps a booking made before, and cannot book afterwards', async () => {
    for (let round = 0; round < 4; round += 1) {
      clock.reset();
      const [cid] = school.students(1) as [string];
      const leave = await leaveWithCredit(cid, 30, await school.classOf([cid]));
      const small = await school.classOf([], { capacity: 1 });
      const target = await school.lesson(small, 50);
      const [booked, enrolled] = await Promise.all([bookMakeUp(leave, target.id), enrol(small, cid)]);
      expectOk(enrolled, 201);
      const isBooked = booked.status === 200;
      if (!isBooked) expectRefusal(booked, 409, 'already_attending');
      expect((await leaveOf(leave)).make_up).toMatchObject({ status: isBooked ? 'used' : 'available' });
      expectRefusal(await bookMakeUp(leave, target.id), 409, 'already_attending');
      expect((await school.rollCall(target.id)).marks).toMatchObject([{ student_id: cid, make_up: isBooked }]);
    }
  });

  it('cannot book a lesson with a place anyway, whatever the state of the credit', async () => {
    const own = await school.lesson(home, 60);
    const missed = await school.lesson(home, 36);
    const pending = await requestLeave(ann, missed.id);
    expectRefusal(await bookMakeUp(pending, own.id), 409, 'already_attending');
    expectOk(await school.teacher.post(`/clazz/leave/${pending.id}/reject`));
    expectRefusal(await bookMakeUp(pending, own.id), 409, 'already_attending');
    const leave = await leaveWithCredit(ann);
    const target = await school.lesson(hosts, 50);
    expectOk(await bookMakeUp(leave, target.id));
    expectRefusal(await bookMakeUp(leave, own.id), 409, 'already_attending');
    expectRefusal(await bookMakeUp(leave, target.id), 409, 'already_attending');
    expectRefusal(
      await school.student(bob).post(`/clazz/leave/${leave.id}/make-up`, { lesson_id: own.id }),
      404,
      'not_found',
    );
    expectOk(await school.supervisor.post(`/clazz/lesson/${own.id}/cancel`));
    expectOk(await undoMakeUp(leave));
    expectRefusal(await bookMakeUp(leave, own.id), 409, 'invalid_transition');
  });

  it('and member of the class gets a booking back that ended with a suspension elsewhere', async () => {
    const leave = await leaveWithCredit(ann);
    const target = await school.lesson(hosts, 50);
    expectOk(await bookMakeUp(leave, target.id));
    expectOk(await enrol(hosts, ann), 201);
    const before = await leaveOf(leave);
    expectOk(await school.supervisor.post(`/clazz/${home}/student/${ann}/suspend`));
    const resumed = expectOk(await school.supervisor.post(`/clazz/${home}/student/${ann}/resume`));
    expect(resumed.not_restored).toEqual([]);
    expect({ ...(await leaveOf(leave)), version: before.version }).toEqual(before);
  });

  it('prevents moving the lesson to a time when members and guests exceed the capacity', async () => {
    const small = await school.classOf([], { capacity: 1 });
    const target = await school.lesson(small, 50);
    const [cid] = school.students(1) as [string];
    const since = { student_ids: [cid], since: school.inHours(80) };
    expectOk(await school.supervisor.post(`/clazz/${small}/student`, since), 201);
    expectOk(await bookMakeUp(await leaveWithCredit(ann), target.id));
    expectRefusal(await move(target.id, 90), 409, 'clazz_full');
    expectOk(await move(target.id, 70));
  });

  it('can undo a booking until the lesson begins, and the audit logs of both classes contain it', async () => {
    const leave = await leaveWithCredit(ann);
    const target = await school.lesson(hosts, 50);
    expectOk(await bookMakeUp(leave, target.id));
    const auditedBookings = async (clazz_id: string) =>
      expectOk(await school.supervisor.get(`/clazz/${clazz_id}/audit-log?action=update&limit=100`))
        .items.filter((row) => row.entity_id === leave.id)
        .flatMap((row) => row.changes['make_up_lesson_id'] ?? []);
    expect(await auditedBookings(hosts)).toEqual([{ before: null, after: target.id }]);
    expect(await auditedBookings(home)).toContainEqual({ before: null, after: target.id });
    expect(codesOf(await Promise.all([undoMakeUp(leave), undoMakeUp(leave)]))).toEqual([
      '200',
      '409 credit_unavailable',
    ]);
    expect((await leaveOf(leave)).make_up).toMatchObject({ status: 'available', lesson_id: null });
    expect(await auditedBookings(hosts)).toContainEqual({ before: target.id, after: null });
    expect((await school.rollCall(target.id)).marks).toEqual([]);
    expectOk(await bookMakeUp(leave, target.id));
    expectRefusal(await school.student(bob).delete(`/clazz/leave/${leave.id}/make-up`), 404, 'not_found');
    const elsewhere = fixture.as({ role: 'SUPERVISOR', org: randomUUID() });
    expectRefusal(await elsewhere.delete(`/clazz/leave/${leave.id}/make-up`), 404, 'not_found');
    school.passHours(50);
    expectRefusal(await undoMakeUp(leave), 409, 'invalid_transition');
  });

  it('is refused by a draft or closed class, by a past lesson, and after the expiry of the credit', async () => {
    const leave = await leaveWithCredit(ann);
    const draft = await newClazz(school.supervisor, {}, 'draft');
    const drafted = await school.lesson(draft.id, 50);
    expectRefusal(await bookMakeUp(leave, drafted.id), 409, 'invalid_transition');
    const past = await school.lesson(hosts, -2);
    expectRefusal(await bookMakeUp(leave, past.id), 409, 'invalid_transition');
    const far = await school.lesson(hosts, 31 + 60 * 24 + 24);
    expectRefusal(await bookMakeUp(leave, far.id), 409, 'credit_unavailable');
    const target = await school.lesson(hosts, 50);
    expectOk(await school.supervisor.post(`/clazz/${hosts}/complete`, { force: true, reason: 'end' }));
    expectRefusal(await bookMakeUp(leave, target.id), 409, 'clazz_closed');
  });

  it('does not prevent the deletion of a draft class, and gets the credit back', async () => {
    const leave = await leaveWithCredit(ann);
    const { id } = await newClazz(school.supervisor, {});
    const target = await school.lesson(id, 50);
    expectOk(await bookMakeUp(leave, target.id));
    // Older versions allowed guests in draft classes.
    await fixture.sql(`update clazz.clazz set status = 'draft' where id = $1`, [id]);
    expectOk(await school.supervisor.delete(`/clazz/${id}`), 204);
    expect((await leaveOf(leave)).make_up).toMatchObject({ status: 'available', lesson_id: null });
  });

  it('may attend a lesson at the time of the missed one, and cannot cancel that leave while booked', async () => {
    const missed = await school.lesson(home, 50);
    const leave = expectOk(await approve((await requestLeave(ann, missed.id)).id));
    const other = await leaveWithCredit(ann, 30);
    const target = await school.lesson(hosts, 50.5);
    expectOk(await bookMakeUp(other, target.id));
    const cancel = () => school.student(ann).post(`/clazz/leave/${leave.id}/cancel`);
    expectRefusal(await cancel(), 409, 'schedule_conflict');
    expectOk(await undoMakeUp(other));
    expectOk(await cancel());
    expectRefusal(await bookMakeUp(other, target.id), 409, 'schedule_conflict');
  });

  it('may cancel the leave whose make-up is at the same time, but not after joining the class of the make-up', async () => {
    const missed = await school.lesson(home, 50);
    const leave = expectOk(await approve((await requestLeave(ann, missed.id)).id));
    const target = await school.lesson(hosts, 50.5);
    const cancel = () => school.student(ann).post(`/clazz/leave/${leave.id}/cancel`);
    expectOk(await bookMakeUp(leave, target.id));
    expectOk(await enrol(hosts, ann), 201);
    const { conflicts } = expectRefusal(await cancel(), 409, 'schedule_conflict');
    expect(conflicts).toMatchObject([{ lesson_id: target.id, student_ids: [ann] }]);
    expectOk(await school.supervisor.post(`/clazz/${hosts}/student/${ann}/withdraw`));
    expectOk(await cancel());
    expect(await doubleBooked()).toEqual([]);
  });
});

describe('restoring bookings, marks and enrolments', () => {
  const complete = (id: string) => school.supervisor.post(`/clazz/${id}/complete`, { force: true, reason: 'end' });
  const reopen = (id: string) => school.supervisor.post(`/clazz/${id}/reopen`, { reason: 'too early' });
  const suspend = (student_id = ann) => school.supervisor.post(`/clazz/${home}/student/${student_id}/suspend`);
  const resume = (student_id = ann) => school.supervisor.post(`/clazz/${home}/student/${student_id}/resume`);

  it('restores bookings on both sides when a class is reopened or an enrolment is resumed', async () => {
    const leave = await leaveWithCredit(ann);
    const target = await school.lesson(hosts, 50);
    expectOk(await bookMakeUp(leave, target.id));
    const before = await leaveOf(leave);
    const expectSameLeave = async () => expect({ ...(await leaveOf(leave)), version: before.version }).toEqual(before);
    for (const id of [home, hosts]) {
      expectOk(await complete(id));
      expect((await leaveOf(leave)).make_up?.lesson_id).toBe(null);
      expect(expectOk(await reopen(id)).not_restored).toEqual([]);
      await expectSameLeave();
    }
    expectOk(await suspend());
    expect((await leaveOf(leave)).make_up?.lesson_id).toBe(null);
    expect(expectOk(await resume()).not_restored).toEqual([]);
    await expectSameLeave();
    expect((await school.rollCall(target.id)).marks).toMatchObject([{ student_id: ann, make_up: true }]);
  });

  it('names a booking whose seat was taken meanwhile, and does not fail', async () => {
    const small = await school.classOf([], { capacity: 1 });
    const target = await school.lesson(small, 50);
    const leave = await leaveWithCredit(ann);
    expectOk(await bookMakeUp(leave, target.id));
    expectOk(await suspend());
    const [cid] = school.students(1) as [string];
    expectOk(await enrol(small, cid), 201);
    const { not_restored } = expectOk(await resume());
    expect(not_restored).toMatchObject([
      { leave_id: leave.id, student_id: ann, lesson_id: target.id, starts_at: target.starts_at, reason: 'clazz_full' },
    ]);
    expect((await leaveOf(leave)).make_up).toMatchObject({ status: 'available', lesson_id: null });
    const { items } = expectOk(await school.supervisor.get(`/clazz/${home}/audit-log?action=update&limit=100`));
    const entries = items.filter((row) => row.entity_id === leave.id && 'not_restored' in row.changes);
    expect(entries).toMatchObject([{ changes: { not_restored: { after: 'clazz_full' } } }]);
  });

  it('names a booking whose credit was used elsewhere meanwhile, and restores the lesson', async () => {
    const leave = await leaveWithCredit(ann);
    const target = await school.lesson(hosts, 50);
    expectOk(await bookMakeUp(leave, target.id));
    expectOk(await complete(hosts));
    const other = await school.lesson(await school.classOf([]), 60);
    expectOk(await bookMakeUp(leave, other.id));
    const { not_restored, restored_lessons } = expectOk(await reopen(hosts));
    expect(restored_lessons).toContain(target.id);
    expect(not_restored).toMatchObject([{ leave_id: leave.id, reason: 'credit_unavailable' }]);
    expect((await leaveOf(leave)).make_up).toMatchObject({ status: 'used', lesson_id: other.id });
  });

  it('names no booking that ended because its lesson of another class was cancelled', async () => {
    const leave = await leaveWithCredit(ann);
    clock.advance(31 * 3_600_000);
    expectOk(await school.submit(leave.lesson_id, { [ann]: 'leave', [bob]: 'present' }));
    expectOk(await complete(home));
    const [first, second] = [await school.lesson(hosts, 40), await school.lesson(hosts, 50)];
    expectOk(await bookMakeUp(leave, first.id));
    clock.advance(1);
    expectOk(await school.supervisor.post(`/clazz/lesson/${first.id}/cancel`));
    expectOk(await bookMakeUp(leave, second.id));
    expect(expectOk(await reopen(home)).not_restored).toEqual([]);
    expect((await leaveOf(leave)).make_up).toMatchObject({ status: 'used', lesson_id: second.id });
  });

  it('restores a booking when the mark is leave again, and names a booking that no longer fits', async () => {
    const target = await school.lesson(await school.classOf([], { capacity: 1 }), 50);
    const leave = await leaveWithCredit(ann);
    expectOk(await bookMakeUp(leave, target.id));
    const booked = async () => (await leaveOf(leave)).make_up;
    const submitMark = async (value: string) =>
      expectOk(await school.submit(leave.lesson_id, { [ann]: value, [bob]: 'present' }));
    clock.advance(31 * 3_600_000);
    await submitMark('present');
    expect(await booked()).toMatchObject({ status: 'withdrawn', lesson_id: null });
    await submitMark('late');
    expect((await submitMark('leave')).not_restored).toBeUndefined();
    expect(await booked()).toMatchObject({ status: 'used', lesson_id: target.id });
    expect((await submitMark('leave')).not_restored).toBeUndefined();
    expect((await school.rollCall(target.id)).marks).toMatchObject([{ student_id: ann, make_up: true }]);
    await submitMark('absent');
    const [cid] = school.students(1) as [string];
    expectOk(await enrol(target.clazz_id, cid), 201);
    const { starts_at } = target;
    expect((await submitMark('leave')).not_restored).toMatchObject([
      { leave_id: leave.id, student_id: ann, lesson_id: target.id, starts_at, reason: 'clazz_full' },
    ]);
    expect(await booked()).toMatchObject({ status: 'available', lesson_id: null });
    const { items } = expectOk(await school.supervisor.get(`/clazz/${home}/audit-log?action=update&limit=100`));
    const entries = items.filter((row) => row.entity_id === leave.id && 'not_restored' in row.changes);
    expect(entries).toMatchObject([{ changes: { not_restored: { before: target.id, after: 'clazz_full' } } }]);
  });

  it('keeps marks and charges when the student is suspended or transferred, or the class completed', async () => {
    await school.grant(ann, '10');
    const expectMarkKept = async (action: () => Promise<unknown>) => {
      const lesson = await school.lesson(home, 0.2);
      expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
      const balance = await school.balance(ann);
      await action();
      expect(await school.balance(ann)).toBe(balance);
      const { marks } = await school.rollCall(lesson.id);
      const own = marks.filter((row) => row.student_id === ann);
      expect(own).toMatchObject([{ mark: 'present', revision: 1, charged_hours: '1.00' }]);
      clock.advance(2 * 3_600_000);
    };
    await expectMarkKept(async () => {
      expectOk(await suspend());
    });
    expectOk(await resume());
    await expectMarkKept(async () => {
      expectOk(await complete(home));
    });
    expect(expectOk(await reopen(home)).not_restored).toEqual([]);
    await expectMarkKept(async () => {
      expectOk(await school.supervisor.post(`/clazz/${home}/student/${ann}/transfer`, { to_clazz_id: hosts }));
    });
  });

  it('keeps the start of an enrolment that is suspended and resumed before it begins', async () => {
    const [cid] = school.students(1) as [string];
    const since = school.inHours(48);
    expectOk(await school.supervisor.post(`/clazz/${home}/student`, { student_ids: [cid], since }), 201);
    const [before, after] = [await school.lesson(home, 40), await school.lesson(home, 60)];
    expectOk(await suspend(cid));
    expect(expectOk(await resume(cid)).since).toBe(since);
    const listed = async (id: string) => (await school.rollCall(id)).marks.map((row) => row.student_id);
    expect(await listed(before.id)).not.toContain(cid);
    expect(await listed(after.id)).toContain(cid);
  });
});

it('the tests above leave a consistent ledger and no student in two lessons at the same time', async () => {
  expect(await brokenInvariants(fixture)).toEqual([]);
  expect(await doubleBooked()).toEqual([]);
});
