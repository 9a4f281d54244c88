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
    expect(found[0]).toMatchObject({ same_course: true, capacity: null, free: null });
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
      'booked with another credit': [booked, 'credit_unavailable'],
      'the missed one': [{ id: leave.lesson_id }, 'credit_unavailable'],
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
