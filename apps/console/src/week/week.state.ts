import type { Output, rollCallCalls, ShownLesson } from '@teaching/contracts';
import { api } from '../shared/api.ts';
import { type QueryState, useQuery } from '../shared/query.ts';
import { type OfflineQuery, useOfflineQuery } from '../shared/offline-query.ts';
import { now } from '../shared/clock.ts';
import { orgZone } from '../shared/format.ts';
import { readAllRows } from '../shared/row-query.ts';
import { me } from '../shared/session.ts';
import { rangeOf } from '../shared/zone.rules.ts';
import {
  type LessonCounts,
  isRecentChange,
  type FormerPlan,
  formerPlans,
  type OwnLesson,
  ownLessons,
  type ClassTeachers,
} from './week.rules.ts';

/** The most values of a filter. */
const MAX_VALUES = 100;

/** The lessons of these classes that other teachers give. */
const readGiven = async (
  clazz_ids: readonly string[],
  range: { from: string; to: string },
  user_id: string,
  signal: AbortSignal,
): Promise<ShownLesson[]> => {
  const parts = Array.from({ length: Math.ceil(clazz_ids.length / MAX_VALUES) }, (_none, at) =>
    clazz_ids.slice(at * MAX_VALUES, (at + 1) * MAX_VALUES).join(','),
  );
  const found = await Promise.all(
    parts.map((clazz_id) =>
      readAllRows<ShownLesson>((page) => api.listLessons({ query: { ...range, clazz_id, ...page } }, { signal })),
    ),
  );
  return found.flat().filter(({ teacher_id }) => teacher_id !== user_id);
};

export interface Week {
  /** By start, with the lessons of led classes that other teachers give. */
  lessons: OwnLesson[];
  /** The classes that the teacher leads. */
  led: string[];
}

/** Reads the teacher's lessons of a week, with student and mark counts for those that they teach. */
const readWeek = async (monday: string, user_id: string, signal: AbortSignal): Promise<Week> => {
  const range = rangeOf(monday, 7, orgZone());
  const [lessons, counted, clazzes] = await Promise.all([
    readAllRows<ShownLesson>((page) => api.listMyLessons({ query: { ...range, ...page } }, { signal })),
    readAllRows<LessonCounts>((page) =>
      api.listLessons({ query: { ...range, teacher_id: user_id, ...page } }, { signal }),
    ),
    readAllRows<ClassTeachers>((page) => api.listClazzes({ query: { teacher_id: user_id, ...page } }, { signal })),
  ]);
  // Classes in which the teacher only substitutes.
  const known = new Set(clazzes.map(({ id }) => id));
  const others = [...new Set(lessons.map(({ clazz_id }) => clazz_id))].filter((id) => !known.has(id));
  const led = clazzes.filter(({ lead_teacher_id }) => lead_teacher_id === user_id).map(({ id }) => id);
  const [given, ...substituted] = await Promise.all([
    readGiven(led, range, user_id, signal),
    ...others.map(async (id): Promise<ClassTeachers> => (await api.getClazz({ path: { id } }, { signal })).data),
  ]);
  // As a former assistant, the teacher has some of them already.
  const own = new Set(lessons.map(({ id }) => id));
  const all = [...lessons, ...given.filter(({ id }) => !own.has(id))].toSorted(
    (a, b) => Date.parse(a.starts_at) - Date.parse(b.starts_at),
  );
  return { lessons: ownLessons(all, counted, [...clazzes, ...substituted], user_id), led };
};

export const useWeek = (monday: string): OfflineQuery<Week> =>
  useOfflineQuery(`week ${monday}`, (signal) => readWeek(monday, me.value?.user_id ?? '', signal), {
    kinds: ['lesson', 'roll_call', 'clazz', 'enrolment'],
  });

export type MissingRollCallPage = Output<typeof rollCallCalls.listMissingRollCalls>;

/** The missing roll calls, oldest first; the first `pages` pages of 20. */
export const useMissingRollCalls = (pages: number): OfflineQuery<MissingRollCallPage> =>
  useOfflineQuery(
    `missing ${pages}`,
    async (signal) => (await api.listMissingRollCalls({ query: { limit: String(20 * pages) } }, { signal })).data,
    { kinds: ['lesson', 'roll_call'] },
  );

const WEEK_MS = 7 * 86_400_000;

/**
 * Former times and rooms of recently changed lessons, read from the audit logs of the classes that the teacher leads. Other
 * classes only show that a lesson changed.
 */
export const useFormerPlans = (week: Week | undefined): QueryState<ReadonlyMap<string, FormerPlan>> => {
  const recentlyChanged =
    week?.lessons.filter((lesson) => isRecentChange(lesson, now.peek()) && week.led.includes(lesson.clazz_id)) ?? [];
  const clazzes = [...new Set(recentlyChanged.map(({ clazz_id }) => clazz_id))].sort();
  return useQuery(
    clazzes.length === 0 ? null : `former plans ${clazzes.join(' ')}`,
    async (signal) => {
      const from = new Date(now.peek() - WEEK_MS).toISOString();
      const query = { entity: 'lesson', action: 'update', from } as const;
      const auditLogs = await Promise.all(
        clazzes.map((id) =>
          readAllRows((page) => api.listClazzAuditEntries({ path: { id }, query: { ...query, ...page } }, { signal })),
        ),
      );
      return formerPlans(auditLogs.flat());
    },
    { kinds: ['lesson'] },
  );
};
