import { p } from '@mikro-orm/postgresql';
import { always, bigint, type Session, statement } from '@teaching/kit';
import { CLAZZ_FIGURE } from '../figures/clazz-figure.table.ts';
import { PEOPLE_TAUGHT } from '../figures/people-taught.ts';
import { GEN, hundredthsOf, SLICE, sliceOf, sumsOf } from '../figures/sql.ts';
import { Sums } from '../figures/tally.rules.ts';
import type { StatsRange } from '../range/range.rules.ts';
import { LEAVE } from '../records/leave/table.ts';
import { MARKING } from '../records/marking/table.ts';

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

const COUNTS = sumsOf(COUNTED, 'f');
const HOURS = hundredthsOf({ hours_taught: 'f.hours_taught' });
const LESSONS = statement(
  `select f.clazz_id, ${sliceOf('f.at', '$5')} as slice, ${COUNTS.columns}, ${HOURS.columns}
   from clazz_figure as f
   where f.org_id = $1 and f.gen = ${GEN} and f.teacher_id = $2 and f.at >= $3 and f.at < $4
   group by 1, 2`,
  { ...CLAZZ_FIGURE.some('clazz_id').shape, ...SLICE, ...COUNTS.shape, ...HOURS.shape },
);

const LEAVE_HANDLED = statement(
  `select clazz_id, ${sliceOf('decided_at', '$5')} as slice, count(*)::int as leave_handled
   from leave
   where org_id = $1 and gen = ${GEN} and decided_by = $2 and decided_at >= $3 and decided_at < $4
   group by 1, 2`,
  { ...LEAVE.some('clazz_id').shape, ...SLICE, leave_handled: always(p.integer()) },
);

const MARKINGS = statement(
  `select clazz_id, ${sliceOf('marked_at', '$5')} as slice, count(*)::int as markings,
     sum(extract(epoch from marked_at - submitted_at))::bigint as marking_seconds
   from marking
   where org_id = $1 and gen = ${GEN} and marker_id = $2 and marked_at >= $3 and marked_at < $4
   group by 1, 2`,
  { ...MARKING.some('clazz_id').shape, ...SLICE, markings: always(p.integer()), marking_seconds: always(bigint()) },
);

const STUDENTS = statement(
  `${PEOPLE_TAUGHT}
   select clazz_id, slice, count(distinct student_id)::int as students
   from person group by grouping sets ((), (clazz_id), (slice))`,
  { clazz_id: p.uuid().nullable(), slice: p.integer().nullable(), students: always(p.integer()) },
);

export const teacherSums = async (session: Session, teacher_id: string, range: StatsRange) => {
  const bounds = range.slices.map(({ starts_at }) => starts_at);
  const params = [session.org_id, teacher_id, range.starts_at, range.ends_at, bounds] as const;
  const [lessons, leave, markings, students] = await Promise.all([
    session.query(LESSONS, ...params),
    session.query(LEAVE_HANDLED, ...params),
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
