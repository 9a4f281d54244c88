import { randomUUID } from 'node:crypto';
import type { Leave, leaveCalls, Output } from '@teaching/contracts';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { type NewClazzFields, newClazz } from '../../../tools/proofs/test/clazz.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { MONDAY, startSchool, type School } from './test-school.ts';

type Option = Output<typeof leaveCalls.listMakeUpOptions>['items'][number];

const DAY = 24;
const clock = clockAt(Date.parse(MONDAY));
let fixture: Fixture;
let school: School;
let courses: string[];
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clock));
  const titles = ['Algebra', 'Music'];
  const made = titles.map((title) => school.supervisor.post('/ws/course', { title, status: 'active' }));
  courses = (await Promise.all(made)).map((answer) => expectOk(answer, 201).id);
});
afterAll(() => fixture?.stop());

let ann: string;
let home: string;
beforeEach(async () => {
  clock.reset();
  [ann] = school.students(1) as [string];
  home = await classOf([ann], 0);
});

/** A class of Algebra (0), Music (1) or no course. */
const classOf = (student_ids: string[], course: number, fields: NewClazzFields = {}): Promise<string> =>
  school.classOf(student_ids, { course_id: courses[course] ?? null, ...fields });
const leaveWithCredit = async (student_id: string, clazz_id: string, hours = 30): Promise<Leave> => {
  const { id: lesson_id } = await school.lesson(clazz_id, hours);
  const requested = expectOk(await school.student(student_id).post('/clazz/leave', { lesson_id, reason: 'ill' }), 201);
  return expectOk(await school.teacher.post(`/clazz/leave/${singleElement(requested.items).id}/approve`));
};
const path = ({ id }: Leave) => `/clazz/leave/${id}/make-up` as const;
const bookMakeUp = (leave: Leave, lesson_id: string) =>
  school.student(leave.student_id).post(path(leave), { lesson_id });
const undoMakeUp = (leave: Leave) => school.student(leave.student_id).delete(path(leave));
/** All make-up options of a leave, read page by page. */
const readOptions = async (leave: Leave, query = '', limit = 3): Promise<Option[]> => {
  const found: Option[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const more: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = expectOk(
      await school.student(leave.student_id).get(`${path(leave)}/options?limit=${limit}${query}${more}`),
    );
    found.push(...page.items);
    cursor = page.next_cursor;
  }
  return found;
};
const idsOf = (rows: readonly { id: string }[]): string[] => rows.map((row) => row.id);

