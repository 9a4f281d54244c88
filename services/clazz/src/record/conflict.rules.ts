import { type Conflict, Problem } from '@teaching/contracts';
import type { ConflictRow } from './conflict.shape.ts';

/** One conflict for each lesson in the way, with all the reasons, by start. */
export const toConflicts = (rows: readonly ConflictRow[]): Conflict[] => {
  const found = new Map<string, Conflict>();
  for (const row of rows) {
    const { lesson_id, clazz_id, starts_at, ends_at } = row;
    const it = found.get(lesson_id) ?? {
      lesson_id,
      clazz_id,
      starts_at,
      ends_at,
      teacher_id: null,
      room: null,
      student_ids: [],
    };
    it.teacher_id ??= row.teacher_id;
    it.room ??= row.room;
    if (row.student_id !== null && !it.student_ids.includes(row.student_id)) it.student_ids.push(row.student_id);
    found.set(lesson_id, it);
  }
  for (const it of found.values()) it.student_ids.sort();
  return [...found.values()].toSorted((a, b) => a.starts_at.localeCompare(b.starts_at));
};

/** At most this many clashing lessons are listed in a refusal; `conflicts_total` counts all. */
const LISTED = 100;

/** Somebody would have to be at two lessons. */
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
