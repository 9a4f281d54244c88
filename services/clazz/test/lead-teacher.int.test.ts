import { clazzEvents, type Lesson } from '@teaching/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codesOf, expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { postLesson } from './enrol-helpers.ts';
import { MONDAY, startSchool, type School } from './test-school.ts';

const clock = clockAt(Date.parse(MONDAY));
let fixture: Fixture;
let school: School;
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clock));
});
afterAll(() => fixture?.stop());

let made = 0;
let old: string;
let next: string;
let clazz_id: string;
beforeEach(async () => {
  clock.reset();
  made += 1;
  [old, next] = [`old-${made}`, `next-${made}`];
  clazz_id = await school.classOf(school.students(1), { lead_teacher_id: old });
});

const lessonBy = (teacher_id: string, hours: number): Promise<Lesson> => school.lesson(clazz_id, hours, { teacher_id });
const changeLead = (lead_teacher_id: string, more: object = {}) =>
  school.supervisor.patch(`/clazz/${clazz_id}`, { lead_teacher_id, ...more });
const teachers = async (): Promise<string[]> =>
  expectOk(await school.supervisor.get(`/clazz/${clazz_id}/lesson?limit=100`)).items.map((row) => row.teacher_id);

describe('a new lead teacher', () => {
  it('takes over the future lessons of the former lead teacher, and no others', async () => {
    await lessonBy(old, -5);
    await lessonBy(old, -0.5);
    const gone = await lessonBy(old, 10);
    expectOk(await school.supervisor.post(`/clazz/lesson/${gone.id}/cancel`));
    const [first, second] = [await lessonBy(old, 20), await lessonBy(old, 40)];
    await lessonBy('substitute', 30);
    expect(expectOk(await changeLead(next))).toMatchObject({ lead_teacher_id: next });
    expect(await teachers()).toEqual([old, old, old, next, 'substitute', next]);
    const events = await fixture.events('clazz', clazzEvents.lessonChanged);
    const published = events.findLast((event) => event.aggregate_id === clazz_id)?.data.lessons;
    expect(published?.map((row) => [row.id, row.teacher_id, row.version])).toEqual([
      [first.id, next, 2],
      [second.id, next, 2],
    ]);
    const { items } = expectOk(await school.supervisor.get(`/clazz/${clazz_id}/audit-log?entity=lesson&action=update`));
    const moved = items.filter((row) => 'teacher_id' in row.changes);
    expect(moved.map((row) => row.entity_id).toSorted()).toEqual([first.id, second.id].toSorted());
    expect(moved[0]?.changes['teacher_id']).toEqual({ before: old, after: next });
  });

  it('takes over all lessons, is refused with the clashes, or takes none with `lessons: keep`', async () => {
    await lessonBy(old, 20);
    await lessonBy(old, 40);
    const busy = await school.lesson(await school.classOf([]), 40.5, { teacher_id: next });
    const { conflicts } = expectRefusal(await changeLead(next), 409, 'schedule_conflict');
    expect(conflicts).toMatchObject([{ lesson_id: busy.id, teacher_id: next, room: null, student_ids: [] }]);
    expect(expectOk(await school.supervisor.get(`/clazz/${clazz_id}`)).lead_teacher_id).toBe(old);
    expect(await teachers()).toEqual([old, old]);
    expect(expectOk(await changeLead(next, { lessons: 'keep' }))).toMatchObject({ lead_teacher_id: next });
    expect(await teachers()).toEqual([old, old]);
    expectRefusal(await changeLead(old, { lessons: 'some' }), 400, 'invalid_request');
  });

  it('and parallel scheduling leave no clash and no lesson with the former lead teacher', async () => {
    for (let round = 0; round < 4; round += 1) {
      const [from, to] = round % 2 === 0 ? [old, next] : [next, old];
      const hours = 100 + round * 10;
      await lessonBy(from, hours);
      const elsewhere = await school.classOf([]);
      const answers = await Promise.all([
        changeLead(to),
        // A lesson without a teacher gets the lead teacher of that moment.
        postLesson(school.supervisor, clazz_id, school.inHours(hours + 2)),
        postLesson(school.supervisor, elsewhere, school.inHours(hours + 0.5), { teacher_id: to }),
      ]);
      const [change, own, other] = answers;
      expectOk(own, 201);
      expect(codesOf([change, other])).toEqual([expect.stringMatching(/^20/), '409 schedule_conflict']);
      const lead = change.status === 200 ? to : from;
      expect(new Set(await teachers())).toEqual(new Set([lead]));
      await school.supervisor.post(`/clazz/${elsewhere}/cancel`);
      if (lead === from) expectOk(await changeLead(to));
    }
  });
});
