import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { codesOf, expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import { createSweepRunner, type SweepRunner } from '../../../tools/proofs/test/run-sweeps.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { promoteOverTime } from '../src/people/promote-over-time.ts';
import { createSchool, MONDAY, startSchool, type School } from './test-school.ts';

const clock = clockAt(Date.parse(MONDAY));
let fixture: Fixture;
let school: School;
let sweeps: SweepRunner;
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clock));
  sweeps = createSweepRunner(fixture, 'clazz', clock.now);
});
afterAll(async () => {
  await sweeps?.end();
  await fixture?.stop();
});

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

  it('that is also a guest keeps that seat: nobody enrolled with the guest gets it', async () => {
    const home = await school.classOf([ann]);
    const leave = await leaveFrom(ann, (await school.lesson(home, 30)).id);
    const small = await school.classOf([cid], { capacity: 2 });
    const target = await school.lesson(small, 50);
    expectOk(await school.student(ann).post(`/clazz/leave/${leave.id}/make-up`, { lesson_id: target.id }));
    await joinWaitingList(small, bob, ann);
    expect(await statusOf(small)).toEqual({ [cid]: 'active', [bob]: 'waiting', [ann]: 'waiting' });
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

  it('keeps waiting while the clashing enrolment is only suspended, and gets the seat when it ends', async () => {
    const busy = await school.classOf([ann]);
    await school.lesson(busy, 50);
    const wanted = await school.classOf([bob], { capacity: 1 });
    await school.lesson(wanted, 50.5);
    await joinWaitingList(wanted, ann);
    await changeEnrolment(wanted, bob, 'withdraw');
    await changeEnrolment(busy, ann, 'suspend');
    await sweeps.run(promoteOverTime);
    expect(await statusOf(wanted)).toMatchObject({ [ann]: 'waiting' });
    await changeEnrolment(busy, ann, 'resume');
    expectRefusal(await school.supervisor.post(`/clazz/${wanted}/student`, { student_ids: [ann] }), 409, 'duplicate');
    await changeEnrolment(busy, ann, 'suspend');
    await changeEnrolment(busy, ann, 'withdraw');
    expect(await statusOf(wanted)).toMatchObject({ [ann]: 'active' });
  });
});

/** A class with one seat, which the guest occupies at its only lesson, in 50 hours. These students wait, in order. */
const clazzWithGuest = async (guest: string, ...waiting: string[]): Promise<string> => {
  const home = await school.classOf([guest]);
  const { id } = await leaveFrom(guest, (await school.lesson(home, 30)).id);
  const small = await school.classOf([], { capacity: 1 });
  const { id: lesson_id } = await school.lesson(small, 50);
  expectOk(await school.student(guest).post(`/clazz/leave/${id}/make-up`, { lesson_id }));
  await joinWaitingList(small, ...waiting);
  return small;
};
const promotionsOf = async (clazz_id: string) => {
  const { items } = expectOk(await school.supervisor.get(`/clazz/${clazz_id}/audit-log?action=update&limit=100`));
  return items.filter((row) => row.reason === 'a seat became free').map(({ actor_id }) => actor_id);
};
const enrol = (clazz_id: string, student_id: string, fields: { since?: string; waitlist?: boolean } = {}) =>
  school.supervisor.post(`/clazz/${clazz_id}/student`, { student_ids: [student_id], ...fields });

