import type { Enrolment } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { onLeave, overlapping } from '../schedule/find-conflicts.ts';
import { LISTED } from './enrolment.table.ts';

/**
 * Who waits, and has not left meanwhile, is looked at in order, each until a first clash is found, and nobody any more
 * once there are enough: the list is never checked against everything. What clashes is what stands in the way of
 * enrolling.
 */
const FREE = statement(
  `select ${LISTED.of('e')} from enrolment e
   where e.org_id = $1 and e.clazz_id = $2 and e.status = 'waiting'
   and not exists (
     select from member m where m.org_id = $1 and m.user_id = e.student_id and m.status = 'inactive')
   and not exists (
     select from lesson w
     ${overlapping('lesson_student', 'it.student_id = e.student_id and not it.override and not it.excused')} s
     where w.org_id = $1 and w.clazz_id = $2 and w.status <> 'cancelled' and w.starts_at >= $3
       and s.clazz_id <> $2 and not ${onLeave('w.id', 'e.student_id')})
   and not exists (
     select from lesson w
     ${overlapping('lesson', "it.clazz_id = $2 and it.status <> 'cancelled'")} o
     where w.org_id = $1 and w.clazz_id = $2 and w.status <> 'cancelled' and w.starts_at >= $3
       and o.id <> w.id and o.starts_at >= $3)
   order by e.seq limit $4`,
  LISTED.shape,
);

/** The first of those who wait for a class and have time for all its lessons from a moment on; `most` may be infinite. */
export const freeWaiting = (session: Session, clazz_id: string, since: string, most: number): Promise<Enrolment[]> =>
  session.query(FREE, session.org_id, clazz_id, since, Number.isFinite(most) ? most : null);
