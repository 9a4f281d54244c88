import { randomUUID } from 'node:crypto';
import type { Leave } from '@teaching/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codeOf, codesOf, expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { newClazz } from '../../../tools/proofs/test/clazz.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { brokenInvariants } from './invariants.ts';
import { MONDAY, openSchool, type School } from './test-school.ts';

const clock = clockAt(Date.parse(MONDAY));
let fixture: Fixture;
let school: School;
beforeAll(async () => {
  ({ fixture, school } = await openSchool(clock));
});
afterAll(() => fixture?.stop());

/** Students who would have to be at two lessons at the same time, by what they belong to and what is booked. */
const twice = () =>
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

const ask = async (student_id: string, lesson_id: string): Promise<Leave> =>
  singleElement(
    expectOk(await school.student(student_id).post('/clazz/leave', { lesson_id, reason: 'ill' }), 201).items,
  );
const approve = (id: string, body?: unknown) => school.teacher.post(`/clazz/leave/${id}/approve`, body);
/** Leave with a credit, from a lesson that begins so many hours from now. */
const credit = async (student_id: string, hours = 30, clazz_id = home): Promise<Leave> => {
  const lesson = await school.lesson(clazz_id, hours);
  return expectOk(await approve((await ask(student_id, lesson.id)).id));
};
const use = ({ id, student_id }: Leave, lesson_id: string) =>
  school.student(student_id).post(`/clazz/leave/${id}/make-up`, { lesson_id });
