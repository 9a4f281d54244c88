import { type Conflict, Problem } from '@teaching/contracts';
import type { ConflictRow } from './conflict.shape.ts';

const conflictOf = (rows: readonly ConflictRow[], first: ConflictRow): Conflict => {
  const { lesson_id, clazz_id, clazz_name, starts_at, ends_at } = first;
  const withTeacher = rows.find((row) => row.teacher_id !== null);
  const students = new Map(rows.map((row) => [row.student_id, row.student_name]));
  const student_ids = [...students.keys()].filter((id) => id !== null).toSorted();
  return {
    lesson_id,
    clazz_id,
    clazz_name,
    starts_at,
    ends_at,
    teacher_id: withTeacher?.teacher_id ?? null,
    teacher_name: withTeacher?.teacher_name ?? null,
    room: rows.find((row) => row.room !== null)?.room ?? null,
    student_ids,
    student_names: student_ids.map((id) => students.get(id) ?? null),
  };
};

/** Groups rows into one conflict for each clashing lesson, with all its reasons, ordered by start. */
export const toConflicts = (rows: readonly ConflictRow[]): Conflict[] =>
  [...Map.groupBy(rows, (row) => row.lesson_id).values()]
    .flatMap((of) => (of[0] === undefined ? [] : [conflictOf(of, of[0])]))
    .toSorted((a, b) => a.starts_at.localeCompare(b.starts_at));

/** The most clashing lessons in a refusal. `conflicts_total` counts all of them. */
const LISTED = 100;

/** Whether a student would have two lessons at the same time. */
export const hasStudentClash = (rows: readonly ConflictRow[]): boolean => rows.some((row) => row.student_id !== null);

/** 409 `schedule_conflict`, with the clashing lessons. */
export const scheduleConflict = (rows: readonly ConflictRow[]): Problem => {
  const conflicts = toConflicts(rows);
  return new Problem('schedule_conflict', {
    detail: `${conflicts.length} lesson(s) clash`,
    members: { conflicts: conflicts.slice(0, LISTED), conflicts_total: conflicts.length },
  });
};

/** Throws on a clash. An override allows clashes of teachers and rooms, but never of a student. */
export const requireNoClash = (rows: readonly ConflictRow[], override: boolean): void => {
  if (rows.length > 0 && (!override || hasStudentClash(rows))) throw scheduleConflict(rows);
};
