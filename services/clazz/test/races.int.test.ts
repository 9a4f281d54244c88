import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf, expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { newClazz } from '../../../tools/proofs/test/clazz.ts';
import { enrolNow, postLesson } from './enrol-helpers.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz'] });
});
afterAll(() => fixture?.stop());

const { supervisor } = peopleOf(() => fixture);

describe('parallel requests', () => {
  it('that enrol and schedule never put a student in two lessons at the same time', async () => {
    const classes = await Promise.all(
      Array.from({ length: 6 }, (_, n) => newClazz(supervisor(), { lead_teacher_id: `race-${n}` })),
    );
    const students = ['r-1', 'r-2', 'r-3'];
    const answers = await Promise.all(
      classes.flatMap(({ id }, n) => [
        postLesson(supervisor(), id, `2035-03-01T10:${n}0:00.000Z`),
        ...students.map((student) => supervisor().post(`/clazz/${id}/student`, { student_ids: [student] })),
      ]),
    );
    expect(new Set(answers.map(codeOf))).toEqual(new Set(['201', '409 schedule_conflict']));
    const doubleBooked = await fixture.sql(`
      select a.student_id from clazz.lesson_student a join clazz.lesson_student b
        on a.student_id = b.student_id and a.lesson_id < b.lesson_id
        and tstzrange(a.starts_at, a.ends_at) && tstzrange(b.starts_at, b.ends_at)`);
    expect(doubleBooked).toEqual([]);
    const expected = await fixture.sql(`
      select count(*)::int as n from clazz.lesson l join clazz.enrolment_period p
        on p.clazz_id = l.clazz_id and p.during @> l.starts_at
      where not exists (select from clazz.lesson_student s where s.lesson_id = l.id and s.student_id = p.student_id)`);
    expect(expected).toEqual([{ n: 0 }]);
  });

  it('that complete, enrol, schedule and cancel leave no open enrolment or lesson in a completed class', async () => {
    const { id } = await newClazz(supervisor(), { lead_teacher_id: 'closing' });
    await enrolNow(supervisor(), id, 'c-1', 'c-2');
    const lesson = expectOk(await postLesson(supervisor(), id, '2036-03-01T10:00:00.000Z'), 201);
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, (_, n) =>
        supervisor().post(`/clazz/${id}/student`, { student_ids: [`late-${n}`] }),
      ),
      ...Array.from({ length: 10 }, (_, n) => postLesson(supervisor(), id, `2036-04-${10 + n}T10:00:00.000Z`)),
      supervisor().post(`/clazz/${id}/complete`),
      supervisor().post(`/clazz/lesson/${lesson.id}/cancel`),
      ...Array.from({ length: 3 }, () => supervisor().post(`/clazz/${id}/complete`)),
    ]);
    const codes = answers.map(codeOf);
    expect(codes.filter((code) => code === '409 invalid_transition').length).toBeGreaterThanOrEqual(3);
    expect(codes.slice(0, 20).filter((code) => code !== '201' && code !== '409 clazz_closed')).toEqual([]);
    const [open] = await fixture.sql<{ n: string }>(
      `select (select count(*) from clazz.enrolment where clazz_id = $1 and status in ('waiting', 'active', 'suspended'))
         + (select count(*) from clazz.lesson where clazz_id = $1 and status = 'scheduled')
         + (select count(*) from clazz.enrolment_period where clazz_id = $1 and upper_inf(during)) as n`,
      [id],
    );
    expect(Number(open?.n)).toBe(0);
  });
});
