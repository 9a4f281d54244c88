import { type Clazz, clazzEvents, type Lesson, type ShownLesson } from '@teaching/contracts';
import type { EventPublisher, Session } from '@teaching/kit';
import { inBatches, lastById } from '../audit/event-batches.ts';
import { namesOf } from './member-names.ts';
import { type LessonRow, toLesson } from './record.tables.ts';

/** A lesson as events contain it: without the reason of a cancellation, since events are never erased. */
export const toPublicLesson = (lesson: Lesson): Lesson => ({ ...lesson, cancel_reason: null });

/** Emits the last state of each lesson: one event for each class. */
export const publishLessonEvents: EventPublisher<Lesson> = (session, lessons) => {
  for (const [clazz_id, ofClazz] of Map.groupBy(lastById(lessons), (lesson) => lesson.clazz_id)) {
    for (const part of inBatches(ofClazz.map(toPublicLesson)))
      session.emit(clazzEvents.lessonChanged, clazz_id, { clazz_id, lessons: part });
  }
};

/** Lessons with what the directory calls their teachers: by one statement of a session, or of a look before its transaction. */
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

/** Lessons of a class that is at hand, as they are answered: the names of all by one statement. */
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

/** The same of one. */
export const shownLesson = async (
  session: Session,
  clazz: Pick<Clazz, 'name'>,
  row: LessonRow,
): Promise<ShownLesson> => {
  const [shown] = await shownLessons(session, clazz, [row]);
  if (shown === undefined) throw new Error(`lesson ${row.id} was not shown`);
  return shown;
};
