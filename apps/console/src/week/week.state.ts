import type { Output, rollCallCalls, ShownLesson } from '@teaching/contracts';
import { api } from '../shared/api.ts';
import { type Asked, useAsked } from '../shared/ask.ts';
import { type KeptAsked, useKept } from '../shared/ask-kept.ts';
import { now } from '../shared/clock.ts';
import { orgZone } from '../shared/format.ts';
import { allRows } from '../shared/rows.ts';
import { me } from '../shared/session.ts';
import { rangeOf } from '../shared/zone.rules.ts';
import { type Counted, isNews, movedFrom, type Own, ownLessons, type Staffed } from './week.rules.ts';

export interface Week {
  lessons: Own[];
  /** Classes that one leads. */
  led: string[];
}

/** Own lessons of a week, with how many are expected and marked at those that one gives. */
const readWeek = async (monday: string, user_id: string, signal: AbortSignal): Promise<Week> => {
  const range = rangeOf(monday, 7, orgZone());
  const [lessons, counted, clazzes] = await Promise.all([
    allRows<ShownLesson>((page) => api.listMyLessons({ query: { ...range, ...page } }, { signal })),
    allRows<Counted>((page) => api.listLessons({ query: { ...range, teacher_id: user_id, ...page } }, { signal })),
    allRows<Staffed>((page) => api.listClazzes({ query: { teacher_id: user_id, ...page } }, { signal })),
  ]);
  const led = clazzes.filter(({ lead_teacher_id }) => lead_teacher_id === user_id).map(({ id }) => id);
  return { lessons: ownLessons(lessons, counted, clazzes, user_id), led };
};

export const useWeek = (monday: string): KeptAsked<Week> =>
  useKept(`week ${monday}`, (signal) => readWeek(monday, me.value?.user_id ?? '', signal), {
    kinds: ['lesson', 'roll_call', 'clazz', 'enrolment'],
  });

export type Missing = Output<typeof rollCallCalls.listMissingRollCalls>;

/** The oldest first; `pages` of them. */
export const useMissing = (pages: number): KeptAsked<Missing> =>
  useKept(
    `missing ${pages}`,
    async (signal) => (await api.listMissingRollCalls({ query: { limit: String(20 * pages) } }, { signal })).data,
    { kinds: ['lesson', 'roll_call'] },
  );

const WEEK_MS = 7 * 86_400_000;

/** Where lessons were moved from lately: of classes that one leads, from their trails. Those of others say that they changed. */
export const useMoves = (week: Week | undefined): Asked<ReadonlyMap<string, string>> => {
  const fresh =
    week?.lessons.filter((lesson) => isNews(lesson, now.peek()) && week.led.includes(lesson.clazz_id)) ?? [];
  const clazzes = [...new Set(fresh.map(({ clazz_id }) => clazz_id))].sort();
  return useAsked(
    clazzes.length === 0 ? null : `moves ${clazzes.join(' ')}`,
    async (signal) => {
      const from = new Date(now.peek() - WEEK_MS).toISOString();
      const query = { entity: 'lesson', action: 'update', from, limit: '100' } as const;
      const trails = await Promise.all(
        clazzes.map((id) => api.listClazzAuditEntries({ path: { id }, query }, { signal })),
      );
      return movedFrom(trails.flatMap(({ data }) => data.items));
    },
    { kinds: ['lesson'] },
  );
};
