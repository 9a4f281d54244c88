import type { Clazz, ShownLesson } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { type LessonRow, toLesson } from './lesson.table.ts';
import { withTeacherNames } from './with-teacher-names.ts';

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
