import { hourCalls } from '@teaching/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { MONDAY, startSchool, type School } from './test-school.ts';

const clock = clockAt(MONDAY);
let fixture: Fixture;
let school: School;
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clock));
});
afterAll(() => fixture?.stop());

it('entries contain class and mark, also after a correction of the mark, and are filtered by lesson', async () => {
  const [ann] = school.students(1) as [string];
  const clazz_id = await school.classOf([ann], { name: 'Algebra' });
  const [first, second] = [await school.lesson(clazz_id, 1), await school.lesson(clazz_id, 4)];
  await school.grant(ann, '10');
  school.passHours(6);
  expectOk(await school.submit(first.id, { [ann]: 'present' }));
  expectOk(await school.submit(first.id, { [ann]: 'trial' }));
  expectOk(await school.submit(second.id, { [ann]: 'late' }));
  const describeEntries = async (lesson_id?: string) => {
    const { items } = await school
      .student(ann)
      .ok(hourCalls.listStudentHourEntries, { path: { student_id: ann }, query: { lesson_id } });
    return items.map(({ kind, clazz_name, mark, amount }) => [kind, clazz_name, mark, amount].join(' '));
  };
  const ofFirst = ['reverse Algebra present 1.00', 'consume Algebra present -1.00'];
  expect(await describeEntries()).toEqual(['consume Algebra late -1.00', ...ofFirst, 'grant   10.00']);
  expect(await describeEntries(first.id)).toEqual(ofFirst);
  expect(await describeEntries(`${first.id},${second.id}`)).toHaveLength(3);
});
