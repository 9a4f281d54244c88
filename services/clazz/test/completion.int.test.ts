import { DAY_MS, HOUR_MS, MINUTE_MS } from '@teaching/kit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { newClazz } from '../../../tools/proofs/test/clazz.ts';
import { enrolNow, postLesson } from './enrol-helpers.ts';

const START = Date.parse('2033-01-01T00:00:00Z');
const clock = clockAt(START);
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz'], clock: clock.now });
});
afterAll(() => fixture?.stop());

const { supervisor, teacher } = peopleOf(() => fixture);
const atHourOfDay = (days: number, hour: number) => new Date(START + days * DAY_MS + hour * HOUR_MS).toISOString();
let count = 0;
const uniqueName = (prefix: string) => `${prefix}-${(count += 1)}`;

/** All rows that completing a class changes, without those that are over at `from`. */
const state = async (id: string, from: number) => {
  const at = [id, new Date(from)];
  const read = (sql: string, values: unknown[]) => fixture.sql(sql, values);
  return {
    enrolments: await read(
      'select id, student_id, status, since, until from clazz.enrolment where clazz_id = $1 order by seq',
      [id],
    ),
    periods: await read(
      `select enrolment_id, during::text from clazz.enrolment_period where clazz_id = $1
       and (upper_inf(during) or upper(during) > $2) order by 1, 2`,
      at,
    ),
    relations: await read(
      `select teacher_id, student_id, role, since, until from clazz.relation
       where clazz_id = $1 and (until is null or until > $2) order by 1, 2, 3`,
      at,
    ),
    lessons: await read(
      `select id, status, starts_at, ends_at, teacher_id, room, cancelled_by, cancel_reason, override from clazz.lesson
       where clazz_id = $1 and starts_at > $2 order by starts_at, id`,
      at,
    ),
    expected: await read(
      `select lesson_id, student_id, override from clazz.lesson_student
       where clazz_id = $1 and starts_at > $2 order by 1, 2`,
      at,
    ),
  };
};

const scenario = fc.record({
  capacity: fc.option(fc.integer({ min: 1, max: 3 })),
  students: fc.array(fc.constantFrom('stays', 'suspend', 'withdraw'), { maxLength: 6 }),
  lessons: fc.uniqueArray(fc.tuple(fc.integer({ min: -3, max: 12 }), fc.boolean()), {
    maxLength: 8,
    selector: ([day]) => day,
  }),
  assistants: fc.integer({ min: 0, max: 2 }),
  daysClosed: fc.integer({ min: 0, max: 9 }),
});

