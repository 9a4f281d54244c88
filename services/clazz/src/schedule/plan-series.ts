import type { SeriesInput } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import type { LessonRow } from '../record/lesson.table.ts';
import type { ConflictRow } from '../record/conflict.shape.ts';
import { findConflicts } from './find-conflicts.ts';
import { readHolidays } from './holidays.ts';
import type { FromClazz } from './lesson.rules.ts';
import { newLesson } from './new-lesson.ts';
import { type Occurrences, occurrencesOf } from './occurrences.rules.ts';

export interface SeriesPlan {
  lessons: LessonRow[];
  skipped: Occurrences['skipped'];
  /** Clashes of each lesson by its place in `lessons`. */
  conflicts: Map<number, ConflictRow[]>;
}

/** The lessons of a wanted series with all their clashes, found in one statement. */
export const planSeries = async (
  session: Session,
  it: FromClazz & { id: string },
  body: SeriesInput,
  series_id: string | null,
): Promise<SeriesPlan> => {
  const holidays = await readHolidays(session);
  const { slots, skipped } = occurrencesOf(body, new Map(holidays.map(({ date, name }) => [date, name])));
  const lessons = slots.map((slot) => newLesson(session, it, { ...body, ...slot }, series_id));
  const rows = await findConflicts(session, it.id, lessons);
  return { lessons, skipped, conflicts: Map.groupBy(rows, (row) => row.n - 1) };
};
