import { enrolmentCalls, hourCalls, type Mark, MARKS, Problem, PROBLEMS } from '@teaching/contracts';
import { DAY_MS, HOUR_MS } from '@teaching/kit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ok, refused } from '../../../tools/test/answers.ts';
import type { Answer } from '../../../tools/test/api.ts';
import { clockAt } from '../../../tools/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';
import { only } from '../../../tools/test/only.ts';
import { refusalOf } from '../../../tools/test/refusal-of.ts';
import * as model from './cascade-model.ts';
import type { Model } from './cascade-model.ts';
import { brokenInvariants } from './invariants.ts';
import { MONDAY, type School, schoolOn } from './school.ts';

/** More or longer runs by hand: CASCADE_RUNS=500 CASCADE_STEPS=60. */
const RUNS = Number(process.env['CASCADE_RUNS'] ?? 16);
const STEPS = Number(process.env['CASCADE_STEPS'] ?? 35);
const START = Date.parse(MONDAY);
const clock = clockAt(START);
const STUDENTS = 2;
/** Start relative to now, and length in hundredths of an hour sold. */
const LESSONS = [
  { hours: -50, sold: 100 },
  { hours: -26, sold: 150 },
  { hours: 12, sold: 75 },
  { hours: 60, sold: 133 },
];

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package'], clock: clock.now });
});
afterAll(() => fixture?.stop());

interface Real {
  school: School;
  students: string[];
  clazz_id: string;
  lessons: string[];
  /** Id of the living leave by lesson and student. */
  leaves: Map<string, string>;
}

const decimal = (hundredths: number): string => (hundredths / 100).toFixed(2);

/** Does the same on both sides; what the model refuses must be refused with the same code, and change nothing. */
const step = async <B>(
  m: Model,
  onModel: (draft: Model) => void,
  onReal: () => Promise<Answer<B>>,
  status = 200,
): Promise<B | undefined> => {
  const draft = structuredClone(m);
  const answer = await onReal();
  const refusal = refusalOf(() => onModel(draft));
  if (refusal !== 'fine') {
    refused(answer, PROBLEMS[refusal][0], refusal);
    return undefined;
  }
  const body = ok(answer, status);
  Object.assign(m, draft);
  return body;
};

const lotFacts = (lot: {
  kind: string;
  granted: string;
  remaining: string;
  expires_at: string | null;
  price_minor: number;
}) => [lot.kind, lot.granted, lot.remaining, lot.expires_at, lot.price_minor] as const;

/** For steps, which are no tests by themselves. */
const same = (real: unknown, expected: unknown): void => expect(real).toEqual(expected);

/** Every balance, lot and mark of both sides. */
const compare = async (m: Model, { school, students, lessons }: Real): Promise<void> => {
  const accounts = await Promise.all(students.map((id) => school.account(id)));
  accounts.forEach((account, index) => {
    const it = model.at(m.students, index);
    expect(account.balance).toBe(decimal(model.balanceOf(it)));
    expect(account.lots.map(lotFacts)).toEqual(
      it.lots.map((lot) => [
        lot.kind,
        decimal(lot.granted),
        decimal(lot.remaining),
        lot.expires === null ? null : new Date(lot.expires).toISOString(),
        lot.price,
      ]),
    );
  });
  const rollCalls = await Promise.all(lessons.map((id) => school.rollCall(id)));
  rollCalls.forEach(({ lesson, marks }, index) => {
    const it = model.at(m.lessons, index);
    expect(lesson.status).toBe(it.status);
    const expected = it.seats.flatMap(({ mark, leave }, student): [string | undefined, Mark | null][] => {
      if (!model.isShown(m, it, student)) return [];
      return [[students[student], mark ?? (leave?.status === 'approved' ? 'leave' : null)]];
    });
    expect(marks.map((row) => [row.student_id, row.mark])).toEqual(expected);
  });
};

type Step = fc.AsyncCommand<Model, Real>;

/** A step as fast-check drives it: do, then compare everything. */
const command = (name: string, run: (m: Model, real: Real) => Promise<unknown>): Step => ({
  check: () => true,
  run: async (m, real) => {
    await run(m, real);
    await compare(m, real);
  },
  toString: () => name,
});

const student = fc.nat(STUDENTS - 1);
const lesson = fc.nat(LESSONS.length - 1);
const hundredths = fc.integer({ min: 1, max: 400 });