describe('writes that free places for each other at the same time', () => {
  /** A full class of `members` with a waiting student, and a lesson at `hours`. */
  const fullClazz = async (members: string[], hours: number) => {
    const id = await school.classOf(members, { capacity: 2 * members.length });
    return {
      id,
      members,
      lesson_id: (await school.lesson(id, hours)).id,
      missed_id: (await school.lesson(id, hours + 20)).id,
    };
  };

  it('succeed and give each place: withdrawals of students who wait for the other class', async () => {
    const [a, b] = [await school.classOf([ann], { capacity: 1 }), await school.classOf([bob], { capacity: 1 })];
    await joinWaitingList(a, bob);
    await joinWaitingList(b, ann);
    await Promise.all([changeEnrolment(a, ann, 'withdraw'), changeEnrolment(b, bob, 'withdraw')]);
    expect(await statusOf(a)).toEqual({ [ann]: 'withdrawn', [bob]: 'active' });
    expect(await statusOf(b)).toEqual({ [bob]: 'withdrawn', [ann]: 'active' });
  });

  it('succeed and give each place: make-ups of many guests that are undone in two classes', async () => {
    const one = await fullClazz(school.students(4), 40);
    const two = await fullClazz(school.students(4), 50);
    const book = async (from: typeof one, to: typeof one) => {
      const leaves = [];
      for (const student_id of from.members) {
        const leave = await leaveFrom(student_id, from.missed_id);
        expectOk(await school.supervisor.post(`/clazz/leave/${leave.id}/make-up`, { lesson_id: to.lesson_id }));
        leaves.push(leave);
      }
      return leaves;
    };
    const booked = [...(await book(one, two)), ...(await book(two, one))];
    const waiting = [school.students(2), school.students(2)] as const;
    await joinWaitingList(one.id, ...waiting[0]);
    await joinWaitingList(two.id, ...waiting[1]);
    const undone = await Promise.all(booked.map(({ id }) => school.supervisor.delete(`/clazz/leave/${id}/make-up`)));
    expect(codesOf(undone)).toEqual(booked.map(() => '200'));
    expect(await statusOf(one.id)).toMatchObject(Object.fromEntries(waiting[0].map((id) => [id, 'active'])));
    expect(await statusOf(two.id)).toMatchObject(Object.fromEntries(waiting[1].map((id) => [id, 'active'])));
  });
});

