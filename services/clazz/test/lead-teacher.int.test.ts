import { clazzEvents, type Lesson } from '@teaching/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codesOf, expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { postLesson } from './enrol-helpers.ts';
import { MONDAY, openSchool, type School } from './test-school.ts';

const clock = clockAt(Date.parse(MONDAY));
let fixture: Fixture;
let school: School;
beforeAll(async () => {
  ({ fixture, school } = await openSchool(clock));
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

const by = (teacher_id: string, hours: number): Promise<Lesson> => school.lesson(clazz_id, hours, { teacher_id });
const giveTo = (lead_teacher_id: string, more: object = {}) =>
  school.supervisor.patch(`/clazz/${clazz_id}`, { lead_teacher_id, ...more });
const teachers = async (): Promise<string[]> =>
  expectOk(await school.supervisor.get(`/clazz/${clazz_id}/lesson?limit=100`)).items.map((row) => row.teacher_id);

describe('another lead teacher', () => {
  it('takes over the lessons to come that were the former one’s, and no others', async () => {
    await by(old, -5);
    await by(old, -0.5);
    const gone = await by(old, 10);
    expectOk(await school.supervisor.post(`/clazz/lesson/${gone.id}/cancel`));
    const [first, second] = [await by(old, 20), await by(old, 40)];
    await by('substitute', 30);
    expect(expectOk(await giveTo(next))).toMatchObject({ lead_teacher_id: next });
    expect(await teachers()).toEqual([old, old, old, next, 'substitute', next]);
    const events = await fixture.told('clazz', clazzEvents.lessonChanged);
    const told = events.findLast((event) => event.aggregate_id === clazz_id)?.data.lessons;
    expect(told?.map((row) => [row.id, row.teacher_id, row.version])).toEqual([
      [first.id, next, 2],
      [second.id, next, 2],
    ]);
    const { items } = expectOk(await school.supervisor.get(`/clazz/${clazz_id}/audit-log?entity=lesson&action=update`));
    const moved = items.filter((row) => 'teacher_id' in row.changes);
    expect(moved.map((row) => row.entity_id).toSorted()).toEqual([first.id, second.id].toSorted());
    expect(moved[0]?.changes['teacher_id']).toEqual({ before: old, after: next });
  });

  it('takes all of them or none: what keeps them is named, and `keep` leaves the lessons', async () => {
    await by(old, 20);
    await by(old, 40);
    const busy = await school.lesson(await school.classOf([]), 40.5, { teacher_id: next });
    const { conflicts } = expectRefusal(await giveTo(next), 409, 'schedule_conflict');
    expect(conflicts).toMatchObject([{ lesson_id: busy.id, teacher_id: next, room: null, student_ids: [] }]);
    expect(expectOk(await school.supervisor.get(`/clazz/${clazz_id}`)).lead_teacher_id).toBe(old);
    expect(await teachers()).toEqual([old, old]);
    expect(expectOk(await giveTo(next, { lessons: 'keep' }))).toMatchObject({ lead_teacher_id: next });
    expect(await teachers()).toEqual([old, old]);
    expectRefusal(await giveTo(old, { lessons: 'some' }), 400, 'invalid_request');
  });

  it('and lessons scheduled at the same time leave nobody in two places, and none with the former lead', async () => {
    for (let round = 0; round < 4; round += 1) {
      const [from, to] = round % 2 === 0 ? [old, next] : [next, old];
      const hours = 100 + round * 10;
      await by(from, hours);
      const elsewhere = await school.classOf([]);
      const answers = await Promise.all([
        giveTo(to),
        // Without a teacher the lesson is the lead's of that moment.
        postLesson(school.supervisor, clazz_id, school.inHours(hours + 2)),
        postLesson(school.supervisor, elsewhere, school.inHours(hours + 0.5), { teacher_id: to }),
      ]);
      const [change, own, other] = answers;
      expectOk(own, 201);
      expect(codesOf([change, other])).toEqual([expect.stringMatching(/^20/), '409 schedule_conflict']);
      const lead = change.status === 200 ? to : from;
      expect(new Set(await teachers())).toEqual(new Set([lead]));
      await school.supervisor.post(`/clazz/${elsewhere}/cancel`);
      if (lead === from) expectOk(await giveTo(to));
    }
  });
});
