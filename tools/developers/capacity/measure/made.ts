import { randomUUID } from 'node:crypto';
import { preparing } from '../../bench/seed/api.ts';
import { dayBefore, makeClazz, planSeries, STUDENTS } from '../../bench/seed/school.ts';
import type { System } from '../../bench/system/system.ts';
import type { Figures } from '../figures.ts';
import { storedBy } from './stored.ts';

const CLAZZES = 12;
const LESSONS = 40;

/** What a lesson of a series and a student of a class leave behind. */
export const storedByMaking = async (system: System): Promise<Figures['made']> => {
  const org = randomUUID();
  const token = await system.token({ org, sub: 'principal', role: 'SUPERVISOR' });
  const numbers = Array.from({ length: CLAZZES }, (_, n) => n);
  let round = 0;
  const enrol = () =>
    preparing(system.address, (api) => {
      round += 1;
      return api.each(numbers, (n) => makeClazz(api, { org, token, teacher: `teacher-${n}` }, CLAZZES * round + n));
    });
  const enrolment = await storedBy(system, 'enrolment', CLAZZES * STUDENTS, enrol, enrol);
  const clazzes = await enrol();
  let year = 0;
  const plan = () =>
    preparing(system.address, async (api) => {
      year += 1;
      const series = { starts_on: dayBefore(-365 * year), start_time: '10:00', duration_minutes: 50, count: LESSONS };
      // One after the other: an organization's schedule is changed by one at a time.
      for (const clazz of clazzes) await planSeries(api, clazz, { ...series, rrule: 'FREQ=WEEKLY' });
    });
  const lesson = await storedBy(system, 'lesson', CLAZZES * LESSONS, plan, plan);
  return { lesson, enrolment };
};
