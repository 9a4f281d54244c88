import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { MONDAY, openSchool, type School } from './test-school.ts';

const clock = clockAt(Date.parse(MONDAY));
let fixture: Fixture;
let school: School;
beforeAll(async () => {
  ({ fixture, school } = await openSchool(clock));
});
afterAll(() => fixture?.stop());

let ann: string;
let bob: string;
let cid: string;
beforeEach(() => {
  clock.reset();
  [ann, bob, cid] = school.students(3) as [string, string, string];
});

const wait = async (clazz_id: string, ...student_ids: string[]) =>
  expectOk(await school.supervisor.post(`/clazz/${clazz_id}/student`, { student_ids, waitlist: true }), 201);
const step = async (clazz_id: string, student_id: string, what: 'withdraw' | 'suspend' | 'resume') =>
  expectOk(await school.supervisor.post(`/clazz/${clazz_id}/student/${student_id}/${what}`));
const statusOf = async (clazz_id: string) => {
  const { items } = expectOk(await school.supervisor.get(`/clazz/${clazz_id}/student?limit=100`));
  return Object.fromEntries(items.map((row) => [row.student_id, row.status]));
};
/** Leave that is approved, for a student of a class, from a lesson. */
const leaveFrom = async (student_id: string, lesson_id: string) => {
  const asked = expectOk(await school.student(student_id).post('/clazz/leave', { lesson_id, reason: 'ill' }), 201);
  return expectOk(await school.teacher.post(`/clazz/leave/${singleElement(asked.items).id}/approve`));
};

describe('who waits for a place', () => {
  it('gets the seat of a guest whose booking is undone or moves away with its lesson', async () => {
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
      await wait(small, first, second);
      expect(await statusOf(small)).toEqual({ [first]: 'waiting', [second]: 'waiting' });
      expectOk(await undo(target.id));
      expect(await statusOf(small)).toEqual({ [first]: 'active', [second]: 'waiting' });
    }
  });

  it('and was passed over because of a clash is tried again when the clash goes, whatever ends it', async () => {
    const ways: Record<string, (at: { busy: string; lesson_id: string }) => Promise<unknown>> = {
      'the lesson is moved': async ({ lesson_id }) => {
        const moved = { starts_at: school.inHours(60), ends_at: school.inHours(61) };
        expectOk(await school.supervisor.patch(`/clazz/lesson/${lesson_id}`, moved));
      },
      'the lesson is cancelled': async ({ lesson_id }) =>
        expectOk(await school.supervisor.post(`/clazz/lesson/${lesson_id}/cancel`, { reason: 'snow' })),
      'the student withdraws': ({ busy }) => step(busy, ann, 'withdraw'),
      'the student is transferred': async ({ busy }) => {
        const to_clazz_id = await school.classOf([]);
        expectOk(await school.supervisor.post(`/clazz/${busy}/student/${ann}/transfer`, { to_clazz_id }));
      },
      'the class is completed': async ({ busy }) => expectOk(await school.supervisor.post(`/clazz/${busy}/complete`)),
      'leave is approved': ({ lesson_id }) => leaveFrom(ann, lesson_id),
      'the wanted lesson is moved': async () => undefined,
    };
    for (const [why, end] of Object.entries(ways)) {
      [ann, bob, cid] = school.students(3) as [string, string, string];
      const busy = await school.classOf([ann]);
      const { id: lesson_id } = await school.lesson(busy, 50);
      const wanted = await school.classOf([bob], { capacity: 1 });
      const clash = await school.lesson(wanted, 50.5);
      await wait(wanted, ann);
      await step(wanted, bob, 'withdraw');
      expect(await statusOf(wanted), why).toMatchObject({ [ann]: 'waiting' });
      await end({ busy, lesson_id });
      if (why.startsWith('the wanted')) {
        const moved = { starts_at: school.inHours(60), ends_at: school.inHours(61) };
        expectOk(await school.supervisor.patch(`/clazz/lesson/${clash.id}`, moved));
      }
      expect(await statusOf(wanted), why).toMatchObject({ [ann]: 'active' });
      const { items } = expectOk(await school.supervisor.get(`/clazz/${wanted}/audit-log?action=update&limit=100`));
      expect(
        items.filter((row) => row.reason === 'a seat became free'),
        why,
      ).toHaveLength(1);
    }
  });

  it('is tried when a booking elsewhere is undone, in the order of the list, and for the places there are', async () => {
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
    await wait(wanted, bob, ann);
    await step(wanted, cid, 'withdraw');
    expect(await statusOf(wanted)).toMatchObject({ [ann]: 'waiting', [bob]: 'waiting' });
    // Both are free at once: who came first gets the seat.
    expectOk(await school.supervisor.post(`/clazz/lesson/${target.id}/cancel`, { reason: 'snow' }));
    expect(await statusOf(wanted)).toMatchObject({ [ann]: 'waiting', [bob]: 'active' });
  });

  it('keeps waiting while the other enrolment is only suspended, which can be resumed', async () => {
    const busy = await school.classOf([ann]);
    await school.lesson(busy, 50);
    const wanted = await school.classOf([bob], { capacity: 1 });
    await school.lesson(wanted, 50.5);
    await wait(wanted, ann);
    await step(wanted, bob, 'withdraw');
    await step(busy, ann, 'suspend');
    expect(await statusOf(wanted)).toMatchObject({ [ann]: 'waiting' });
    await step(busy, ann, 'resume');
    expectRefusal(await school.supervisor.post(`/clazz/${wanted}/student`, { student_ids: [ann] }), 409, 'duplicate');
  });
});
