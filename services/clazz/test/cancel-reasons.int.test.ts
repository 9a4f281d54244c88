import { clazzEvents } from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { newClazz } from '../../../tools/proofs/test/clazz.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { enrolNow, postLesson } from './enrol-helpers.ts';

const clock = clockAt('2033-01-01T00:00:00Z');
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz'], clock: clock.now });
});
afterAll(() => fixture?.stop());

const { supervisor, teacher, student } = peopleOf(() => fixture);

/** A class of one student with one lesson in `hours` hours. */
const lessonFor = async (student_id: string, hours: number) => {
  const { id } = await newClazz(supervisor(), { lead_teacher_id: `lead-${student_id}` });
  await enrolNow(supervisor(), id, student_id);
  const fields = { teacher_id: `teacher-${student_id}` };
  return {
    clazz_id: id,
    lesson: expectOk(await postLesson(supervisor(), id, clock.after(hours * HOUR_MS), fields), 201),
  };
};
type Person = ReturnType<typeof student>;
/** Status, reason and publicity of a cancelled lesson, in each answer that contains the lesson. */
const cancellationSeenBy = async (who: Person, { clazz_id, lesson }: Awaited<ReturnType<typeof lessonFor>>) => {
  const [one, list, own] = [
    expectOk(await who.get(`/clazz/lesson/${lesson.id}`)),
    expectOk(await who.get(`/clazz/${clazz_id}/lesson`)).items,
    expectOk(await who.get('/clazz/lesson/my')).items,
  ];
  return [one, ...list, ...own].map((row) => [row.status, row.cancel_reason, row.reason_public]);
};
const feedOf = async (who: Person) => {
  const { url } = expectOk(await who.post('/clazz/calendar/feed'), 201);
  return String(expectOk(await fixture.raw().get(`/${url}`))).includes('DESCRIPTION:flood');
};

it.each([
  ['cancelling the lesson', 'lesson'],
  ['cancelling the class', 'clazz'],
  ['completing the class', 'completion'],
] as const)('%s shows students the cancelled lesson, and the reason only if it is public', async (_action, kind) => {
  for (const reason_public of [undefined, true]) {
    const student_id = `s-${kind}-${String(reason_public)}`;
    const made = await lessonFor(student_id, reason_public ? 30 : 40);
    const path = {
      lesson: `/clazz/lesson/${made.lesson.id}/cancel`,
      clazz: `/clazz/${made.clazz_id}/cancel`,
      completion: `/clazz/${made.clazz_id}/complete`,
    } as const;
    expectOk(await supervisor().post(path[kind], { reason: 'flood', reason_public }));
    const isPublic = reason_public === true;
    const seen = ['cancelled', isPublic ? 'flood' : null, isPublic];
    const [pupil, lead, own] = [student(student_id), teacher(`lead-${student_id}`), teacher(`teacher-${student_id}`)];
    for (const row of await cancellationSeenBy(pupil, made)) expect(row).toEqual(seen);
    for (const row of await cancellationSeenBy(own, made)) expect(row).toEqual(['cancelled', 'flood', isPublic]);
    expect([await feedOf(pupil), await feedOf(own)]).toEqual([isPublic && kind === 'lesson', true]);
    expect(expectOk(await lead.get(`/clazz/lesson/${made.lesson.id}`)).cancel_reason).toBe('flood');
    const events = await fixture.events('clazz', clazzEvents.lessonChanged);
    const last = events.findLast((event) => event.aggregate_id === made.clazz_id);
    expect(last?.data.lessons).toMatchObject([{ cancel_reason: null, reason_public: isPublic }]);
  }
});
