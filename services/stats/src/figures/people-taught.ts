import { GEN, sliceOf } from './sql.ts';

/**
 * Who belonged to the lessons of teacher $2 of org $1 in [$3, $4), or was a guest there: each `person` once for each
 * class and slice that begins in $5. The instants of a class are taken together, so that the work grows with classes
 * and slices, not with lessons.
 */
export const PEOPLE_TAUGHT = `
  with taught as (
    select org_id, gen, clazz_id, ${sliceOf('at', '$5')} as slice, range_agg(tstzrange(at, at, '[]')) as moments,
      range_agg(tstzrange(at, at, '[]')) filter (where guests > 0) as with_guests
    from clazz_figure
    where org_id = $1 and gen = ${GEN} and teacher_id = $2 and at >= $3 and at < $4 and scheduled > 0
    group by 1, 2, 3, 4
  ), person as (
    select t.clazz_id, t.slice, e.student_id, lower(e.during * t.moments) as at
    from taught as t
    join enrolment as e on e.org_id = t.org_id and e.gen = t.gen and e.clazz_id = t.clazz_id and e.during && t.moments
    union
    select t.clazz_id, t.slice, m.student_id, l.starts_at
    from taught as t
    join lesson as l on l.org_id = t.org_id and l.gen = t.gen and l.clazz_id = t.clazz_id and l.teacher_id = $2
      and t.with_guests @> l.starts_at and l.starts_at >= $3 and l.starts_at < $4 and l.status in ('scheduled', 'held')
    join mark as m on m.org_id = l.org_id and m.gen = l.gen and m.lesson_id = l.id and m.mark is not null
    where t.with_guests is not null
  )`;
