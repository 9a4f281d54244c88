import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ClazzSeed, LessonSeed } from '../load/work.ts';
import type { System } from '../system/system.ts';
import { type Preparing, preparing } from './api.ts';
import { type Sizes, USUAL } from './sizes.ts';

export interface School {
  clazzes: ClazzSeed[];
  moreLessons: () => Promise<LessonSeed[]>;
}

const CLAZZES = 24;
/** Of a class, usually. */
export const STUDENTS = USUAL.students;
/** Roll call is open for seven days after a lesson; a run may go on past midnight. */
const DAYS = 5;
const LESSON_MINUTES = 15;
const DAY_MS = 86_400_000;
const BASE = '/api/v1/clazz';

const Lessons = z.object({ items: z.array(z.object({ id: z.string() })) });

export const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

export const makeClazz = async (
  { make, send }: Preparing,
  who: Omit<ClazzSeed, 'id' | 'students'>,
  n: number,
  count = STUDENTS,
) => {
  const { token, teacher } = who;
  const body = { name: `Class ${n}`, lead_teacher_id: teacher };
  const id = await make({ method: 'POST', path: BASE, token, body });
  const students = Array.from({ length: count }, (_, s) => `student-${n}-${s}`);
  const since = `${dayBefore(60)}T00:00:00Z`;
  await send({ method: 'POST', path: `${BASE}/${id}/activate`, token });
  await send({ method: 'POST', path: `${BASE}/${id}/student`, token, body: { student_ids: students, since } });
  for (const [s, student_id] of students.entries()) {
    // Half of the hours run out one day.
    const expires_at = s % 2 === 0 ? null : `${dayBefore(-400)}T00:00:00Z`;
    await send({ method: 'POST', path: `${BASE}/hour/grant`, token, body: { student_id, hours: '900', expires_at } });
  }
  return { ...who, id, students };
};

export interface Series {
  starts_on: string;
  start_time: string;
  duration_minutes: number;
  count: number;
  /** One a day, by default. */
  rrule?: string;
}

export const planSeries = async ({ ask }: Preparing, { token, id }: ClazzSeed, series: Series): Promise<string[]> => {
  const body = { rrule: 'FREQ=DAILY', ...series, zone: 'UTC' };
  const answer = await ask({ method: 'POST', path: `${BASE}/${id}/lesson/series`, token, body });
  return Lessons.parse(answer).items.map((lesson) => lesson.id);
};

/** The n-th quarter of an hour of the day. */
const quarter = (n: number): string => {
  if (n >= 96) throw new Error('No room is left for lessons: measure for fewer seconds');
  return `${String(Math.floor(n / 4)).padStart(2, '0')}:${String((n % 4) * LESSON_MINUTES).padStart(2, '0')}`;
};

/** Plans further lessons for every class, one of each class in turn, so that neighbours never meet in an account. */
const planner = (system: System, clazzes: readonly ClazzSeed[]): School['moreLessons'] => {
  let planned = 0;
  return () =>
    preparing(system.address, async (api) => {
      const start_time = quarter(planned++);
      const series = { starts_on: dayBefore(DAYS), start_time, duration_minutes: LESSON_MINUTES, count: DAYS };
      const byClazz = await api.each(clazzes, async (clazz) => ({ clazz, ids: await planSeries(api, clazz, series) }));
      return Array.from({ length: DAYS }, (_, day) =>
        byClazz.map(({ clazz: { token, students }, ids }) => ({ token, students, id: ids[day] ?? '' })),
      ).flat();
    });
};

/** Running classes of students who have hours to spend. */
export const seedSchool = async (system: System, { orgs: count, students }: Sizes): Promise<School> => {
  const clazzes = await preparing(system.address, async (api) => {
    const orgs = await api.each(Array.from({ length: count }), async () => {
      const org = randomUUID();
      return { org, token: await system.token({ org, sub: 'principal', role: 'SUPERVISOR' }) };
    });
    const wanted = Array.from({ length: CLAZZES }, (_, n) => orgs.map((org) => ({ ...org, n }))).flat();
    return api.each(wanted, ({ n, ...who }) => makeClazz(api, { ...who, teacher: `teacher-${n}` }, n, students));
  });
  return { clazzes, moreLessons: planner(system, clazzes) };
};
