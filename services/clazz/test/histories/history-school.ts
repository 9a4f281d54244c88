import { courseCalls, type LotKind, type Policy } from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import { expect } from 'vitest';
import { expectOk } from '../../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../../tools/proofs/test/fixture.ts';
import type { Api } from '../../../../tools/proofs/test/api.ts';
import { createSweepRunner, type SweepRunner } from '../../../../tools/proofs/test/run-sweeps.ts';
import { promoteOverTime } from '../../src/people/promote-over-time.ts';

import {
  type Clazz,
  type Model,
  newLesson,
  noFreedPlaces,
  DEFAULT_RULES,
  type Student,
  type Caller,
} from '../model/state.ts';
import { MONDAY, type School, createSchool } from '../test-school.ts';

export const START = Date.parse(MONDAY);
export const clock = clockAt(START);
export const STUDENT_COUNT = 4;

/** A school in the service that a model is compared with. Each id is at the index of its record in the model. */
export interface RealSchool {
  school: School;
  students: string[];
  courses: string[];
  clazzes: string[];
  lessons: string[];
  leaves: string[];
  /** Runs a pass of the job that promotes waiting students. */
  promoteOverTime: () => Promise<unknown>;
}

/** The services of all histories of a test. */
export interface HistoryFixture {
  fixture: Fixture;
  courses: string[];
  sweeps: SweepRunner;
}

export const toDecimal = (hundredths: number): string => (hundredths / 100).toFixed(2);
export const toInstant = (time: number): string => new Date(time).toISOString();

/** The API as the supervisor, or as the lead teacher of every class. */
export const apiOf = ({ school }: RealSchool, { role }: Caller): Api => school[role];
export const reasonOf = ({ reason }: Caller): { reason?: string } => (reason ? { reason: 'a test' } : {});

/**
 * Classes with their members and waiting students. No student has two lessons at the same time. The last class has no
 * members at first, so every student can make up a lesson there.
 */
const CLAZZES = [
  { course: 0, capacity: null, students: [0, 1, 2], waiting: [] },
  { course: 1, capacity: 3, students: [1, 3], waiting: [] },
  { course: null, capacity: 1, students: [3], waiting: [0, 2] },
  { course: 0, capacity: 2, students: [], waiting: [] },
];
/** Lessons with their start in hours from now, and their lesson hours in hundredths (`sold`). */
const LESSONS = [
  { clazz: 0, hours: -50, sold: 100 },
  { clazz: 1, hours: -40, sold: 150 },
  { clazz: 0, hours: -26, sold: 75 },
  { clazz: 0, hours: 12, sold: 133 },
  { clazz: 2, hours: 12.5, sold: 50 },
  { clazz: 1, hours: 14, sold: 100 },
  { clazz: 0, hours: 36, sold: 100 },
  { clazz: 2, hours: 61, sold: 200 },
  { clazz: 1, hours: 70, sold: 100 },
  { clazz: 3, hours: 30, sold: 100 },
  { clazz: 3, hours: 200, sold: 150 },
];

export const startHistoryFixture = async (): Promise<HistoryFixture> => {
  const fixture = await startFixture({ services: ['clazz', 'course', 'package'], clock: clock.now });
  const supervisor = fixture.as({ role: 'SUPERVISOR' });
  const courses: string[] = [];
  for (const title of ['Algebra', 'Physics']) {
    courses.push((await supervisor.ok(courseCalls.createCourse, { body: { title, status: 'active' } })).id);
  }
  return { fixture, courses, sweeps: createSweepRunner(fixture, 'clazz', clock.now) };
};

const asEnrolled = (since: number) => (student: number) => ({
  student,
  status: 'active' as const,
  since,
  made: START,
  periods: [{ from: since, to: Number.POSITIVE_INFINITY }],
});
const asWaiting = (student: number) => ({
  student,
  status: 'waiting' as const,
  since: START,
  made: START,
  periods: [],
});

