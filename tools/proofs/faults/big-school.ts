import { type Api, textAt } from '../system/plain-api.ts';
import { waitFor } from '../system/poll.ts';

const DAY_MS = 86_400_000;
/** Statistics cover at most 400 days: these, today and tomorrow. */
export const LESSONS = 398;
const PATIENCE_MS = 30_000;
const day = (from: number): string => new Date(Date.now() + from * DAY_MS).toISOString().slice(0, 10);
const halfHour = (n: number): string =>
  `${String(6 + Math.floor(n / 2)).padStart(2, '0')}:${n % 2 === 0 ? '00' : '30'}`;

/** Reads that touch thousands of rows. */
export interface BigSchool {
  /** Statistics of a teacher who teaches everything, day by day over so many of the last days. */
  figures: (days: number) => string;
  /** The whole audit trail, entry by entry. */
  trail: string;
}

/** An org with a long history: one teacher, so many classes, a lesson in each on every day of the longest range. */
export const makeBigSchool = async (api: Api, org: string, clazzes = 8): Promise<BigSchool> => {
  const post = async (path: string, body?: unknown): Promise<string> => {
    const with_ = body === undefined ? {} : { body };
    const answer = await api({ method: 'POST', path, org, ...with_, patience: PATIENCE_MS });
    if (answer.status >= 300) throw new Error(`a long history cannot be made: ${answer.status} ${path}`);
    return textAt(answer.body, 'id');
  };
  for (let n = 0; n < clazzes; n += 1) {
    const clazz = await post('/clazz', { name: `Class ${n}`, lead_teacher_id: 't1' });
    await post(`/clazz/${clazz}/activate`);
    await post(`/clazz/${clazz}/student`, { student_ids: [`s${n}`], since: `${day(-600)}T00:00:00Z` });
    const when = { starts_on: day(-LESSONS), start_time: halfHour(n), duration_minutes: 30, zone: 'UTC' };
    await post(`/clazz/${clazz}/lesson/series`, { ...when, rrule: 'FREQ=DAILY', count: LESSONS });
  }
  const figures = (days: number): string =>
    `/clazz/stats/teacher-detail?teacher_id=t1&from=${day(-days)}&to=${day(1)}&unit=day`;
  const isThere = async (): Promise<boolean> => {
    const { body } = await api({ path: figures(LESSONS), org, patience: PATIENCE_MS });
    return JSON.stringify(body).includes(`"scheduled":${clazzes * LESSONS}`);
  };
  await waitFor('statistics show the long history', isThere, PATIENCE_MS);
  return { figures, trail: '/clazz/audit-log/verify' };
};
