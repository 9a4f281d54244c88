import type { Lesson, RollCallRow } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { namesOf } from '../record/names-of.ts';

/** A roll call as it is answered: with what the directory calls people. */
export const shownRollCall = async (session: Session, lesson: Lesson, rows: readonly RollCallRow[]) => {
  const people = rows.flatMap(({ student_id, marked_by }) => [student_id, marked_by]);
  const nameOf = await namesOf(session, session.org_id, [lesson.teacher_id, ...people]);
  return {
    lesson: { ...lesson, teacher_name: nameOf(lesson.teacher_id) },
    marks: rows.map((row) => ({
      ...row,
      student_name: nameOf(row.student_id),
      marked_by_name: nameOf(row.marked_by),
    })),
  };
};
