import type { Clazz, Lesson, SeriesInput } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { readHolidays } from './holidays.ts';
import { newLesson } from './create-lesson.ts';
import type { ConflictRow } from './conflict.rules.ts';
import { findConflicts } from './find-conflicts.ts';
import { type Occurrences, occurrencesOf } from './occurrences.rules.ts';

export interface SeriesPlan {
  lessons: Lesson[];
  skipped: Occurrences['skipped'];
  /** Clashes of each lesson by its place in `lessons`. */
  conflicts: Map<number, ConflictRow[]>;
}

type Host = Pick<Clazz, 'id' | 'lead_teacher_id' | 'zone'>;

/** The lessons of a wanted series with all their clashes, found in one statement. */
export const planSeries = async (
  session: Session,
  it: Host,
  body: SeriesInput,
  series_id: string | null,
): Promise<SeriesPlan> => {
  const holidays = await readHolidays(session);
  const { slots, skipped } = occurrencesOf(body, new Map(holidays.map(({ date, name }) => [date, name])));
  const { hours, teacher_id, room, zone } = body;
  const lessons = slots.map((slot) => newLesson(session, it, { ...slot, hours, teacher_id, room, zone }, series_id));
  const rows = await findConflicts(session, it.id, lessons);
  return { lessons, skipped, conflicts: Map.groupBy(rows, (row) => row.n - 1) };
};