describe('make-up options', () => {
  it('are sorted by same course, then by start, then by free seats', async () => {
    const leave = await leaveWithCredit(ann, home);
    const small = await classOf([], 0, { capacity: 1 });
    const large = await classOf([], 0, { capacity: 5, name: 'Large' });
    const endless = await classOf([], 0);
    const other = await classOf([], 1);
    const none = await school.classOf([]);
    const at = 4 * DAY;
    const lessons = {
      ofNone: await school.lesson(none, at - 3),
      ofOther: await school.lesson(other, at - 2),
      late: await school.lesson(small, at + 2),
      small: await school.lesson(small, at),
      large: await school.lesson(large, at),
      endless: await school.lesson(endless, at),
    };
    const range = `&from=${school.inHours(at - 4)}&to=${school.inHours(at + 3)}`;
    const found = await readOptions(leave, range);
    expect(idsOf(found)).toEqual(
      [lessons.endless, lessons.large, lessons.small, lessons.late, lessons.ofNone, lessons.ofOther].map((it) => it.id),
    );
    expect(found[0]).toMatchObject({ same_course: true, capacity: null, free: null, charge_hours: '1.00' });
    expect(found[1]).toMatchObject({ clazz_name: 'Large', capacity: 5, free: 5, starts_at: lessons.large.starts_at });
    expect(found[4]).toMatchObject({ same_course: false });
    expect(await readOptions(leave, `&from=${school.inHours(at + 3)}&to=${school.inHours(at + 4)}`)).toEqual([]);
  });

  it('for a class without a course contain all other classes, none as the same course', async () => {
    const [bob] = school.students(1) as [string];
    const leave = await leaveWithCredit(bob, await school.classOf([bob]));
    const lessons = [
      await school.lesson(await school.classOf([]), 4 * DAY),
      await school.lesson(await classOf([], 0), 4 * DAY + 2),
    ];
    const rows = (await readOptions(leave)).map(({ id, same_course }) => ({ id, same_course }));
    for (const { id } of lessons) expect(rows).toContainEqual({ id, same_course: false });
  });

  it('leave out every lesson that booking refuses, for each reason of refusal', async () => {
    const leave = await leaveWithCredit(ann, home);
    const [cid] = school.students(1) as [string];
    const full = await classOf([cid], 0, { capacity: 1 });
    const open = await classOf([], 0);
    const closed = await classOf([], 0);
    const draft = await newClazz(school.supervisor, { course_id: courses[0] ?? null }, 'draft');
    await school.lesson(home, 40);
    const second = await leaveWithCredit(ann, home, 36);
    const third = await leaveWithCredit(ann, home, 75);
    const suspended = await classOf([ann], 0);
    expectOk(await school.supervisor.post(`/clazz/${suspended}/student/${ann}/suspend`));
    const booked = await school.lesson(open, 60);
    const cancelled = await school.lesson(open, 64);
    const refusedLessons = {
      full: [await school.lesson(full, 50), 'clazz_full'],
      'at the same time': [await school.lesson(open, 40.5), 'schedule_conflict'],
      'of a draft': [await school.lesson(draft.id, 50), 'invalid_transition'],
      'of a closed class': [await school.lesson(closed, 50), 'clazz_closed'],
      begun: [await school.lesson(open, 0), 'invalid_transition'],
      past: [await school.lesson(open, -2), 'invalid_transition'],
      cancelled: [cancelled, 'invalid_transition'],
      'after the credit': [await school.lesson(open, 63 * DAY), 'credit_unavailable'],
      'booked with another credit': [booked, 'already_attending'],
      'the missed one': [{ id: leave.lesson_id }, 'already_attending'],
      'of the own class': [await school.lesson(home, 70), 'already_attending'],
      'of the own class, with approved leave': [{ id: third.lesson_id }, 'already_attending'],
      'of a class in which the student is suspended': [await school.lesson(suspended, 50), 'already_attending'],
    } as const;
    expectOk(await bookMakeUp(second, booked.id));
    expectOk(await school.supervisor.post(`/clazz/lesson/${cancelled.id}/cancel`, { reason: 'snow' }));
    expectOk(await school.supervisor.post(`/clazz/${closed}/complete`, { force: true, reason: 'end' }));
    // Completing the class cancelled its lesson. After this update only the closed class is a reason to refuse.
    await fixture.sql(`update clazz.lesson set status = 'scheduled' where clazz_id = $1`, [closed]);
    const fits = await school.lesson(open, 50);
    const ids = idsOf(await readOptions(leave, '', 100));
    expect(ids).toContain(fits.id);
    for (const [why, [lesson, code]] of Object.entries(refusedLessons)) {
      expect(ids, why).not.toContain(lesson.id);
      expectRefusal(await bookMakeUp(leave, lesson.id), 409, code);
    }
    expectOk(await bookMakeUp(leave, fits.id));
  });

  it('contain lessons of own classes in which the student has no place: before joining, after leaving, while waiting', async () => {
    const leave = await leaveWithCredit(ann, home);
    const [bob] = school.students(1) as [string];
    const [later, left, full] = [
      await classOf([], 0),
      await classOf([ann], 0),
      await classOf([bob], 0, { capacity: 1 }),
    ];
    const enrol = (clazz_id: string, more: object) =>
      school.supervisor.post(`/clazz/${clazz_id}/student`, { student_ids: [ann], ...more });
    expectOk(await enrol(later, { since: school.inHours(60) }), 201);
    expectOk(await school.supervisor.post(`/clazz/${left}/student/${ann}/withdraw`));
    expectOk(await enrol(full, { waitlist: true }), 201);
    const places = { [later]: 50, [left]: 53, [full]: 56 };
    const made = Object.entries(places).map(([clazz_id, hours]) => school.lesson(clazz_id, hours));
    const [before, after, waiting] = idsOf(await Promise.all(made));
    const member = await school.lesson(later, 60);
    const ids = idsOf(await readOptions(leave, '', 100));
    expect([before, after, waiting, member.id].map((id) => ids.includes(id ?? ''))).toEqual([true, true, false, false]);
    expectRefusal(await bookMakeUp(leave, waiting ?? ''), 409, 'clazz_full');
    expectRefusal(await bookMakeUp(leave, member.id), 409, 'already_attending');
    for (const id of [before, after]) {
      expectOk(await bookMakeUp(leave, id ?? ''));
      expectOk(await undoMakeUp(leave));
    }
  });

  it('show the free seats that lists of lessons show, which approved leave does not change', async () => {
    const leave = await leaveWithCredit(ann, home);
    const [bob, cid, dan] = school.students(3) as [string, string, string];
    const host = await classOf([bob, cid], 0, { capacity: 5 });
    const { name: room } = expectOk(
      await school.supervisor.post('/clazz/room', { name: randomUUID(), capacity: 4 }),
      201,
    );
    const [wide, narrow] = [await school.lesson(host, 50), await school.lesson(host, 55, { room })];
    const figures = async () => {
      const options = await readOptions(leave, '', 100);
      const listed = expectOk(await school.supervisor.get(`/clazz/lesson?clazz_id=${host}`)).items;
      const of = (rows: readonly Pick<Option, 'id' | 'capacity' | 'free'>[]) =>
        [wide, narrow].map(({ id }) => rows.find((row) => row.id === id)).map((row) => [row?.capacity, row?.free]);
      expect(of(options)).toEqual(of(listed));
      return of(options);
    };
    expect(await figures()).toEqual([
      [5, 3],
      [4, 2],
    ]);
    const requested = await school.student(bob).post('/clazz/leave', { lesson_id: narrow.id, reason: 'ill' });
    const away = singleElement(expectOk(requested, 201).items);
    expectOk(await school.teacher.post(`/clazz/leave/${away.id}/approve`));
    expectOk(await school.supervisor.post(`/clazz/${host}/student/${cid}/suspend`));
    const guest = await leaveWithCredit(dan, await classOf([dan], 0), 33);
    expectOk(await bookMakeUp(guest, narrow.id));
    expect(await figures()).toEqual([
      [5, 3],
      [4, 1],
    ]);
    expectOk(await bookMakeUp(leave, narrow.id));
    const { items } = expectOk(await school.supervisor.get(`/clazz/lesson?clazz_id=${host}&min_free=1`));
    expect(idsOf(items)).toEqual([wide.id]);
    const full = await leaveWithCredit(bob, await classOf([bob], 0), 36);
    expectRefusal(await bookMakeUp(full, narrow.id), 409, 'already_attending');
  });

  it('are exactly the lessons that can be booked', async () => {
    const lesson = fc.record({ of: fc.nat(4), at: fc.integer({ min: -2, max: 14 }) });
    const shape = fc.record({
      lessons: fc.array(lesson, { minLength: 10, maxLength: 14 }),
      own: fc.uniqueArray(fc.integer({ min: 1, max: 14 }), { minLength: 4, maxLength: 6 }),
      capacities: fc.array(fc.option(fc.integer({ min: 1, max: 2 })), { minLength: 4, maxLength: 4 }),
    });
    const check = async ({ lessons, own, capacities }: typeof shape extends fc.Arbitrary<infer T> ? T : never) => {
      const [student, ...others] = school.students(5) as [string, ...string[]];
      const mine = await classOf([student], 0);
      const leave = await leaveWithCredit(student, mine, 100);
      await Promise.all(own.map((at) => school.lesson(mine, 2 * at + 0.5)));
      const hosts = await Promise.all(
        capacities.map((capacity, index) => classOf(others.slice(index, index + 1), index % 3, { capacity })),
      );
      const made = lessons.map(({ of, at }) => school.lesson(hosts[of] ?? mine, 2 * at));
      const targets = idsOf(
        (await Promise.allSettled(made)).flatMap((it) => (it.status === 'fulfilled' ? it.value : [])),
      );
      const found = new Set(idsOf(await readOptions(leave, '', 100)));
      for (const id of targets) {
        const answer = await bookMakeUp(leave, id);
        expect([id, answer.status === 200], JSON.stringify(answer.body)).toEqual([id, found.has(id)]);
        if (answer.status === 200) expectOk(await undoMakeUp(leave));
      }
    };
    await fc.assert(fc.asyncProperty(shape, check), { numRuns: 2, endOnFailure: true });
  });

  it('are shown to the student, the teachers of the class and supervisors while a credit is available', async () => {
    const leave = await leaveWithCredit(ann, home);
    const options = `${path(leave)}/options` as const;
    const fits = await school.lesson(await classOf([], 0), 50);
    for (const reader of [school.student(ann), school.teacher, school.supervisor]) {
      expect(idsOf(expectOk(await reader.get(`${options}?from=${school.inHours(49)}`)).items)).toContain(fits.id);
    }
    const [bob] = school.students(1) as [string];
    expectRefusal(await school.student(bob).get(options), 404, 'not_found');
    expectRefusal(await fixture.as({ role: 'TEACHER', sub: 'another' }).get(options), 403, 'forbidden');
    expectRefusal(await fixture.as({ role: 'SUPERVISOR', org: randomUUID() }).get(options), 404, 'not_found');
    expectOk(await bookMakeUp(leave, fits.id));
    expectRefusal(await school.student(ann).get(options), 409, 'credit_unavailable');
    expectOk(await undoMakeUp(leave));
    school.passHours(62 * DAY);
    expectRefusal(await school.student(ann).get(options), 409, 'credit_unavailable');
    const missed = await school.lesson(home, 30);
    const requested = await school.student(ann).post('/clazz/leave', { lesson_id: missed.id, reason: 'ill' });
    const pending = singleElement(expectOk(requested, 201).items);
    expectRefusal(await school.student(ann).get(`${path(pending)}/options`), 409, 'credit_unavailable');
  });
});