const grants = fc
  .record({
    student,
    hours: hundredths,
    kind: fc.constantFrom('paid', 'gift'),
    days: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 3 }),
    price: fc.nat(5_000),
  })
  .map(({ student, hours, kind, days, price }) =>
    command(`grant ${student} ${hours} ${kind} for ${days} days at ${price}`, (m, real) => {
      const expires = days === null ? null : m.now + days * DAY_MS;
      return step(
        m,
        (draft) => model.grant(draft, student, { kind, granted: hours, expires, price }),
        () =>
          real.school.supervisor.post('/clazz/hour/grant', {
            student_id: real.students[student],
            hours: decimal(hours),
            kind,
            price_minor: price,
            expires_at: expires === null ? null : new Date(expires).toISOString(),
          }),
        201,
      );
    }),
  );

const rollCalls = fc
  .record({
    lesson,
    marks: fc.array(fc.option(fc.constantFrom(...MARKS)), { minLength: STUDENTS, maxLength: STUDENTS }),
  })
  .map(({ lesson, marks }) =>
    command(`roll call ${lesson} ${marks.join(' ')}`, (m, real) =>
      step(
        m,
        (draft) => model.rollCall(draft, lesson, marks),
        () =>
          real.school.supervisor.put(`/clazz/lesson/${real.lessons[lesson]}/roll-call`, {
            marks: marks.flatMap((mark, index) => (mark === null ? [] : [{ student_id: real.students[index], mark }])),
            reason: 'a test',
          }),
      ),
    ),
  );

const leaves = fc.record({ lesson, student }).map(({ lesson, student }) =>
  command(`leave of ${student} from ${lesson}`, async (m, real) => {
    const body = await step(
      m,
      (draft) => model.askLeave(draft, lesson, student),
      () =>
        real.school.supervisor.post('/clazz/leave', {
          student_id: real.students[student],
          lesson_id: real.lessons[lesson],
          reason: 'ill',
        }),
      201,
    );
    if (body !== undefined) real.leaves.set(`${lesson} ${student}`, only(body.items).id);
  }),
);

/** One of the leaves there are; also those already decided. */
const decisions = fc
  .record({ which: fc.nat(), what: fc.constantFrom('approve', 'approve', 'reject', 'cancel') })
  .map(({ which, what }) =>
    command(`${what} leave ${which}`, async (m, real) => {
      const [key, id] = [...real.leaves][which % Math.max(1, real.leaves.size)] ?? [];
      if (key === undefined) return;
      const [lesson = -1, student = -1] = key.split(' ').map(Number);
      await step(
        m,
        (draft) => model.decideLeave(draft, lesson, student, what),
        () => real.school.supervisor.post(`/clazz/leave/${id}/${what}`, { reason: 'a test' }),
      );
    }),
  );

const cancels = lesson.map((lesson) =>
  command(`cancel lesson ${lesson}`, (m, real) =>
    step(
      m,
      (draft) => model.cancelLesson(draft, lesson),
      () => real.school.supervisor.post(`/clazz/lesson/${real.lessons[lesson]}/cancel`, { reason: 'rain' }),
    ),
  ),
);

const transfers = fc
  .record({ from: student, by: fc.integer({ min: 1, max: STUDENTS - 1 }), hours: hundredths })
  .map(({ from, by, hours }) => {
    const to = (from + by) % STUDENTS;
    return command(`transfer ${hours} from ${from} to ${to}`, (m, real) =>
      step(
        m,
        (draft) => model.transfer(draft, from, to, hours),
        () =>
          real.school.supervisor.post('/clazz/hour/transfer', {
            from_student_id: real.students[from],
            to_student_id: real.students[to],
            hours: decimal(hours),
            reason: 'siblings',
          }),
      ),
    );
  });

const adjustments = fc.record({ student, hours: hundredths, minus: fc.boolean() }).map(({ student, hours, minus }) => {
  const amount = minus ? -hours : hours;
  return command(`adjust ${student} by ${amount}`, (m, real) =>
    step(
      m,
      (draft) => model.adjust(draft, student, amount),
      () =>
        real.school.supervisor.post('/clazz/hour/adjust', {
          student_id: real.students[student],
          hours: decimal(amount),
          reason: 'a test',
        }),
    ),
  );
});