/** Creates a school and an equal model for one history. */
export const setUpHistory = async ({
  fixture,
  courses,
  sweeps,
}: HistoryFixture): Promise<{ model: Model; real: RealSchool }> => {
  clock.reset();
  const school = createSchool(fixture, clock);
  await school.setPolicy({});
  const prefix = Math.random().toString(36).slice(2);
  const students = Array.from({ length: STUDENT_COUNT }, (_, index) => `${prefix}-${index}`);
  const since = START - 365 * 24 * HOUR_MS;
  const clazzes: string[] = [];
  const named = (theirs: readonly number[]): string[] => theirs.map((index) => students[index] ?? '');
  for (const { course, capacity, students: theirs, waiting } of CLAZZES) {
    const fields = { capacity, ...(course === null ? {} : { course_id: courses[course] ?? '' }) };
    const id = await school.classOf(named(theirs), fields);
    clazzes.push(id);
    if (waiting.length === 0) continue;
    expectOk(
      await school.supervisor.post(`/clazz/${id}/student`, { student_ids: named(waiting), waitlist: true }),
      201,
    );
  }
  const model: Model = {
    now: START,
    actor: 'supervisor',
    rules: structuredClone(DEFAULT_RULES),
    students: students.map((): Student => ({ lots: [], draws: [] })),
    clazzes: CLAZZES.map(({ course, capacity, students: theirs, waiting }): Clazz => ({
      course,
      capacity,
      status: 'active',
      enrolments: [...theirs.map(asEnrolled(since)), ...waiting.map(asWaiting)],
      ended: null,
    })),
    lessons: [],
    leaves: [],
    freed: noFreedPlaces(),
    promoted: 0,
  };
  const lessons: string[] = [];
  for (const { clazz, hours, sold } of LESSONS) {
    const starts = START + hours * HOUR_MS;
    const teacher = freeTeacher();
    model.lessons.push(newLesson(model, { clazz, teacher, starts, ends: starts + HOUR_MS, hours: sold }));
    const fields = { hours: toDecimal(sold), teacher_id: teacher };
    lessons.push((await school.lesson(clazzes[clazz] ?? '', hours, fields)).id);
  }
  const run = () => sweeps.run(promoteOverTime);
  return { model, real: { school, students, courses, clazzes, lessons, leaves: [], promoteOverTime: run } };
};

let teacherCount = 0;
/** A new teacher, who has no other lesson. */
export const freeTeacher = (): string => `substitute-${(teacherCount += 1)}-${Math.random().toString(36).slice(2)}`;

/** An assertion for steps, which are not test functions. */
export const expectEqual = (real: unknown, expected: unknown): void => expect(real).toEqual(expected);

/** The policy settings that correspond to these rules of the model. */
export const settingsOf = (rules: Model['rules']) => {
  const { shares, limit, windowDays, deadlineHours, late, quota, credits, creditDays, extensionDays, order, zone } =
    rules;
  const overdraft = limit === 0 ? ('forbid' as const) : ('allow' as const);
  const draw_order: LotKind[] = [...order];
  const charge = Object.fromEntries(
    Object.entries(shares).map(([name, share]) => [name, toDecimal(share)]),
  ) as Policy['charge'];
  return {
    zone,
    roll_call: { edit_window_days: windowDays },
    leave: {
      deadline_hours: deadlineHours,
      late,
      quota_per_30_days: quota,
      make_up_credit: credits,
      make_up_expires_days: creditDays,
    },
    charge,
    hours: {
      overdraft,
      overdraft_limit: limit === 0 || limit === Number.POSITIVE_INFINITY ? null : toDecimal(limit),
      reversal_extension_days: extensionDays,
      draw_order,
    },
  };
};

/** Cancels the open classes of a history, since the job would go on to serve their waiting lists in the next one. */
export const endHistory = async ({ clazzes }: Model, real: RealSchool): Promise<void> => {
  for (const [index, { status }] of clazzes.entries()) {
    if (status !== 'active') continue;
    const path = `/clazz/${real.clazzes[index] ?? ''}/cancel` as const;
    expectOk(await real.school.supervisor.post(path, { reason: 'a test' }));
  }
};