const undo = ({ id, student_id }: Leave) => school.student(student_id).delete(`/clazz/leave/${id}/make-up`);
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
  it('is nowhere else: booking first or lesson first, enrolling, moving either lesson', async () => {
    const leave = await credit(ann);
    const target = await school.lesson(hosts, 50);
    expectOk(await use(leave, target.id));
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
    const again = await credit(ann, 33);
    const same = await school.lesson(await school.classOf([]), 60.5);
    expectRefusal(await use(again, same.id), 409, 'schedule_conflict');
    expectOk(await move(target.id, 55));
    expectOk(await school.supervisor.post(`/clazz/${home}/lesson`, at), 201);
  });

  it('with two credits at once is at one lesson', async () => {
    const [first, second] = [await credit(ann, 30), await credit(ann, 33)];
    const [one, two] = [await school.lesson(hosts, 50), await school.lesson(await school.classOf([]), 50.5)];
    const answers = await Promise.all([use(first, one.id), use(second, two.id)]);
    expect(codesOf(answers)).toEqual(['200', '409 schedule_conflict']);
  });

  it('and enrolling, scheduling and moving at once leave nobody in two places', async () => {
    for (let round = 0; round < 6; round += 1) {
      clock.reset();
      const [cid] = school.students(1) as [string];
      const clazz_id = await school.classOf([cid]);
      const leave = await credit(cid, 30, clazz_id);
      const [target, moving] = [await school.lesson(hosts, 70 + 3 * round), await school.lesson(clazz_id, 100)];
      const third = await school.classOf([]);
      await school.lesson(third, 70.2 + 3 * round);
      const answers = await Promise.all([
        use(leave, target.id),
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
      expect(await twice()).toEqual([]);
    }
  });

  it('has a seat: the class is full with guests, members and suspended students', async () => {
    const small = await school.classOf([], { capacity: 1 });
    const target = await school.lesson(small, 50);
    const [cid] = school.students(1) as [string];
    const leave = await credit(ann);
    expectOk(await use(leave, target.id));
    expectRefusal(await enrol(small, cid), 409, 'clazz_full');
    expectRefusal(await school.supervisor.patch(`/clazz/${small}`, { capacity: 0 }), 409, 'capacity_below_enrolled');
    // The guest may become a member, who then has the seat already.
    expectOk(await undo(leave));
    expectOk(await enrol(small, cid), 201);
    expectRefusal(await use(leave, target.id), 409, 'clazz_full');
    expectOk(await school.supervisor.post(`/clazz/${small}/student/${cid}/suspend`));
    expectRefusal(await use(leave, target.id), 409, 'clazz_full');
    expectOk(await school.supervisor.post(`/clazz/${small}/student/${cid}/resume`));
    expectOk(await school.supervisor.post(`/clazz/${small}/student/${cid}/withdraw`));
    expectOk(await use(leave, target.id));
    expectOk(await enrol(small, ann), 201);
  });

  it('and who enrols at once never sit on one seat', async () => {
    for (let round = 0; round < 6; round += 1) {
      clock.reset();
      const [cid, guest] = school.students(2) as [string, string];
      const clazz_id = await school.classOf([guest]);
      const small = await school.classOf([], { capacity: 1 });
      const target = await school.lesson(small, 50);
      const leave = await credit(guest, 30, clazz_id);
      const codes = (await Promise.all([use(leave, target.id), enrol(small, cid)])).map(codeOf);
      expect(codes.filter((code) => code === '409 clazz_full')).toHaveLength(1);
    }
  });

  it('cannot be brought together with more members by moving the lesson', async () => {
    const small = await school.classOf([], { capacity: 1 });
    const target = await school.lesson(small, 50);
    const [cid] = school.students(1) as [string];
    const since = { student_ids: [cid], since: school.inHours(80) };
    expectOk(await school.supervisor.post(`/clazz/${small}/student`, since), 201);
    expectOk(await use(await credit(ann), target.id));
    expectRefusal(await move(target.id, 90), 409, 'clazz_full');
    expectOk(await move(target.id, 70));
  });

  it('undoes a booking until the lesson begins, and both classes know', async () => {
    const leave = await credit(ann);
    const target = await school.lesson(hosts, 50);
    expectOk(await use(leave, target.id));
    const trail = async (clazz_id: string) =>
      expectOk(await school.supervisor.get(`/clazz/${clazz_id}/audit-log?action=update&limit=100`))
        .items.filter((row) => row.entity_id === leave.id)
        .flatMap((row) => row.changes['make_up_lesson_id'] ?? []);
    expect(await trail(hosts)).toEqual([{ before: null, after: target.id }]);
    expect(await trail(home)).toContainEqual({ before: null, after: target.id });
    expect(codesOf(await Promise.all([undo(leave), undo(leave)]))).toEqual(['200', '409 credit_unavailable']);
    expect((await leaveOf(leave)).make_up).toMatchObject({ status: 'available', lesson_id: null });
    expect(await trail(hosts)).toContainEqual({ before: target.id, after: null });
    expect((await school.rollCall(target.id)).marks).toEqual([]);
    expectOk(await use(leave, target.id));
    expectRefusal(await school.student(bob).delete(`/clazz/leave/${leave.id}/make-up`), 404, 'not_found');
    const elsewhere = fixture.as({ role: 'SUPERVISOR', org: randomUUID() });
    expectRefusal(await elsewhere.delete(`/clazz/leave/${leave.id}/make-up`), 404, 'not_found');
    school.pass(50);
    expectRefusal(await undo(leave), 409, 'invalid_transition');
  });

  it('is hosted by no draft, no closed class, no past lesson, and not after the credit’s expiry', async () => {
    const leave = await credit(ann);
    const draft = await newClazz(school.supervisor, {}, 'draft');
    const drafted = await school.lesson(draft.id, 50);
    expectRefusal(await use(leave, drafted.id), 409, 'invalid_transition');
    const past = await school.lesson(hosts, -2);
    expectRefusal(await use(leave, past.id), 409, 'invalid_transition');
    const far = await school.lesson(hosts, 31 + 60 * 24 + 24);
    expectRefusal(await use(leave, far.id), 409, 'credit_unavailable');
    const target = await school.lesson(hosts, 50);
    expectOk(await school.supervisor.post(`/clazz/${hosts}/complete`, { force: true, reason: 'end' }));
    expectRefusal(await use(leave, target.id), 409, 'clazz_closed');
  });

  it('of a draft does not keep it from being deleted', async () => {
    const leave = await credit(ann);
    const { id } = await newClazz(school.supervisor, {});
    const target = await school.lesson(id, 50);
    expectOk(await use(leave, target.id));
    // Drafts had guests once.
    await fixture.sql(`update clazz.clazz set status = 'draft' where id = $1`, [id]);
    expectOk(await school.supervisor.delete(`/clazz/${id}`), 204);
    expect((await leaveOf(leave)).make_up).toMatchObject({ status: 'available', lesson_id: null });
  });

  it('may be where the lesson is missed at the same time, and is not taken back into both', async () => {
    const missed = await school.lesson(home, 50);
    const leave = expectOk(await approve((await ask(ann, missed.id)).id));
    const other = await credit(ann, 30);
    const target = await school.lesson(hosts, 50.5);
    expectOk(await use(other, target.id));
    const cancel = () => school.student(ann).post(`/clazz/leave/${leave.id}/cancel`);
    expectRefusal(await cancel(), 409, 'schedule_conflict');
    expectOk(await undo(other));
    expectOk(await cancel());
    expectRefusal(await use(other, target.id), 409, 'schedule_conflict');
  });
});