describe('completing and reopening a class', () => {
  it('restores everything that is still in the future', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ capacity, students, lessons, assistants, daysClosed }) => {
        clock.reset();
        const { id } = await newClazz(supervisor(), { capacity, lead_teacher_id: uniqueName('lead') });
        const teacher_ids = Array.from({ length: assistants }, () => uniqueName('assistant'));
        expectOk(await supervisor().put(`/clazz/${id}/assistants`, { teacher_ids }));
        const student_ids = students.map(() => uniqueName('student'));
        if (student_ids.length > 0) {
          expectOk(
            await supervisor().post(`/clazz/${id}/student`, {
              student_ids,
              waitlist: true,
              since: atHourOfDay(-30, 0),
            }),
            201,
          );
        }
        for (const [day, cancelled] of lessons) {
          const lesson = expectOk(
            await postLesson(supervisor(), id, atHourOfDay(day, 10), { room: uniqueName('room') }),
            201,
          );
          if (cancelled) expectOk(await supervisor().post(`/clazz/lesson/${lesson.id}/cancel`, { reason: 'before' }));
        }
        clock.advance(HOUR_MS);
        for (const [index, step] of students.entries()) {
          if (step === 'stays') continue;
          await supervisor().post(`/clazz/${id}/student/${student_ids[index]}/${step}`);
        }
        clock.advance(HOUR_MS);
        const reopened = clock.now().getTime() + daysClosed * DAY_MS;
        const before = await state(id, reopened);
        const forced = { force: true, reason: 'end of term' };
        expectOk(await supervisor().post(`/clazz/${id}/complete`, forced));
        const closed = await state(id, clock.now().getTime());
        expect(closed.lessons.every((row) => row['status'] === 'cancelled')).toBe(true);
        expect([closed.periods, closed.relations, closed.expected]).toEqual([[], [], []]);
        expect(closed.enrolments.every((row) => row['until'] !== null)).toBe(true);
        clock.set(reopened);
        const answer = expectOk(await supervisor().post(`/clazz/${id}/reopen`, { reason: 'mistake' }));
        expect(await state(id, reopened)).toEqual(before);
        const missed = lessons.filter(([day, cancelled]) => {
          const at = Date.parse(atHourOfDay(day, 10));
          return !cancelled && at > START + 2 * HOUR_MS && at <= reopened;
        });
        expect(answer.not_restored.map((row) => row.why)).toEqual(missed.map(() => 'past'));
      }),
      { numRuns: 15 },
    );
  });

  it('names the blockers, and ignores them only with `force` and a reason', async () => {
    clock.reset();
    const { id } = await newClazz(supervisor(), { lead_teacher_id: 'lead' });
    await enrolNow(supervisor(), id, 's');
    const past = expectOk(await postLesson(supervisor(), id, atHourOfDay(-1, 10)), 201);
    const future = expectOk(await postLesson(supervisor(), id, atHourOfDay(1, 10)), 201);
    const preview = expectOk(await teacher('lead').get(`/clazz/${id}/completion-preview`));
    expect(preview).toMatchObject({
      can_complete: false,
      blockers: [{ kind: 'roll_call_missing', lesson_id: past.id }],
      lessons_to_cancel: [{ lesson_id: future.id }],
      enrolments_to_end: [{ student_id: 's', status: 'active' }],
      relations_to_end: [{ teacher_id: 'lead', student_id: 's', role: 'lead' }],
    });
    const blocked = expectRefusal(await supervisor().post(`/clazz/${id}/complete`), 409, 'completion_blocked');
    // The preview also contains names.
    expect(preview.blockers).toMatchObject(blocked.blockers ?? []);
    expectRefusal(await supervisor().post(`/clazz/${id}/complete`, { force: true }), 400, 'invalid_request');
    expect(expectOk(await supervisor().get(`/clazz/${id}`)).status).toBe('active');
    expectOk(await supervisor().post(`/clazz/${id}/complete`, { force: true, reason: 'moved away' }));
    const { items } = expectOk(await supervisor().get(`/clazz/${id}/audit-log?action=update&entity=clazz`));
    expect(items[0]).toMatchObject({ reason: 'moved away', changes: { status: { after: 'completed' } } });
  });

  it('reports a lesson whose room was taken meanwhile, and restores the others', async () => {
    clock.reset();
    const [a, b] = await Promise.all([
      newClazz(supervisor(), { lead_teacher_id: 'one' }),
      newClazz(supervisor(), { lead_teacher_id: 'two' }),
    ]);
    const taken = expectOk(await postLesson(supervisor(), a.id, atHourOfDay(2, 10), { room: 'Hall' }), 201);
    const free = expectOk(await postLesson(supervisor(), a.id, atHourOfDay(3, 10), { room: 'Hall' }), 201);
    expectOk(await supervisor().post(`/clazz/${a.id}/complete`));
    const other = expectOk(await postLesson(supervisor(), b.id, atHourOfDay(2, 10), { room: 'Hall' }), 201);
    expect(expectOk(await supervisor().post(`/clazz/${a.id}/reopen`, { reason: 'back' }))).toMatchObject({
      status: 'active',
      restored_lessons: [free.id],
      not_restored: [{ lesson_id: taken.id, why: 'clash', conflicts: [{ lesson_id: other.id, room: 'Hall' }] }],
    });
  });

  it('reports a student with a new lesson at the same time, and restores the others', async () => {
    clock.reset();
    const classes = await Promise.all(
      [1, 2].map(() => newClazz(supervisor(), { lead_teacher_id: uniqueName('lead') })),
    );
    const [a, b] = classes.map(({ id }) => id) as [string, string];
    const [staying, clashing] = [uniqueName('student'), uniqueName('student')];
    await enrolNow(supervisor(), a, staying, clashing);
    // Roll call opens before the lesson. Completing the class does not cancel a held lesson.
    const begins = new Date(START + 10 * MINUTE_MS).toISOString();
    const held = expectOk(await postLesson(supervisor(), a, begins), 201);
    const marks = [{ student_id: staying, mark: 'present' }];
    expectOk(await supervisor().put(`/clazz/lesson/${held.id}/roll-call`, { marks }));
    expectOk(await supervisor().post(`/clazz/${a}/complete`, { force: true, reason: 'end of term' }));
    await enrolNow(supervisor(), b, clashing);
    const other = expectOk(await postLesson(supervisor(), b, begins), 201);
    clock.advance(MINUTE_MS);
    expect(expectOk(await supervisor().post(`/clazz/${a}/reopen`, { reason: 'back' })).not_restored).toMatchObject([
      {
        student_id: clashing,
        lesson_id: other.id,
        why: 'clash',
        reason: 'schedule_conflict',
        conflicts: [{ lesson_id: other.id, student_ids: [clashing] }],
      },
    ]);
    const { items } = expectOk(await supervisor().get(`/clazz/${a}/student`));
    expect(items.map((row) => [row.student_id, row.status])).toEqual([
      [staying, 'active'],
      [clashing, 'completed'],
    ]);
    const auditEntries = expectOk(await supervisor().get(`/clazz/${a}/audit-log?entity=enrolment&limit=100`)).items;
    expect(auditEntries.flatMap((row) => row.changes['not_restored'] ?? [])).toEqual([
      { before: null, after: 'schedule_conflict' },
    ]);
  });
});
