import type { Blocker } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';

const MISSING = statement<Blocker>(
  `select 'roll_call_missing' as kind, id as lesson_id, null as leave_id, null as student_id, starts_at from lesson
   where org_id = $1 and clazz_id = $2 and status = 'scheduled' and starts_at <= $3 order by starts_at, id`,
);

/** What stands in the way of completing a class: lessons that began and have no roll call. */
export const findBlockers = (session: Session, clazz_id: string): Promise<Blocker[]> =>
  session.query(MISSING, session.org_id, clazz_id, session.now);
