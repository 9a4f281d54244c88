import { CURRENT_GEN, sliceOf } from './sql-fragments.ts';

/** SQL parameters: the organization, the teacher, start and end of the range, and the starts of its slices. */
interface Parameters {
  org: string;
  teacher: string;
  from: string;
  to: string;
  bounds: string;
}

const lessonOf = ({ org, teacher }: Parameters): string =>
  `org_id = ${org} and gen = ${CURRENT_GEN} and teacher_id = ${teacher} and scheduled > 0`;
/** SQL of the first or the last lesson of the class within a membership period. */
const lessonInPeriod = (parameters: Parameters, order: string): string => `(
    select at from clazz_figure
    where ${lessonOf(parameters)} and clazz_id = t.clazz_id and at >= lower(period) and at < upper(period) order by at ${order} limit 1
  )`;
const oneSlice = (slice: string): string => `int4range(${slice}, ${slice}, '[]')`;

/**
 * SQL of the members and guests at the lessons of a teacher in [from, to). Each row of `belonged` contains people of
 * one class with the same membership period, the slices with such a lesson, and the first of these lessons. A person
 * can be in several rows.
 *
 * The cost grows with lessons and people, not with seats: each distinct membership period is processed once for all
 * people who have it. Within a month, these are most members of a class.
 */
export const peopleTaught = (parameters: Parameters): string => {
  const { org, teacher, from, to, bounds } = parameters;
  return `
  with taught_at as materialized (
    select clazz_id, at, guests, ${sliceOf('at', bounds)} as slice
    from clazz_figure where ${lessonOf(parameters)} and at >= ${from} and at < ${to}
  ), taught as materialized (
    select clazz_id, range_agg(${oneSlice('slice')}) as slices from taught_at group by clazz_id
  ), period as materialized (
    select e.clazz_id, e.during * tstzmultirange(tstzrange(${from}, ${to})) as during, array_agg(e.student_id) as student_ids
    from taught as t
    cross join lateral (
      select clazz_id, student_id, during from enrolment
      where clazz_id = t.clazz_id and org_id = ${org} and gen = ${CURRENT_GEN} and during && tstzrange(${from}, ${to}) offset 0
    ) as e
    group by 1, 2
  ), belonged as materialized (
    select t.clazz_id, p.student_ids, first.at,
      t.slices * int4multirange(int4range(${sliceOf('first.at', bounds)}, ${sliceOf('last.at', bounds)}, '[]')) as slices
    from period as p
    join taught as t on t.clazz_id = p.clazz_id
    cross join lateral unnest(p.during) as period
    cross join lateral ${lessonInPeriod(parameters, 'asc')} as first
    cross join lateral ${lessonInPeriod(parameters, 'desc')} as last
    union all
    select t.clazz_id, array[m.student_id], t.at, int4multirange(${oneSlice('t.slice')})
    from taught_at as t
    join lesson as l on l.org_id = ${org} and l.gen = ${CURRENT_GEN} and l.clazz_id = t.clazz_id and l.teacher_id = ${teacher}
      and l.starts_at = t.at and l.status in ('scheduled', 'held')
    join mark as m on m.org_id = l.org_id and m.gen = l.gen and m.lesson_id = l.id and m.mark is not null
    where t.guests > 0
  )`;
};