const refunds = student.map((student) =>
  command(`refund ${student}`, async (m, real) => {
    const ofStudent = { body: { student_id: model.at(real.students, student) } };
    const { quote_id } = await real.school.supervisor.ok(hourCalls.quoteRefund, ofStudent);
    let amount: number | undefined;
    const body = await step(
      m,
      (draft) => {
        amount = model.refund(draft, student);
      },
      () => real.school.supervisor.post('/clazz/hour/refund', { quote_id }),
    );
    same(body?.amount_minor, amount);
  }),
);

const passing = fc.integer({ min: 1, max: 48 }).map((hours) =>
  command(`${hours} hours pass`, async (m) => {
    model.pass(m, hours);
    clock.set(m.now);
  }),
);

const policies = fc.constantFrom(['allow', null], ['forbid', null], ['allow', 200]).map(([overdraft, limit]) =>
  command(`overdraft ${overdraft} ${limit}`, async (m, real) => {
    m.limit = overdraft === 'forbid' ? 0 : typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY;
    const overdraft_limit = typeof limit === 'number' ? decimal(limit) : null;
    await real.school.setPolicy({ hours: { overdraft, overdraft_limit } });
  }),
);

const membership = fc.record({ student, what: fc.constantFrom('suspend', 'resume') }).map(({ student, what }) =>
  command(`${what} ${student}`, (m, real) =>
    step(
      m,
      (draft) => (what === 'suspend' ? model.suspend : model.resume)(draft, student),
      () => real.school.supervisor.post(`/clazz/${real.clazz_id}/student/${real.students[student]}/${what}`),
    ),
  ),
);

/** Leaving and coming back at once changes nothing, whatever there is. */
const suspensions = student.map((student) =>
  command(`suspend and resume ${student}`, async (m, real) => {
    const path = { id: real.clazz_id, student_id: model.at(real.students, student) };
    const body = await step(
      m,
      (draft) => {
        if (!model.isActive(draft, student)) throw new Problem('invalid_transition');
      },
      () => real.school.supervisor.post(`/clazz/${path.id}/student/${path.student_id}/suspend`),
    );
    if (body === undefined) return;
    const { not_restored } = await real.school.supervisor.ok(enrolmentCalls.resume, { path });
    same(not_restored, []);
  }),
);

/** So does completing and reopening the class. */
const completions = fc.constant(
  command('complete and reopen', async (_m, real) => {
    const { supervisor } = real.school;
    ok(await supervisor.post(`/clazz/${real.clazz_id}/complete`, { force: true, reason: 'a test' }));
    same(ok(await supervisor.post(`/clazz/${real.clazz_id}/reopen`, { reason: 'a test' })).not_restored, []);
  }),
);

/** A class of its own for each run. */
const setUp = async (): Promise<{ model: Model; real: Real }> => {
  clock.reset();
  const school = schoolOn(fixture, clock);
  await school.setPolicy({});
  const prefix = Math.random().toString(36).slice(2);
  const students = Array.from({ length: STUDENTS }, (_, index) => `${prefix}-${index}`);
  const clazz_id = await school.classOf(students);
  const lessons: string[] = [];
  for (const { hours, sold } of LESSONS) {
    lessons.push((await school.lesson(clazz_id, hours, { hours: decimal(sold), teacher_id: `${prefix}-${hours}` })).id);
  }
  const facts = LESSONS.map(({ hours, sold }) => ({ starts: START + hours * HOUR_MS, hours: sold }));
  return {
    model: model.newModel(START, STUDENTS, facts),
    real: { school, students, clazz_id, lessons, leaves: new Map() },
  };
};

it(
  'hours, lots and marks are as in a simple model after every step, whatever happens',
  { timeout: 600_000 },
  async () => {
    const often = [rollCalls, grants, leaves, decisions, passing, membership];
    const seldom = [transfers, adjustments, refunds, policies, cancels, suspensions, completions];
    const steps = [...often, ...often, ...often, ...seldom];
    const commands = fc.commands(steps, { maxCommands: STEPS, size: 'max' });
    await fc.assert(
      fc.asyncProperty(commands, async (cmds) => fc.asyncModelRun(setUp, cmds)),
      { numRuns: RUNS, endOnFailure: process.env['CASCADE_SHRINK'] === undefined },
    );
    expect(await brokenInvariants(fixture)).toEqual([]);
  },
);
