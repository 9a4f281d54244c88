import { randomUUID } from 'node:crypto';
import type { FigureSeed } from '../load/work.ts';
import type { System } from '../system/system.ts';
import { preparing } from './api.ts';
import { planSeries } from './school.ts';

const CLAZZES = 20;
const STUDENTS = 8;
/** Of each class, on five days a week: a hundred of all classes in each of five weeks. */
const LESSONS = 25;
const WORKDAYS = 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR';
const PAGE = 100;
/** A Monday to come. */
const FIRST_DAY = '2040-01-02';
const [FROM, TO] = ['2040-01-09T00:00:00Z', '2040-01-16T00:00:00Z'];

/** An organization with a term of 500 lessons: a question about one week. */
export const seedTimetable = async (system: System): Promise<FigureSeed[]> => {
  const org = randomUUID();
  const token = await system.token({ org, sub: 'principal', role: 'SUPERVISOR' });
  await preparing(system.address, async (api) => {
    const people = (role: string, count: number) =>
      Array.from({ length: count }, (_, n) => ({ user_id: `${role}-${n}`, role, display_name: `${role} number ${n}` }));
    const members = [...people('TEACHER', CLAZZES), ...people('STUDENT', CLAZZES * STUDENTS)];
    await api.send({ method: 'PUT', path: '/api/v1/ws/member/bulk', token, body: { members } });
    await api.each(Array.from({ length: CLAZZES }), async (_one, n) => {
      const teacher = `TEACHER-${n}`;
      const body = { name: `Class ${n}`, lead_teacher_id: teacher, capacity: STUDENTS + 2 };
      const id = await api.make({ method: 'POST', path: '/api/v1/clazz', token, body });
      const students = Array.from({ length: STUDENTS }, (_student, s) => `STUDENT-${n * STUDENTS + s}`);
      await api.send({ method: 'POST', path: `/api/v1/clazz/${id}/activate`, token });
      await api.send({ method: 'POST', path: `/api/v1/clazz/${id}/student`, token, body: { student_ids: students } });
      const series = { starts_on: FIRST_DAY, start_time: `${8 + (n % 10)}:00`.padStart(5, '0'), duration_minutes: 50 };
      await planSeries(api, { token, org, id, teacher, students }, { ...series, count: LESSONS, rrule: WORKDAYS });
    });
  });
  return [{ token, path: `/api/v1/clazz/lesson?from=${FROM}&to=${TO}&limit=${PAGE}` }];
};
