import { statsCalls } from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../../tools/test/answers.ts';
import { clockAt } from '../../../tools/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';
import { recomputed, type Recomputed, studentsOf } from './recompute.ts';
import { caughtUp } from '../../../tools/test/caught-up.ts';
import { rebuild, tables } from './rebuild.ts';

let fixture: Fixture;
const clock = clockAt('2026-11-20T12:00:00.000Z');
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package', 'stats'], clock: clock.now });
});
afterAll(() => fixture?.stop());

const STUDENTS = ['ann', 'ben', 'cho'];
const TEACHERS = ['teacher-1', 'teacher-2'];
const MARKS = ['present', 'late', 'absent', 'leave', 'trial'];

/** A step of a history: what is done, and numbers that choose to whom, when and how. */
const Step = fc.record({
  act: fc.constantFrom(
    'lesson',
    'lesson',
    'lesson',
    'rollCall',
    'rollCall',
    'rollCall',
    'cancel',
    'restore',
    'unmark',
    'lead',
    'move',
    'enrol',
    'withdraw',
    'suspend',
    'resume',
    'grant',
    'adjust',
    'moveHours',
    'refund',
    'leave',
    'decide',
    'time',
    'complete',
    'reopen',
  ),
  a: fc.nat(1_000),
  b: fc.nat(1_000),
  c: fc.nat(1_000),
});
type Step = typeof Step extends fc.Arbitrary<infer S> ? S : never;

/** Lives through a history over HTTP. What the rules refuse is part of it and changes nothing. */
const live = async (org: string, steps: readonly Step[]): Promise<void> => {
  const supervisor = fixture.as({ role: 'SUPERVISOR', org });
  const clazzes: string[] = [];
  const lessons: string[] = [];
  const leaves: string[] = [];
  const pick = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length];
  const hourAt = (n: number) => {
    const starts = ((n % 400) - 250) * HOUR_MS;
    return { starts_at: clock.after(starts), ends_at: clock.after(starts + HOUR_MS) };
  };
  for (const name of ['Algebra', 'Botany']) {
    const { body } = await supervisor.post('/clazz', { name, lead_teacher_id: 'teacher-1' });
    await supervisor.post(`/clazz/${body.id}/activate`);
    await supervisor.post(`/clazz/${body.id}/student`, { student_ids: ['ann'], since: '2026-10-01T00:00:00Z' });
    clazzes.push(body.id);
  }
  const acts: Record<Step['act'], (step: Step) => Promise<unknown>> = {
    lesson: async ({ a, b, c }) => {
      const answer = await supervisor.post(`/clazz/${pick(clazzes, a)}/lesson`, {
        ...hourAt(b),
        hours: (c % 300) / 100,
        teacher_id: pick(TEACHERS, c),
      });
      if (answer.status === 201) lessons.push(answer.body.id);
    },
    rollCall: async ({ a, b, c }) => {
      const path = `/clazz/lesson/${pick(lessons, a)}/roll-call` as const;
      const { body } = await supervisor.get(path);
      const marks = (body.marks ?? []).map(({ student_id }, index) => ({
        student_id,
        mark: pick(MARKS, b + c * index),
      }));
      await supervisor.put(path, { marks, reason: 'as it was' });
    },
    cancel: ({ a }) => supervisor.post(`/clazz/lesson/${pick(lessons, a)}/cancel`, { reason: 'storm' }),
    restore: ({ a }) => supervisor.post(`/clazz/lesson/${pick(lessons, a)}/restore`, { reason: 'no storm' }),
    unmark: async ({ a, b }) => {
      const path = `/clazz/lesson/${pick(lessons, a)}/roll-call` as const;
      const marked = ((await supervisor.get(path)).body.marks ?? []).filter(({ mark }) => mark !== null);
      const which = b % 2 === 0 ? marked : marked.slice(0, 1);
      const marks = which.map(({ student_id }) => ({ student_id, mark: null }));
      await supervisor.put(path, { marks, reason: 'a wrong list' });
    },
    lead: ({ a, b }) => supervisor.patch(`/clazz/${pick(clazzes, a)}`, { lead_teacher_id: pick(TEACHERS, b) }),
    move: ({ a, b, c }) =>
      supervisor.patch(`/clazz/lesson/${pick(lessons, a)}`, { ...hourAt(b), teacher_id: pick(TEACHERS, c) }),
    enrol: ({ a, b, c }) =>
      supervisor.post(`/clazz/${pick(clazzes, a)}/student`, {
        student_ids: [pick(STUDENTS, b)],
        since: clock.after(-(c % 300) * HOUR_MS),
      }),
    withdraw: ({ a, b }) => supervisor.post(`/clazz/${pick(clazzes, a)}/student/${pick(STUDENTS, b)}/withdraw`),
    suspend: ({ a, b }) => supervisor.post(`/clazz/${pick(clazzes, a)}/student/${pick(STUDENTS, b)}/suspend`),
    resume: ({ a, b }) => supervisor.post(`/clazz/${pick(clazzes, a)}/student/${pick(STUDENTS, b)}/resume`),
    grant: ({ a, b, c }) =>
      supervisor.post('/clazz/hour/grant', {
        student_id: pick(STUDENTS, a),
        hours: 1 + (b % 900) / 100,
        ...(c % 2 === 0 ? {} : { expires_at: clock.after((c % 1_500) * HOUR_MS) }),
      }),
    adjust: ({ a, b }) => {
      const hours = (b % 500) / 100 - 2;
      return supervisor.post('/clazz/hour/adjust', { student_id: pick(STUDENTS, a), hours, reason: 'a mistake' });
    },
    moveHours: ({ a, b }) =>
      supervisor.post('/clazz/hour/transfer', {
        from_student_id: pick(STUDENTS, a),
        to_student_id: pick(STUDENTS, a + 1),
        hours: 1 + (b % 200) / 100,
        reason: 'friends',
      }),
    refund: async ({ a, b }) => {
      if (b % 3 > 0) return;
      const { body } = await supervisor.post('/clazz/hour/refund-quote', { student_id: pick(STUDENTS, a) });
      await supervisor.post('/clazz/hour/refund', { quote_id: body.quote_id });
    },
    leave: async ({ a, b }) => {
      const { body } = await supervisor.post('/clazz/leave', {
        student_id: pick(STUDENTS, a),
        lesson_id: pick(lessons, b),
        reason: 'ill',
      });
      for (const { id } of body.items ?? []) leaves.push(id);
    },
    decide: ({ a, b }) =>
      supervisor.post(`/clazz/leave/${pick(leaves, a)}/${pick(['approve', 'reject', 'cancel'], b)}`),
    time: async ({ a }) => {
      clock.pass((a % 60) * HOUR_MS);
    },
    complete: ({ a, b }) =>
      b % 4 === 0
        ? supervisor.post(`/clazz/${pick(clazzes, a)}/complete`, { force: true, reason: 'over' })
        : Promise.resolve(),
    reopen: ({ a }) => supervisor.post(`/clazz/${pick(clazzes, a)}/reopen`, { reason: 'not over' }),
  };
  for (const step of steps) {
    await acts[step.act](step);
  }
};

