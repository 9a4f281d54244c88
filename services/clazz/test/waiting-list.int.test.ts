import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
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
let cid: string;
beforeEach(() => {
  clock.reset();
  [ann, bob, cid] = school.students(3) as [string, string, string];
});

const joinWaitingList = async (clazz_id: string, ...student_ids: string[]) =>
  expectOk(await school.supervisor.post(`/clazz/${clazz_id}/student`, { student_ids, waitlist: true }), 201);
const changeEnrolment = async (clazz_id: string, student_id: string, step: 'withdraw' | 'suspend' | 'resume') =>
  expectOk(await school.supervisor.post(`/clazz/${clazz_id}/student/${student_id}/${step}`));
const statusOf = async (clazz_id: string) => {
  const { items } = expectOk(await school.supervisor.get(`/clazz/${clazz_id}/student?limit=100`));
  return Object.fromEntries(items.map((row) => [row.student_id, row.status]));
};
/** Requests and approves leave of a student from a lesson. */
const leaveFrom = async (student_id: string, lesson_id: string) => {
  const requested = expectOk(await school.student(student_id).post('/clazz/leave', { lesson_id, reason: 'ill' }), 201);
  return expectOk(await school.teacher.post(`/clazz/leave/${singleElement(requested.items).id}/approve`));
};

describe('a waiting student', () => {
  it('gets the seat of a guest whose booking is undone or ends with a cancelled lesson', async () => {
    const home = await school.classOf([ann]);
    const leave = await leaveFrom(ann, (await school.lesson(home, 30)).id);
    for (const undo of [
      () => school.student(ann).delete(`/clazz/leave/${leave.id}/make-up`),
      (id: string) => school.supervisor.post(`/clazz/lesson/${id}/cancel`, { reason: 'snow' }),
    ]) {
      const small = await school.classOf([], { capacity: 1 });
      const target = await school.lesson(small, 50);
      expectOk(await school.student(ann).post(`/clazz/leave/${leave.id}/make-up`, { lesson_id: target.id }));
      const [first, second] = school.students(2) as [string, string];
      await joinWaitingList(small, first, second);
      expect(await statusOf(small)).toEqual({ [first]: 'waiting', [second]: 'waiting' });
      expectOk(await undo(target.id));
      expect(await statusOf(small)).toEqual({ [first]: 'active', [second]: 'waiting' });
    }
  });

  it('that was passed over because of a clash gets the seat when the clash ends, for each way it can end', async () => {
    const ways: Record<string, (at: { busy: string; lesson_id: string }) => Promise<unknown>> = {
      'the lesson is moved': async ({ lesson_id }) => {
        const moved = { starts_at: school.inHours(60), ends_at: school.inHours(61) };
        expectOk(await school.supervisor.patch(`/clazz/lesson/${lesson_id}`, moved));
      },
      'the lesson is cancelled': async ({ lesson_id }) =>
        expectOk(await school.supervisor.post(`/clazz/lesson/${lesson_id}/cancel`, { reason: 'snow' })),
      'the student withdraws': ({ busy }) => changeEnrolment(busy, ann, 'withdraw'),
      'the student is transferred': async ({ busy }) => {
        const to_clazz_id = await school.classOf([]);
        expectOk(await school.supervisor.post(`/clazz/${busy}/student/${ann}/transfer`, { to_clazz_id }));
      },
      'the class is completed': async ({ busy }) => expectOk(await school.supervisor.post(`/clazz/${busy}/complete`)),
      'leave is approved': ({ lesson_id }) => leaveFrom(ann, lesson_id),
      'the wanted lesson is moved': async () => undefined,
    };
    for (const [way, endClash] of Object.entries(ways)) {
      [ann, bob, cid] = school.students(3) as [string, string, string];
      const busy = await school.classOf([ann]);
      const { id: lesson_id } = await school.lesson(busy, 50);
      const wanted = await school.classOf([bob], { capacity: 1 });
      const clash = await school.lesson(wanted, 50.5);
      await joinWaitingList(wanted, ann);
      await changeEnrolment(wanted, bob, 'withdraw');
      expect(await statusOf(wanted), way).toMatchObject({ [ann]: 'waiting' });
      await endClash({ busy, lesson_id });
      if (way.startsWith('the wanted')) {
        const moved = { starts_at: school.inHours(60), ends_at: school.inHours(61) };
        expectOk(await school.supervisor.patch(`/clazz/lesson/${clash.id}`, moved));
      }
      expect(await statusOf(wanted), way).toMatchObject({ [ann]: 'active' });
      const { items } = expectOk(await school.supervisor.get(`/clazz/${wanted}/audit-log?action=update&limit=100`));
      expect(
        items.filter((row) => row.reason === 'a seat became free'),
        way,
      ).toHaveLength(1);
    }
  });

  it('gets a free seat in the order of the list when a clashing booking in another class ends', async () => {
    const home = await school.classOf([ann, bob]);
    const missed = await school.lesson(home, 30);
    const leaves = [await leaveFrom(ann, missed.id), await leaveFrom(bob, missed.id)];
    const host = await school.classOf([]);
    const target = await school.lesson(host, 50);
    for (const { id, student_id } of leaves) {
      expectOk(await school.student(student_id).post(`/clazz/leave/${id}/make-up`, { lesson_id: target.id }));
    }
    const wanted = await school.classOf([cid], { capacity: 1 });
    await school.lesson(wanted, 50.5);
    await joinWaitingList(wanted, bob, ann);
    await changeEnrolment(wanted, cid, 'withdraw');
    expect(await statusOf(wanted)).toMatchObject({ [ann]: 'waiting', [bob]: 'waiting' });
    // Both students become free at the same time. The first one on the list gets the seat.
    expectOk(await school.supervisor.post(`/clazz/lesson/${target.id}/cancel`, { reason: 'snow' }));
    expect(await statusOf(wanted)).toMatchObject({ [ann]: 'waiting', [bob]: 'active' });
  });

  it('keeps waiting while the clashing enrolment is only suspended', async () => {
    const busy = await school.classOf([ann]);
    await school.lesson(busy, 50);
    const wanted = await school.classOf([bob], { capacity: 1 });
    await school.lesson(wanted, 50.5);
    await joinWaitingList(wanted, ann);
    await changeEnrolment(wanted, bob, 'withdraw');
    await changeEnrolment(busy, ann, 'suspend');
    expect(await statusOf(wanted)).toMatchObject({ [ann]: 'waiting' });
    await changeEnrolment(busy, ann, 'resume');
    expectRefusal(await school.supervisor.post(`/clazz/${wanted}/student`, { student_ids: [ann] }), 409, 'duplicate');
  });
});