describe('what ends with a class or an enrolment comes back', () => {
  const complete = (id: string) => school.supervisor.post(`/clazz/${id}/complete`, { force: true, reason: 'end' });
  const reopen = (id: string) => school.supervisor.post(`/clazz/${id}/reopen`, { reason: 'too early' });
  const suspend = (student_id = ann) => school.supervisor.post(`/clazz/${home}/student/${student_id}/suspend`);
  const resume = (student_id = ann) => school.supervisor.post(`/clazz/${home}/student/${student_id}/resume`);

  it('bookings, on both sides', async () => {
    const leave = await credit(ann);
    const target = await school.lesson(hosts, 50);
    expectOk(await use(leave, target.id));
    const before = await leaveOf(leave);
    const same = async () => expect({ ...(await leaveOf(leave)), version: before.version }).toEqual(before);
    for (const id of [home, hosts]) {
      expectOk(await complete(id));
      expect((await leaveOf(leave)).make_up?.lesson_id).toBe(null);
      expect(expectOk(await reopen(id)).not_restored).toEqual([]);
      await same();
    }
    expectOk(await suspend());
    expect((await leaveOf(leave)).make_up?.lesson_id).toBe(null);
    expect(expectOk(await resume()).not_restored).toEqual([]);
    await same();
    expect((await school.rollCall(target.id)).marks).toMatchObject([{ student_id: ann, make_up: true }]);
  });

  it('but a place taken meanwhile is named, and nothing else fails', async () => {
    const small = await school.classOf([], { capacity: 1 });
    const target = await school.lesson(small, 50);
    const leave = await credit(ann);
    expectOk(await use(leave, target.id));
    expectOk(await suspend());
    const [cid] = school.students(1) as [string];
    expectOk(await enrol(small, cid), 201);
    const { not_restored } = expectOk(await resume());
    expect(not_restored).toMatchObject([
      { leave_id: leave.id, student_id: ann, lesson_id: target.id, starts_at: target.starts_at, reason: 'clazz_full' },
    ]);
    expect((await leaveOf(leave)).make_up).toMatchObject({ status: 'available', lesson_id: null });
    const { items } = expectOk(await school.supervisor.get(`/clazz/${home}/audit-log?action=update&limit=100`));
    const told = items.filter((row) => row.entity_id === leave.id && 'not_restored' in row.changes);
    expect(told).toMatchObject([{ changes: { not_restored: { after: 'clazz_full' } } }]);
  });

  it('but a credit used elsewhere meanwhile is named', async () => {
    const leave = await credit(ann);
    const target = await school.lesson(hosts, 50);
    expectOk(await use(leave, target.id));
    expectOk(await complete(hosts));
    const other = await school.lesson(await school.classOf([]), 60);
    expectOk(await use(leave, other.id));
    const { not_restored, restored_lessons } = expectOk(await reopen(hosts));
    expect(restored_lessons).toContain(target.id);
    expect(not_restored).toMatchObject([{ leave_id: leave.id, reason: 'credit_unavailable' }]);
    expect((await leaveOf(leave)).make_up).toMatchObject({ status: 'used', lesson_id: other.id });
  });

  it('bookings with a mark that is leave again, and what does not fit any more is named', async () => {
    const target = await school.lesson(await school.classOf([], { capacity: 1 }), 50);
    const leave = await credit(ann);
    expectOk(await use(leave, target.id));
    const booked = async () => (await leaveOf(leave)).make_up;
    const mark = async (as: string) => expectOk(await school.submit(leave.lesson_id, { [ann]: as, [bob]: 'present' }));
    clock.pass(31 * 3_600_000);
    await mark('present');
    expect(await booked()).toMatchObject({ status: 'withdrawn', lesson_id: null });
    await mark('late');
    expect((await mark('leave')).not_restored).toBeUndefined();
    expect(await booked()).toMatchObject({ status: 'used', lesson_id: target.id });
    expect((await mark('leave')).not_restored).toBeUndefined();
    expect((await school.rollCall(target.id)).marks).toMatchObject([{ student_id: ann, make_up: true }]);
    await mark('absent');
    const [cid] = school.students(1) as [string];
    expectOk(await enrol(target.clazz_id, cid), 201);
    const { starts_at } = target;
    expect((await mark('leave')).not_restored).toMatchObject([
      { leave_id: leave.id, student_id: ann, lesson_id: target.id, starts_at, reason: 'clazz_full' },
    ]);
    expect(await booked()).toMatchObject({ status: 'available', lesson_id: null });
    const { items } = expectOk(await school.supervisor.get(`/clazz/${home}/audit-log?action=update&limit=100`));
    const told = items.filter((row) => row.entity_id === leave.id && 'not_restored' in row.changes);
    expect(told).toMatchObject([{ changes: { not_restored: { before: target.id, after: 'clazz_full' } } }]);
  });

  it('and a mark that was taken never went: completing, suspending, transferring before the lesson', async () => {
    await school.grant(ann, '10');
    const end = async (what: () => Promise<unknown>) => {
      const lesson = await school.lesson(home, 0.2);
      expectOk(await school.submit(lesson.id, { [ann]: 'present' }));
      const balance = await school.balance(ann);
      await what();
      expect(await school.balance(ann)).toBe(balance);
      const { marks } = await school.rollCall(lesson.id);
      const own = marks.filter((row) => row.student_id === ann);
      expect(own).toMatchObject([{ mark: 'present', revision: 1, charged_hours: '1.00' }]);
      clock.pass(2 * 3_600_000);
    };
    await end(async () => {
      expectOk(await suspend());
    });
    expectOk(await resume());
    await end(async () => {
      expectOk(await complete(home));
    });
    expect(expectOk(await reopen(home)).not_restored).toEqual([]);
    await end(async () => {
      expectOk(await school.supervisor.post(`/clazz/${home}/student/${ann}/transfer`, { to_clazz_id: hosts }));
    });
  });

  it('keeps the day of an enrolment that has not begun', async () => {
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

it('leaves a sound ledger, and nobody in two places', async () => {
  expect(await brokenInvariants(fixture)).toEqual([]);
  expect(await twice()).toEqual([]);
});
