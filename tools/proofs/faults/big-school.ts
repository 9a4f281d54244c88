import { type Api, textAt } from '../system/plain-api.ts';
import { waitFor } from '../system/poll.ts';

const DAY_MS = 86_400_000;
/** Lessons per class, one a day. Statistics cover at most 400 days: these, today and tomorrow. */
export const LESSONS = 398;
const TIMEOUT_MS = 30_000;
const day = (from: number): string => new Date(Date.now() + from * DAY_MS).toISOString().slice(0, 10);
const halfHour = (n: number): string =>
  `${String(6 + Math.floor(n / 2)).padStart(2, '0')}:${n % 2 === 0 ? '00' : '30'}`;

/** Paths of reads that touch thousands of rows. */
export interface BigSchool {
  /** Daily statistics over the last `days` days of a teacher who teaches every class. */
  figures: (days: number) => string;
  /** The verification of the whole audit log, entry by entry. */
  trail: string;
}

/**
 * Creates an organization with one teacher and `clazzes` classes that have a lesson on every day of the longest range.
 */
export const makeBigSchool = async (api: Api, org: string, clazzes = 8): Promise<BigSchool> => {
  const post = async (path: string, body?: unknown): Promise<string> => {
    const optionalBody = body === undefined ? {} : { body };
    const answer = await api({ method: 'POST', path, org, ...optionalBody, timeout: TIMEOUT_MS });
    if (answer.status >= 300) throw new Error(`creating the long history failed: ${answer.status} ${path}`);
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
  const isCounted = async (): Promise<boolean> => {
    const { body } = await api({ path: figures(LESSONS), org, timeout: TIMEOUT_MS });
    return JSON.stringify(body).includes(`"scheduled":${clazzes * LESSONS}`);
  };
  await waitFor('statistics show the long history', isCounted, TIMEOUT_MS);
  return { figures, trail: '/clazz/audit-log/verify' };
};