describe('a seat that becomes free because time passes', () => {
  it('goes to the first waiting student with the next pass of the job, once', async () => {
    const small = await clazzWithGuest(ann, bob, cid);
    await sweeps.run(promoteOverTime);
    expect(await statusOf(small)).toEqual({ [bob]: 'waiting', [cid]: 'waiting' });
    school.passHours(51);
    await Promise.all([sweeps.run(promoteOverTime), sweeps.run(promoteOverTime), sweeps.run(promoteOverTime)]);
    expect(await statusOf(small)).toEqual({ [bob]: 'active', [cid]: 'waiting' });
    expect(await promotionsOf(small)).toEqual(['system']);
    await sweeps.run(promoteOverTime);
  });

  it('is given while another class is locked, which gets its seat with the next pass', async () => {
    const [guest, waiting] = school.students(2) as [string, string];
    const [locked, small] = [await clazzWithGuest(ann, bob), await clazzWithGuest(guest, waiting)];
    school.passHours(51);
    const other = new pg.Client({ connectionString: fixture.adminUrl });
    await other.connect();
    try {
      await other.query('begin');
      await other.query('select from clazz.clazz where id = $1 for update', [locked]);
      await sweeps.run(promoteOverTime);
    } finally {
      await other.end();
    }
    expect([await statusOf(locked), await statusOf(small)]).toEqual([{ [bob]: 'waiting' }, { [waiting]: 'active' }]);
    await sweeps.run(promoteOverTime);
    expect(await statusOf(locked)).toEqual({ [bob]: 'active' });
  });

  it('goes to the waiting student when a clash is over, or the lesson in a small room', async () => {
    const busy = await school.classOf([ann]);
    await school.lesson(busy, 50);
    const wanted = await school.classOf([bob], { capacity: 1 });
    await school.lesson(wanted, 50.5);
    await joinWaitingList(wanted, ann);
    await changeEnrolment(wanted, bob, 'withdraw');
    const crowded = await school.classOf([bob]);
    expectOk(await school.supervisor.post('/clazz/room', { name: 'Attic', capacity: 1 }), 201);
    await school.lesson(crowded, 40, { room: 'Attic' });
    await joinWaitingList(crowded, cid);
    await sweeps.run(promoteOverTime);
    expect([await statusOf(wanted), await statusOf(crowded)]).toMatchObject([
      { [ann]: 'waiting' },
      { [cid]: 'waiting' },
    ]);
    school.passHours(51);
    await sweeps.run(promoteOverTime);
    expect([await statusOf(wanted), await statusOf(crowded)]).toMatchObject([{ [ann]: 'active' }, { [cid]: 'active' }]);
  });

  it('is not given to the next student who asks: by enrolling, with the waiting list, or by a transfer', async () => {
    const ways: Record<string, (small: string) => Promise<void>> = {
      'enrols without the waiting list': async (small) => {
        expectRefusal(await enrol(small, cid), 409, 'clazz_full');
      },
      'enrols with the waiting list': async (small) => {
        expect(expectOk(await enrol(small, cid, { waitlist: true }), 201).items).toMatchObject([{ status: 'waiting' }]);
        expect(await statusOf(small)).toEqual({ [bob]: 'active', [cid]: 'waiting' });
      },
      'is transferred': async (small) => {
        const from = await school.classOf([cid]);
        const path = `/clazz/${from}/student/${cid}/transfer` as const;
        expectRefusal(await school.supervisor.post(path, { to_clazz_id: small }), 409, 'clazz_full');
      },
    };
    for (const [way, request] of Object.entries(ways)) {
      clock.reset();
      [ann, bob, cid] = school.students(3) as [string, string, string];
      const small = await clazzWithGuest(ann, bob);
      school.passHours(51);
      await request(small);
      await sweeps.run(promoteOverTime);
      expect(await statusOf(small), way).toMatchObject({ [bob]: 'active' });
    }
  });

  it('goes to the waiting student also while ten others ask for it at once', async () => {
    const small = await clazzWithGuest(ann, bob);
    const others = school.students(10);
    school.passHours(51);
    await Promise.all([
      ...others.map((student_id) => enrol(small, student_id, { waitlist: true })),
      sweeps.run(promoteOverTime),
      sweeps.run(promoteOverTime),
    ]);
    const waiting = Object.fromEntries(others.map((student_id) => [student_id, 'waiting']));
    expect(await statusOf(small)).toEqual({ [bob]: 'active', ...waiting });
    expect(await promotionsOf(small)).toHaveLength(1);
  });

  it('is reserved for the waiting student before that moment, so that no later start of an enrolment passes', async () => {
    const small = await clazzWithGuest(ann, bob);
    const later = { since: school.inHours(51) };
    expectRefusal(await enrol(small, cid, later), 409, 'clazz_full');
    await changeEnrolment(small, bob, 'withdraw');
    expect(expectOk(await enrol(small, cid, later), 201).items).toMatchObject([{ status: 'active' }]);
  });

  it('is not reserved while the guest has it, who may join the class then as well as now', async () => {
    for (const since of [school.inHours(45), school.inHours(0)]) {
      const small = await clazzWithGuest(ann, bob);
      expect(expectOk(await enrol(small, ann, { since }), 201).items).toMatchObject([{ status: 'active' }]);
      expect(await statusOf(small)).toMatchObject({ [bob]: 'waiting' });
      [ann, bob] = school.students(2) as [string, string];
    }
  });

  it('is left to others while the waiting student is inactive, and no longer', async () => {
    const small = await school.classOf([cid], { capacity: 1 });
    await joinWaitingList(small, bob);
    const member = { user_id: bob, role: 'STUDENT', display_name: 'Bob' } as const;
    expectOk(await school.supervisor.put('/ws/member/bulk', { members: [member] }));
    expectOk(await school.supervisor.post(`/ws/member/${bob}/deactivate`, { reason: 'moved away' }));
    await changeEnrolment(small, cid, 'withdraw');
    expect(await statusOf(small)).toMatchObject({ [bob]: 'waiting' });
    expectOk(await enrol(small, ann), 201);
    await changeEnrolment(small, ann, 'withdraw');
    expectOk(await school.supervisor.post(`/ws/member/${bob}/activate`));
    await sweeps.run(promoteOverTime);
    expect(await statusOf(small)).toMatchObject({ [bob]: 'active', [ann]: 'withdrawn' });
  });

  it('is given by an instance that starts after none ran', async () => {
    const other = await startFixture({ services: ['course', 'package'], clock: clock.now });
    const usual = school;
    onTestFinished(async () => {
      school = usual;
      await other.stop();
    });
    const first = await other.startService('clazz');
    school = createSchool(other, clock);
    const small = await clazzWithGuest(ann, bob);
    await first.stop();
    school.passHours(51);
    await other.startService('clazz');
    await expect.poll(() => statusOf(small), POLL_OPTIONS).toEqual({ [bob]: 'active' });
  });
});
