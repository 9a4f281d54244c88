import { p } from '@mikro-orm/postgresql';
import { always, bigint, orNull, type Session, statement } from '@teaching/kit';
import { nameOfClazz } from '../figures/names.ts';
import { PEOPLE_TAUGHT } from '../figures/people-taught.ts';
import { CLAZZ_OR_SLICE, GEN, hundredthsOf, inParts, sumsOf } from '../figures/sql.ts';
import { Sums } from '../figures/tally.rules.ts';
import { secondsOf } from '../figures/turnaround.ts';
import type { StatsRange } from '../range/range.rules.ts';
import { CLAZZ } from '../records/clazz/table.ts';

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

const NAMED_CLAZZ_OR_SLICE = { ...CLAZZ_OR_SLICE, ...orNull(CLAZZ.some('name').shape) };

const COUNTS = sumsOf(COUNTED, 'f');
const HOURS = hundredthsOf({ hours_taught: 'f.hours_taught' });
const LESSONS = statement(
  inParts({
    clazz: 'f.clazz_id',
    at: 'f.at',
    sums: `${nameOfClazz('f.clazz_id')} as name, ${COUNTS.columns}, ${HOURS.columns}`,
    rows: `from clazz_figure as f
      where f.org_id = $1 and f.gen = ${GEN} and f.teacher_id = $2 and f.at >= $3 and f.at < $4`,
  }),
  { ...NAMED_CLAZZ_OR_SLICE, ...COUNTS.shape, ...HOURS.shape },
);

const LEAVE_HANDLED = statement(
  inParts({
    clazz: 'clazz_id',
    at: 'decided_at',
    sums: `${nameOfClazz('clazz_id')} as name, count(*)::int as leave_handled`,
    rows: `from leave where org_id = $1 and gen = ${GEN} and decided_by = $2 and decided_at >= $3 and decided_at < $4`,
  }),
  { ...NAMED_CLAZZ_OR_SLICE, leave_handled: always(p.integer()) },
);

const MARKINGS = statement(
  inParts({
    clazz: 'clazz_id',
    at: 'marked_at',
    sums: `${nameOfClazz('clazz_id')} as name, count(*)::int as markings,
      sum(${secondsOf('marking')})::bigint as marking_seconds`,
    rows: `from marking where org_id = $1 and gen = ${GEN} and marker_id = $2 and marked_at >= $3 and marked_at < $4`,
  }),
  { ...NAMED_CLAZZ_OR_SLICE, markings: always(p.integer()), marking_seconds: always(bigint()) },
);

/** Counted for each slice by who comes and who goes, from one to the next. */
const STUDENTS = statement(
  `${PEOPLE_TAUGHT}, run as (
     select unnest(range_agg(slices)) as slices from belonged group by student_id
   ), changed as (
     select lower(slices) as slice, 1 as by from run
     union all select upper(slices), -1 from run
     union all select distinct slice, 0 from taught_at
   )
   select clazz_id, null::int as slice, count(distinct student_id)::int as students
   from belonged group by grouping sets ((), (1))
   union all
   select null, slice, (sum(sum(by)) over (order by slice))::int from changed group by slice`,
  { ...CLAZZ_OR_SLICE, students: always(p.integer()) },
);

/** A teacher's sums in a range, and the names of their classes. */
export const teacherSums = async (session: Session, teacher_id: string, range: StatsRange) => {
  const bounds = range.slices.map(({ starts_at }) => starts_at);
  const params = [session.org_id, teacher_id, range.starts_at, range.ends_at, bounds] as const;
  const [lessons, leave, markings, students] = await Promise.all([
    session.query(LESSONS, ...params),
    session.query(LEAVE_HANDLED, ...params),
    session.query(MARKINGS, ...params),
    session.query(STUDENTS, ...params),
  ]);
  const names = new Map([...lessons, ...leave, ...markings].map(({ clazz_id, name }) => [clazz_id, name]));
  return { sums: new Sums(TEACHER_SUMS).add(lessons).add(leave).add(markings).add(students), names };
};
