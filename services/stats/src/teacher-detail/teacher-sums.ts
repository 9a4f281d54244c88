import { type Session, statement } from '@teaching/kit';
import { GEN, hundredths, sliceOf, sums } from '../figures/sql.ts';
import { type SumRow, Sums } from '../figures/tally.rules.ts';
import type { StatsRange } from '../range/range.rules.ts';

const COUNTED = ['scheduled', 'held', 'roll_calls_in_time', 'present', 'late', 'absent', 'unmarked'] as const;
const TEACHER_SUMS = [
  ...COUNTED,
  'hours_taught',
  'leave_handled',
  'markings',
  'marking_seconds',
  // Different people cannot be summed; they come counted for the total, each class and each slice.
  'students',
] as const;
export type TeacherSum = (typeof TEACHER_SUMS)[number];

const LESSONS = statement<SumRow<TeacherSum>>(`
  select f.clazz_id, ${sliceOf('f.at', '$5')} as slice, ${sums(COUNTED, 'f')}, ${hundredths('f.hours_taught', 'hours_taught')}
  from clazz_figure as f
  where f.org_id = $1 and f.gen = ${GEN} and f.teacher_id = $2 and f.at >= $3 and f.at < $4
  group by 1, 2`);

const LEAVE = statement<SumRow<TeacherSum>>(`
  select clazz_id, ${sliceOf('decided_at', '$5')} as slice, count(*)::int as leave_handled
  from leave
  where org_id = $1 and gen = ${GEN} and decided_by = $2 and decided_at >= $3 and decided_at < $4
  group by 1, 2`);

const MARKINGS = statement<SumRow<TeacherSum>>(`
  select clazz_id, ${sliceOf('marked_at', '$5')} as slice, count(*)::int as markings,
    sum(extract(epoch from marked_at - submitted_at))::bigint as marking_seconds
  from marking
  where org_id = $1 and gen = ${GEN} and marker_id = $2 and marked_at >= $3 and marked_at < $4
  group by 1, 2`);

/**
 * People who belonged to the teacher's lessons or were guests there, once for each class and slice. The
 * instants of a class are taken together, so that the work grows with classes and slices, not with lessons.
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
const STUDENTS = statement<{ clazz_id: string | null; slice: number | null; students: number }>(`${PEOPLE_TAUGHT}
  select clazz_id, slice, count(distinct student_id)::int as students
  from person group by grouping sets ((), (clazz_id), (slice))`);

export const teacherSums = async (session: Session, teacher_id: string, range: StatsRange) => {
  const bounds = range.slices.map(({ starts_at }) => starts_at);
  const params = [session.org_id, teacher_id, range.starts_at, range.ends_at, bounds];
  const [lessons, leave, markings, students] = await Promise.all([
    session.query(LESSONS, ...params),
    session.query(LEAVE, ...params),
    session.query(MARKINGS, ...params),
    session.query(STUDENTS, ...params),
  ]);
  const all = new Sums(TEACHER_SUMS).add(lessons).add(leave).add(markings);
  for (const row of students) {
    const target =
      row.clazz_id !== null ? all.clazz(row.clazz_id) : row.slice !== null ? all.slice(row.slice) : all.total;
    target.students = row.students;
  }
  return all;
};
