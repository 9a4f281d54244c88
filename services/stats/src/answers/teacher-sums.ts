import { notNull, bigint, nullableColumns, p, type Session, statement, texts } from '@teaching/kit';
import {
  CLAZZ_OR_SLICE,
  currentRecordsOf,
  CURRENT_GEN,
  hundredthsOf,
  groupedSums,
  nameOfClazz,
  sumsOf,
} from '../figures/sql-fragments.ts';
import { countPeople, runsOf } from '../figures/people-count.rules.ts';
import { peopleTaught } from '../figures/people-taught.ts';
import { Sums } from '../figures/tally.rules.ts';
import { markingSeconds } from '../figures/rates.rules.ts';
import type { StatsRange } from '../range/range.rules.ts';
import { CLAZZ } from '../records/clazz.ts';

const COUNTED = ['scheduled', 'held', 'roll_calls_in_time', 'present', 'late', 'absent', 'unmarked'] as const;
const TEACHER_SUMS = [
  ...COUNTED,
  'hours_taught',
  'leave_handled',
  'markings',
  'marking_seconds',
  // Distinct people cannot be added up. They are counted separately for the total, each class and each slice.
  'students',
] as const;
export type TeacherSum = (typeof TEACHER_SUMS)[number];

const NAMED_CLAZZ_OR_SLICE = { ...CLAZZ_OR_SLICE, ...nullableColumns(CLAZZ.pick('name').shape) };

const COUNTS = sumsOf(COUNTED, 'f');
const HOURS = hundredthsOf({ hours_taught: 'f.hours_taught' });
const LESSONS = statement(
  groupedSums({
    clazz: 'f.clazz_id',
    at: 'f.at',
    bounds: '$5',
    sums: `${nameOfClazz('f.clazz_id', currentRecordsOf('$1'))} as name, ${COUNTS.columns}, ${HOURS.columns}`,
    rows: `from clazz_figure as f
      where f.org_id = $1 and f.gen = ${CURRENT_GEN} and f.teacher_id = $2 and f.at >= $3 and f.at < $4`,
  }),
  { ...NAMED_CLAZZ_OR_SLICE, ...COUNTS.shape, ...HOURS.shape },
);

const LEAVE_HANDLED = statement(
  groupedSums({
    clazz: 'clazz_id',
    at: 'decided_at',
    bounds: '$5',
    sums: `${nameOfClazz('clazz_id', currentRecordsOf('$1'))} as name, count(*)::int as leave_handled`,
    rows: `from leave where org_id = $1 and gen = ${CURRENT_GEN} and decided_by = $2 and decided_at >= $3 and decided_at < $4`,
  }),
  { ...NAMED_CLAZZ_OR_SLICE, leave_handled: notNull(p.integer()) },
);

const MARKINGS = statement(
  groupedSums({
    clazz: 'clazz_id',
    at: 'marked_at',
    bounds: '$5',
    sums: `${nameOfClazz('clazz_id', currentRecordsOf('$1'))} as name, count(*)::int as markings,
      sum(${markingSeconds('marking')})::bigint as marking_seconds`,
    rows: `from marking where org_id = $1 and gen = ${CURRENT_GEN} and marker_id = $2 and marked_at >= $3 and marked_at < $4`,
  }),
  { ...NAMED_CLAZZ_OR_SLICE, markings: notNull(p.integer()), marking_seconds: notNull(bigint()) },
);

const PEOPLE = statement(
  `${peopleTaught({ org: '$1', teacher: '$2', from: '$3', to: '$4', bounds: '$5' })} select clazz_id, student_ids, slices from belonged`,
  {
    clazz_id: notNull(p.uuid()),
    student_ids: notNull(texts()),
    slices: notNull(p.text().columnType('int4multirange')),
  },
);

/** The sums of a teacher in a range, and the names of the teacher's classes by id. */
export const teacherSums = async (session: Session, teacher_id: string, range: StatsRange) => {
  const bounds = range.slices.map(({ starts_at }) => starts_at);
  const params = [session.org_id, teacher_id, range.starts_at, range.ends_at, bounds] as const;
  const [lessons, leave, markings, people] = await Promise.all([
    session.query(LESSONS, ...params),
    session.query(LEAVE_HANDLED, ...params),
    session.query(MARKINGS, ...params),
    session.query(PEOPLE, ...params),
  ]);
  const names = new Map([...lessons, ...leave, ...markings].map(({ clazz_id, name }) => [clazz_id, name]));
  const students = countPeople(people.map(({ slices, ...group }) => ({ ...group, runs: runsOf(slices) })));
  return { sums: new Sums(TEACHER_SUMS).add(lessons).add(leave).add(markings).add(students), names };
};
