import { GEN, sliceOf } from './sql.ts';

const LESSON = `org_id = $1 and gen = ${GEN} and teacher_id = $2 and scheduled > 0`;
/** The first or the last lesson of the class within the period of belonging to it. */
const LESSON_WITHIN = (order: string): string => `(
    select at from clazz_figure
    where ${LESSON} and clazz_id = t.clazz_id and at >= lower(period) and at < upper(period) order by at ${order} limit 1
  )`;
const oneSlice = (slice: string): string => `int4range(${slice}, ${slice}, '[]')`;

/**
 * Who belonged to the lessons of teacher $2 of org $1 in [$3, $4), or was a guest there: `belonged` has people of a class who
 * belonged for the same time, the slices (which begin in $5) with such a lesson, and the first of these lessons. Somebody may
 * be in several rows. The work grows with lessons and people, not with seats: a period of belonging has all lessons between
 * its first and its last, and is looked at once for all who have it, which of a month are most of a class.
 */
export const PEOPLE_TAUGHT = `
  with taught_at as materialized (
    select clazz_id, at, guests, ${sliceOf('at', '$5')} as slice
    from clazz_figure where ${LESSON} and at >= $3 and at < $4
  ), taught as materialized (
    select clazz_id, range_agg(${oneSlice('slice')}) as slices from taught_at group by clazz_id
  ), period as materialized (
    select e.clazz_id, e.during * tstzmultirange(tstzrange($3, $4)) as during, array_agg(e.student_id) as student_ids
    from taught as t
    cross join lateral (
      select clazz_id, student_id, during from enrolment
      where clazz_id = t.clazz_id and org_id = $1 and gen = ${GEN} and during && tstzrange($3, $4) offset 0
    ) as e
    group by 1, 2
  ), belonged as materialized (
    select t.clazz_id, p.student_ids, first.at,
      t.slices * int4multirange(int4range(${sliceOf('first.at', '$5')}, ${sliceOf('last.at', '$5')}, '[]')) as slices
    from period as p
    join taught as t on t.clazz_id = p.clazz_id
    cross join lateral unnest(p.during) as period
    cross join lateral ${LESSON_WITHIN('asc')} as first
    cross join lateral ${LESSON_WITHIN('desc')} as last
    union all
    select t.clazz_id, array[m.student_id], t.at, int4multirange(${oneSlice('t.slice')})
    from taught_at as t
    join lesson as l on l.org_id = $1 and l.gen = ${GEN} and l.clazz_id = t.clazz_id and l.teacher_id = $2
      and l.starts_at = t.at and l.status in ('scheduled', 'held')
    join mark as m on m.org_id = l.org_id and m.gen = l.gen and m.lesson_id = l.id and m.mark is not null
    where t.guests > 0
  )`;