/** Figures of an account that its entries explain. */
const BY_ENTRIES = ['granted', 'adjusted', 'transferred_in', 'transferred_out', 'refunded', 'expired'] as const;

const RANGE = 'from=2026-01-01&to=2027-12-31';
/** What statistics answer about everybody. */
const answered = async (org: string): Promise<Recomputed> => {
  const supervisor = fixture.as({ role: 'SUPERVISOR', org });
  const range = `${RANGE}&unit=month`;
  const students: Recomputed['students'] = {};
  for (const id of STUDENTS) {
    const { totals, hours, attendance, series } = ok(
      await supervisor.get(`/clazz/stats/my-lessons?student_id=${id}&${range}`),
    );
    for (const figure of BY_ENTRIES) {
      const query = { figure, student_id: id, limit: '100' };
      const { items } = await supervisor.ok(statsCalls.explain, { query });
      const sum = items.reduce((all, row) => all + Number(row.counts), 0);
      expect([figure, sum.toFixed(2)]).toEqual([figure, hours[figure]]);
    }
    const inSeries = series.reduce((sum, row) => sum + row.scheduled, 0);
    expect(inSeries).toBe(totals.scheduled);
    students[id] = {
      ...totals,
      ...hours,
      unmarked: attainable(attendance),
      numerator: attendance.numerator,
      denominator: attendance.denominator,
    };
  }
  const teachers: Recomputed['teachers'] = {};
  for (const id of [...TEACHERS, 'supervisor-1']) {
    const { totals, attendance, clazzes, series } = ok(
      await supervisor.get(`/clazz/stats/teacher-detail?teacher_id=${id}&${RANGE}&unit=week`),
    );
    teachers[id] = {
      ...totals,
      students_of: studentsOf([
        ...clazzes.map(({ clazz_id, students: count }) => ({ part: clazz_id, students: count })),
        ...series.map(({ start, students: count }) => ({ part: start, students: count })),
      ]),
      unmarked: attainable(attendance),
      numerator: attendance.numerator,
      denominator: attendance.denominator,
    };
  }
  const { totals, attendance, clazzes_active, students_active, hours } = ok(
    await supervisor.get(`/clazz/stats/org-overview?${range}`),
  );
  return {
    students,
    teachers,
    org: { ...totals, ...hours, clazzes_active, students_active, unmarked: attainable(attendance) },
  };
};

/** Seats without a mark, from the two rates that an answer gives. */
const attainable = ({
  numerator,
  denominator,
  still_attainable_rate: rate,
}: {
  numerator: number;
  denominator: number;
  still_attainable_rate: number | null;
}): number => {
  if (rate === null) return 0;
  if (numerator === denominator) return -1;
  return Math.round((rate * denominator - numerator) / (1 - rate));
};

describe('any history', () => {
  it(
    'gives the same figures incrementally, recomputed from the sources, and rebuilt',
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(Step, { minLength: 40, maxLength: 60 }), async (steps) => {
          const org = crypto.randomUUID();
          await live(org, steps);
          await caughtUp(fixture);
          const incremental = await answered(org);
          expect(incremental).toEqual(await recomputed(fixture, org, clock.now(), incremental));
          const before = await tables(fixture, org);
          await rebuild(fixture);
          expect(await answered(org)).toEqual(incremental);
          expect(await tables(fixture, org)).toEqual(before);
        }),
        { numRuns: 4, endOnFailure: true, seed: 20_261_120 },
      );
    },
  );
});
