import { type Clazz, clazzEvents, type Lesson, type ShownLesson } from '@teaching/contracts';
import type { EventPublisher, Session } from '@teaching/kit';
import { toBatches, lastById } from '../audit/event-batches.ts';
import { namesOf } from './member-names.ts';
import { type LessonRow, toLesson } from './record.tables.ts';

/** A lesson as events contain it: without the reason of a cancellation, because events are never erased. */
export const toPublicLesson = (lesson: Lesson): Lesson => ({ ...lesson, cancel_reason: null });

/** Publishes the last state of each lesson: one event for each class. */
export const publishLessonEvents: EventPublisher<Lesson> = (session, lessons) => {
  for (const [clazz_id, ofClazz] of Map.groupBy(lastById(lessons), (lesson) => lesson.clazz_id)) {
    for (const part of toBatches(ofClazz.map(toPublicLesson)))
      session.emit(clazzEvents.lessonChanged, clazz_id, { clazz_id, lessons: part });
  }
};

/** Adds the names of the teachers, by one statement. `reader` is a session, or reads before its transaction. */
export const withTeacherNames = async <L extends Pick<Lesson, 'org_id' | 'teacher_id'>>(
  reader: Pick<Session, 'query'>,
  org_id: string,
  lessons: readonly L[],
): Promise<(L & { teacher_name: string | null })[]> => {
  const nameOf = await namesOf(
    reader,
    org_id,
    lessons.map((row) => row.teacher_id),
  );
  return lessons.map((row) => ({ ...row, teacher_name: nameOf(row.teacher_id) }));
};

/** Lessons of one class as answers contain them. All names are read by one statement. */
export const shownLessons = (
  session: Session,
  { name: clazz_name }: Pick<Clazz, 'name'>,
  rows: readonly LessonRow[],
): Promise<ShownLesson[]> =>
  withTeacherNames(
    session,
    session.org_id,
    rows.map((row) => ({ ...toLesson(row), clazz_name })),
  );

/** The same for one lesson. */
export const shownLesson = async (
  session: Session,
  clazz: Pick<Clazz, 'name'>,
  row: LessonRow,
): Promise<ShownLesson> => {
  const [shown] = await shownLessons(session, clazz, [row]);
  if (shown === undefined) throw new Error(`lesson ${row.id} is missing among the converted lessons`);
  return shown;
};
