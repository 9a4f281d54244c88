import { notNull, instant, nameColumns, p, type RowOf } from '@teaching/kit';
import { clazzName } from './record.tables.ts';

const people = nameColumns('f', 'teacher_id', 'student_id');
const clazz = clazzName('f');

/** One clash as the database finds it: a lesson in the way, by teacher, room or one student. */
export const CONFLICT = {
  /** Which of the wanted lessons (from 1), or 0 when there is no order. */
  n: notNull(p.integer()),
  lesson_id: notNull(p.uuid()),
  clazz_id: notNull(p.uuid()),
  starts_at: notNull(instant()),
  ends_at: notNull(instant()),
  teacher_id: p.text().nullable(),
  room: p.text().nullable(),
  student_id: p.text().nullable(),
  /** The lesson in the way is itself an exception; the constraints do not see it. */
  override: notNull(p.boolean()),
  ...people.shape,
  ...clazz.shape,
};
export type ConflictRow = RowOf<typeof CONFLICT>;

/** What a select in the org `$1` finds, up to `override`, with names. */
export const withNames = (found: string): string =>
  `select f.n, f.lesson_id, f.clazz_id, f.starts_at, f.ends_at, f.teacher_id, f.room, f.student_id, f.override,
     ${people.columns}, ${clazz.columns}
   from (select $1::uuid as org_id, u.* from (${found}) as u) as f`;
