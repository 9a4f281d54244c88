import type { RollCallRow } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import type { LessonState } from '../cascade/lesson-state.ts';
import { namesOf } from '../record/names-of.ts';

type NameOf = Awaited<ReturnType<typeof namesOf>>;

/** The names of all whom a roll call may show, whatever the caller marks: they can be asked for before anything is stored. */
export const namesIn = (
  session: Session,
  { lesson, seats }: Pick<LessonState, 'lesson' | 'seats'>,
): Promise<NameOf> => {
  const people = seats.flatMap(({ student_id, mark }) => [student_id, mark?.marked_by ?? null]);
  return namesOf(session, session.org_id, [lesson.teacher_id, session.actor_id, ...people]);
};

/** A roll call as it is answered: with names. */
export const shownRollCall = (
  { lesson, clazz }: Pick<LessonState, 'lesson' | 'clazz'>,
  rows: readonly RollCallRow[],
  nameOf: NameOf,
) => ({
  lesson: { ...lesson, clazz_name: clazz.name, teacher_name: nameOf(lesson.teacher_id) },
  marks: rows.map((row) => ({
    ...row,
    student_name: nameOf(row.student_id),
    marked_by_name: nameOf(row.marked_by),
  })),
});
