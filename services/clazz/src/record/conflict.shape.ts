import { notNull, instant, nameColumns, p, type RowOf } from '@teaching/kit';
import { clazzNameColumn } from './record.tables.ts';

const people = nameColumns('f', 'teacher_id', 'student_id');
const clazz = clazzNameColumn('f');

/** A clash as the query returns it: a clashing lesson, by teacher, by room or by one student. */
export const CONFLICT = {
  /** The position of the wanted lesson, from 1, or 0 when there is no order. */
  n: notNull(p.integer()),
  lesson_id: notNull(p.uuid()),
  clazz_id: notNull(p.uuid()),
  starts_at: notNull(instant()),
  ends_at: notNull(instant()),
  teacher_id: p.text().nullable(),
  room: p.text().nullable(),
  student_id: p.text().nullable(),
  /** Whether the clashing lesson is itself an override, which the constraints ignore. */
  override: notNull(p.boolean()),
  ...people.shape,
  ...clazz.shape,
};
export type ConflictRow = RowOf<typeof CONFLICT>;

/** Adds names to a select in the org `$1` that returns the columns up to `override`. */
export const withConflictNames = (found: string): string =>
  `select f.n, f.lesson_id, f.clazz_id, f.starts_at, f.ends_at, f.teacher_id, f.room, f.student_id, f.override,
     ${people.columns}, ${clazz.columns}
   from (select $1::uuid as org_id, u.* from (${found}) as u) as f`;
