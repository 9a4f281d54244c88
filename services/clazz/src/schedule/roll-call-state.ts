import { type MarkCounts, MARKS } from '@teaching/contracts';
import { always, p } from '@teaching/kit';

/** The marks at a lesson `l` that count: of each student the last. */
const LAST_MARKS = `(select distinct on (k.student_id) k.student_id, k.mark from mark_revision k
  where k.org_id = l.org_id and k.lesson_id = l.id order by k.student_id, k.revision desc)`;

/** Who was expected at a lesson that was held, and is not marked. */
const UNMARKED = `select from lesson_student s where s.org_id = l.org_id and s.lesson_id = l.id and s.unmarked`;

/**
 * Where the roll call of a lesson `l` of a class `c` stands at `clock.now`; null where none is due. A class that is over
 * takes none any more, as in the list of missing ones.
 */
export const ROLL_CALL_STATE = `(case
  when l.status = 'held' and not exists (${UNMARKED}) then 'done'
  when c.status not in ('draft', 'active') then null
  when l.status = 'held' and exists (select from ${LAST_MARKS} m where m.mark is not null) then 'incomplete'
  when l.status <> 'cancelled' and l.ends_at <= clock.now then 'missing' end)`;

/** Lessons whose roll call is not done are among these: begun and still scheduled, or with somebody unmarked. */
export const NOT_DONE = `l.id = any(array(
  select w.id from lesson w where w.org_id = ? and w.status = 'scheduled' and w.hours >= 0 and w.starts_at < clock.now
  union all
  select s.lesson_id from lesson_student s where s.org_id = ? and s.unmarked))`;

/** How many have each mark, or none yet; for a student, their own, as `viewer.student_id` says. */
export const MARK_COUNTS = {
  text: `(select jsonb_build_object(${MARKS.map((mark) => `'${mark}', count(*) filter (where m.mark = '${mark}')`).join(', ')},
     'unmarked', (select count(*) from lesson_student s where s.org_id = l.org_id and s.lesson_id = l.id
       and (s.unmarked or l.status = 'scheduled') and s.student_id = coalesce(viewer.student_id, s.student_id)))
   from ${LAST_MARKS} m where m.student_id = coalesce(viewer.student_id, m.student_id))`,
  shape: always(p.json<MarkCounts>()),
};
