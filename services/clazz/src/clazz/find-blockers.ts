import { type Blocker, BLOCKERS } from '@teaching/contracts';
import { always, instant, names, p, type Session, statement } from '@teaching/kit';

const student = names('v', 'student_id');
const BLOCKING = statement(
  `select 'roll_call_missing' as kind, id as lesson_id, null as leave_id, null as student_id,
     null as student_name, starts_at, ends_at
   from lesson
   where org_id = $1 and clazz_id = $2 and starts_at <= $3 and (status = 'scheduled' or status = 'held' and exists (
     select from lesson_student s where s.org_id = $1 and s.lesson_id = lesson.id and s.unmarked))
   union all
   select 'leave_pending', v.lesson_id, v.id, v.student_id, ${student.columns}, l.starts_at, l.ends_at
   from leave v join lesson l on l.org_id = v.org_id and l.id = v.lesson_id
   where v.org_id = $1 and v.clazz_id = $2 and v.status = 'pending'
   order by starts_at, lesson_id, leave_id`,
  {
    kind: always(p.enum(BLOCKERS)),
    lesson_id: always(p.uuid()),
    leave_id: p.uuid().nullable(),
    student_id: p.text().nullable(),
    ...student.shape,
    starts_at: always(instant()),
    ends_at: always(instant()),
  },
);

/**
 * What stands in the way of completing a class: lessons that began and have no roll call or an incomplete one, and
 * leave that nobody has decided on.
 */
export const findBlockers = (session: Session, clazz_id: string): Promise<Blocker[]> =>
  session.query(BLOCKING, session.org_id, clazz_id, session.now);
