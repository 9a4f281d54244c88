import { p } from '@mikro-orm/postgresql';
import { always, instant, type RowOf } from '@teaching/kit';

/** One clash as the database finds it: a lesson in the way, by teacher, room or one student. */
export const CONFLICT = {
  /** Which of the wanted lessons (from 1), or 0 when there is no order. */
  n: always(p.integer()),
  lesson_id: always(p.uuid()),
  clazz_id: always(p.uuid()),
  starts_at: always(instant()),
  ends_at: always(instant()),
  teacher_id: p.text().nullable(),
  room: p.text().nullable(),
  student_id: p.text().nullable(),
  /** The lesson in the way is itself an exception; the constraints do not see it. */
  override: always(p.boolean()),
};
export type ConflictRow = RowOf<typeof CONFLICT>;
