import { useRef } from 'preact/hooks';
import { api } from '../shared/api.ts';
import type { Concern } from '../shared/concern.rules.ts';
import { type QueryState, useQuery } from '../shared/query.ts';
import { now } from '../shared/clock.ts';
import { orgZone } from '../shared/format.ts';
import { readAllRows } from '../shared/row-query.ts';
import { addDays, localOf, rangeOf } from '../shared/zone.rules.ts';
import type { Child } from './child.rules.ts';
import type { HourEntry } from '../shared/hours/hour-entry.rules.ts';
import { type ChildLesson, type ClassTeachers, type Leave, type Lesson, withLeave } from './lesson-days.rules.ts';

const SPAN_DAYS = 14;
/** Credits may be valid for long, so leave from lessons of this many days ago is read. */
const LEAVE_BACK_DAYS = 120;
const LEAVE_AHEAD_DAYS = 366;

/** The changes that affect the lessons of a student. */
const LESSON_CHANGES: Concern = { kinds: ['lesson', 'leave', 'roll_call', 'enrolment', 'clazz', 'account'] };

export const todayOf = (zone: string): string => localOf(now.value, zone).date;

const lessonsOf = (child: Child, range: { from: string; to: string }, signal: AbortSignal) =>
  readAllRows((page) => api.listLessons({ query: { student_id: child.id, ...range, ...page } }, { signal }));

/** The most lesson ids in one request. */
const MAX_IDS = 100;

/** The hour entries of the cancelled lessons. */
const chargesOf = async (child: Child, lessons: readonly Lesson[], signal: AbortSignal): Promise<HourEntry[]> => {
  const cancelled = lessons.filter(({ status }) => status === 'cancelled').map(({ id }) => id);
  if (cancelled.length === 0) return [];
  const lesson_id = cancelled.slice(0, MAX_IDS).join();
  return readAllRows((page) =>
    api.listStudentHourEntries({ path: { student_id: child.id }, query: { lesson_id, ...page } }, { signal }),
  );
};

/** The leave of one child, from lessons of the last 120 and the next 366 days. */
export const leavesOf = (child: Child, today: string, signal: AbortSignal): Promise<Leave[]> => {
  const from = rangeOf(addDays(today, -LEAVE_BACK_DAYS), 1, orgZone()).from;
  const to = rangeOf(addDays(today, LEAVE_AHEAD_DAYS), 1, orgZone()).to;
  return readAllRows((page) => api.listLeaves({ query: { student_id: child.id, from, to, ...page } }, { signal }));
};

/** The current classes of one child. */
const clazzesOf = (child: Child, signal: AbortSignal): Promise<ClassTeachers[]> =>
  readAllRows((page) =>
    api.listClazzes({ query: { student_id: child.id, status: 'draft,active', ...page } }, { signal }),
  );

export interface ShownLessons {
  lessons: readonly ChildLesson[];
  /** The first and the last local day shown. */
  first: string;
  last: string;
}

/**
 * The lessons of these children with their leave: those of 14 days from today on, or of today and the 14 days before.
 * `showMore` adds 14 days.
 */
export const useLessons = (
  children: readonly Child[],
  isPast: boolean,
): { query: QueryState<ShownLessons>; showMore: () => Promise<void> } => {
  const zone = orgZone();
  const today = todayOf(zone);
  const spans = useRef(1);
  const key = `lessons ${children.map(({ id }) => id).join()} ${today} ${isPast ? 'past' : 'coming'}`;
  const query = useQuery(
    key,
    async (signal): Promise<ShownLessons> => {
      const days = SPAN_DAYS * spans.current;
      const first = isPast ? addDays(today, -days) : today;
      const range = rangeOf(first, isPast ? days + 1 : days, zone);
      const all = await Promise.all(
        children.map(async (child) => {
          const [lessons, leaves, clazzes] = await Promise.all([
            lessonsOf(child, range, signal),
            leavesOf(child, today, signal),
            // A class may have had other teachers in the past.
            isPast ? [] : clazzesOf(child, signal),
          ]);
          return withLeave(child, lessons, { leaves, entries: await chargesOf(child, lessons, signal), clazzes });
        }),
      );
      return { lessons: all.flat(), first, last: addDays(first, days - 1) };
    },
    LESSON_CHANGES,
  );
  return {
    query,
    showMore: () => {
      spans.current += 1;
      return query.refetch();
    },
  };
};
