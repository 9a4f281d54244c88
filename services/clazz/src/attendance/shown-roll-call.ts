import type { RollCallRow } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import type { LessonState } from '../cascade/lesson-state.ts';
import { namesOf } from '../record/names-of.ts';

/** A roll call as it is answered: with names. */
export const shownRollCall = async (
  session: Session,
  { lesson, clazz }: Pick<LessonState, 'lesson' | 'clazz'>,
  rows: readonly RollCallRow[],
) => {
  const people = rows.flatMap(({ student_id, marked_by }) => [student_id, marked_by]);
  const nameOf = await namesOf(session, session.org_id, [lesson.teacher_id, ...people]);
  return {
    lesson: { ...lesson, clazz_name: clazz.name, teacher_name: nameOf(lesson.teacher_id) },
    marks: rows.map((row) => ({
      ...row,
      student_name: nameOf(row.student_id),
      marked_by_name: nameOf(row.marked_by),
    })),
  };
};
