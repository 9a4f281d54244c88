import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { earlierEndedMemberships } from '../src/db/036_ended_memberships_and_bookings.ts';
import { MONDAY, startSchool, type School } from './test-school.ts';

const clock = clockAt(MONDAY);
let fixture: Fixture;
let school: School;
let client: pg.Client;
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clock));
  client = new pg.Client({ connectionString: fixture.adminUrl });
  await client.connect();
  await client.query('set search_path to clazz');
});
afterAll(async () => {
  await client?.end();
  await fixture?.stop();
});

/** Applies the migration again. */
const upgrade = async (): Promise<void> => {
  for (const step of earlierEndedMemberships.steps) {
    await step.run({ client, readProgress: async () => [], report: () => {} });
  }
};
const leaveFrom = async (student_id: string, lesson_id: string): Promise<string> => {
  const { items } = expectOk(await school.student(student_id).post('/clazz/leave', { lesson_id, reason: 'ill' }), 201);
  return expectOk(await school.teacher.post(`/clazz/leave/${singleElement(items).id}/approve`)).id;
};
/** Books a lesson in `hours` hours of another class. Returns the lesson. */
const bookIn = async (student_id: string, leave_id: string, hours: number): Promise<string> => {
  const { id: lesson_id } = await school.lesson(await school.classOf([]), hours);
  expectOk(await school.student(student_id).post(`/clazz/leave/${leave_id}/make-up`, { lesson_id }));
  return lesson_id;
};
const read = async (text: string, ...values: unknown[]) => (await client.query(text, values)).rows;

it('ended leave and ended bookings of 0.2.0 are stored like those that end later', async () => {
  const [student = ''] = school.students(1);
  const home = await school.classOf([student]);
  const [first, second] = [await school.lesson(home, 30), await school.lesson(home, 32)];
  const leave_id = await leaveFrom(student, first.id);
  await leaveFrom(student, second.id);
  await bookIn(student, leave_id, 40);
  expectOk(await school.supervisor.post(`/clazz/${home}/student/${student}/withdraw`));
  const state = async () => [
    await read('select id, ended_enrolment_id from leave where student_id = $1 order by id', student),
    await read('select * from ended_booking where leave_id = $1', leave_id),
  ];
  const before = await state();
  expect(before.map((rows) => rows.length)).toEqual([2, 1]);
  await client.query('update leave set ended_enrolment_id = null where student_id = $1', [student]);
  await client.query('delete from ended_booking where leave_id = $1', [leave_id]);
  await upgrade();
  expect(await state()).toEqual(before);
  await upgrade();
  expect(await state()).toEqual(before);
});

it('guests of 0.2.0 are expected at the booked lesson, and clash only with lessons from which they have no leave', async () => {
  const [student = ''] = school.students(1);
  const home = await school.classOf([student]);
  const leaves = [];
  for (const hours of [30, 32, 34]) leaves.push(await leaveFrom(student, (await school.lesson(home, hours)).id));
  await leaveFrom(student, (await school.lesson(home, 50)).id);
  const [atLeave, first, second] = [
    await bookIn(student, leaves[0] ?? '', 50),
    await bookIn(student, leaves[1] ?? '', 60),
    await bookIn(student, leaves[2] ?? '', 62),
  ];
  const booked = [atLeave, first, second];
  await client.query('update lesson_student set excused = true where student_id = $1 and lesson_id = any($2)', [
    student,
    booked,
  ]);
  // These two bookings overlap.
  await client.query(`update lesson_student set starts_at = starts_at - interval '90 minutes' where lesson_id = $1`, [
    second,
  ]);
  await upgrade();
  const rows = await read(
    'select lesson_id, excused, override from lesson_student where student_id = $1 and lesson_id = any($2)',
    student,
    booked,
  );
  expect(rows.map(({ excused }) => excused)).toEqual([false, false, false]);
  const overridden = rows.flatMap(({ lesson_id, override }) => (override === true ? [lesson_id] : []));
  expect(overridden).not.toContain(atLeave);
  expect(overridden).not.toEqual([]);
});
