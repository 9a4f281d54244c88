import { randomUUID } from 'node:crypto';
import type { ClazzSeed, FigureSeed, MixedSeed } from '../load/work.ts';
import type { System } from '../system/system.ts';
import { type Preparing, preparing } from './api.ts';
import type { Sizes } from './sizes.ts';
import { dayBefore, makeClazz, planSeries } from './school.ts';

/** Questions about it, by what is asked. */
export type Figures = MixedSeed['questions'];

const CLAZZES_EACH = 3;
/** Of every class: three weeks behind us, one to come. */
const LESSONS = 28;
const HELD = 21;
const ASKING_STUDENTS = 12;
const BASE = '/api/v1/clazz';

const MARKS = ['present', 'present', 'present', 'present', 'late', 'absent', 'leave'] as const;

const takeRollCall = (api: Preparing, clazz: ClazzSeed, lesson: string, n: number): Promise<void> => {
  const marks = clazz.students.map((student_id, s) => ({ student_id, mark: MARKS[(s * 3 + n) % MARKS.length] }));
  // Older than a week: only a supervisor may, and says why.
  const body = { marks, reason: 'entered later' };
  return api.send({ method: 'PUT', path: `${BASE}/lesson/${lesson}/roll-call`, token: clazz.token, body });
};

const makeHistory = async (api: Preparing, org: string, token: string, teacher: number): Promise<ClazzSeed[]> => {
  const clazzes: ClazzSeed[] = [];
  for (let n = 0; n < CLAZZES_EACH; n += 1) {
    const clazz = await makeClazz(api, { org, token, teacher: `teacher-${teacher}` }, teacher * CLAZZES_EACH + n);
    const series = { starts_on: dayBefore(HELD), start_time: `${10 + n}:00`, duration_minutes: 50, count: LESSONS };
    const lessons = await planSeries(api, clazz, series);
    for (const [day, lesson] of lessons.slice(0, HELD).entries()) await takeRollCall(api, clazz, lesson, day);
    clazzes.push(clazz);
  }
  return clazzes;
};

/** An organization with some weeks of roll calls behind it, and people who ask about them. */
export const seedFigures = async (system: System, sizes: Sizes): Promise<Figures> => {
  const org = randomUUID();
  const token = await system.token({ org, sub: 'principal', role: 'SUPERVISOR' });
  const teachers = Array.from({ length: sizes.teachers }, (_, n) => n);
  const clazzes = await preparing(system.address, (api) =>
    api.each(teachers, (teacher) => makeHistory(api, org, token, teacher)),
  );
  const range = `from=${dayBefore(HELD + 1)}&to=${dayBefore(HELD - LESSONS)}`;
  const week = `from=${dayBefore(5)}T00:00:00Z&to=${dayBefore(-2)}T00:00:00Z`;
  const ask = async (sub: string, role: 'STUDENT' | 'TEACHER', what: string): Promise<FigureSeed> => ({
    token: await system.token({ org, sub, role }),
    path: `${BASE}/${what}`,
  });
  const students = clazzes
    .flat()
    .map(({ students }, n) => students[n] ?? '')
    .slice(0, ASKING_STUDENTS);
  const each = (what: string) => Promise.all(students.map((sub) => ask(sub, 'STUDENT', what)));
  const details = teachers.map((n) => ask(`teacher-${n}`, 'TEACHER', `stats/teacher-detail?${range}`));
  return {
    'my-lessons': await each(`stats/my-lessons?${range}`),
    'teacher-detail': await Promise.all(details),
    'my-week': await each(`lesson/my?${week}`),
    'clazz-students': clazzes.flat().map(({ token, id }) => ({ token, path: `${BASE}/${id}/student` })),
    classes: [{ token, path: `${BASE}?limit=20` }],
    accounts: [{ token, path: `${BASE}/hour/account?limit=20` }],
  };
};
