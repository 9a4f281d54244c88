import { type Conflict, Problem } from '@teaching/contracts';
import type { ConflictRow } from './conflict.shape.ts';

const conflictOf = (rows: readonly ConflictRow[], first: ConflictRow): Conflict => {
  const { lesson_id, clazz_id, clazz_name, starts_at, ends_at } = first;
  const given = rows.find((row) => row.teacher_id !== null);
  const students = new Map(rows.map((row) => [row.student_id, row.student_name]));
  const student_ids = [...students.keys()].filter((id) => id !== null).toSorted();
  return {
    lesson_id,
    clazz_id,
    clazz_name,
    starts_at,
    ends_at,
    teacher_id: given?.teacher_id ?? null,
    teacher_name: given?.teacher_name ?? null,
    room: rows.find((row) => row.room !== null)?.room ?? null,
    student_ids,
    student_names: student_ids.map((id) => students.get(id) ?? null),
  };
};

/** One conflict for each lesson in the way, with all the reasons, by start. */
export const toConflicts = (rows: readonly ConflictRow[]): Conflict[] =>
  [...Map.groupBy(rows, (row) => row.lesson_id).values()]
    .flatMap((of) => (of[0] === undefined ? [] : [conflictOf(of, of[0])]))
    .toSorted((a, b) => a.starts_at.localeCompare(b.starts_at));

/** At most this many clashing lessons are listed in a refusal; `conflicts_total` counts all. */
const LISTED = 100;

/** A student would have to be at two lessons. */
export const hasStudents = (rows: readonly ConflictRow[]): boolean => rows.some((row) => row.student_id !== null);

/** 409 `schedule_conflict`, listing the clashing lessons. */
export const scheduleConflict = (rows: readonly ConflictRow[]): Problem => {
  const conflicts = toConflicts(rows);
  return new Problem('schedule_conflict', {
    detail: `${conflicts.length} lesson(s) stand in the way`,
    members: { conflicts: conflicts.slice(0, LISTED), conflicts_total: conflicts.length },
  });
};

/** An exception is made for teachers and rooms; no student can be at two lessons. */
export const requireNoClash = (rows: readonly ConflictRow[], override: boolean): void => {
  if (rows.length > 0 && (!override || hasStudents(rows))) throw scheduleConflict(rows);
};
