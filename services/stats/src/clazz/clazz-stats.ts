import { notFound, type statsCalls } from '@teaching/contracts';
import { type Handler, type Session, statement } from '@teaching/kit';
import { attendanceOf } from '../figures/attendance.rules.ts';
import { CLAZZ_SUMS, clazzTotals, sumsOfFigures } from '../figures/lessons-of-clazz.ts';
import {
  MARK_SUMS,
  STUDENT_SUMS,
  studentAttendance,
  type StudentSums,
  studentTotals,
} from '../figures/lessons-of-student.ts';
import { GEN } from '../figures/sql.ts';
import { seriesOf, Sums } from '../figures/tally.rules.ts';
import { rangeOf, type StatsRange } from '../range/range.rules.ts';

const CLAZZ = statement<{ name: string }>(
  `select name from clazz where org_id = $1 and gen = ${GEN} and id = $2 and status <> 'deleted'`,
);
const FIGURES = sumsOfFigures('clazz_figure', [...CLAZZ_SUMS], 'and f.clazz_id = $5');

type StudentRow = Partial<StudentSums> & { student_id: string };

/** Everybody who belonged to the class in the range, with the lessons they belonged to. */
const ENROLLED = statement<StudentRow>(`
  select e.student_id, coalesce(sum(f.scheduled), 0)::int as scheduled, coalesce(sum(f.held), 0)::int as held
  from enrolment as e
  left join clazz_figure as f on f.org_id = e.org_id and f.gen = e.gen and f.clazz_id = e.clazz_id
    and f.at >= $3 and f.at < $4 and e.during @> f.at
  where e.org_id = $1 and e.gen = ${GEN} and e.clazz_id = $2 and e.during && tstzrange($3, $4)
  group by 1`);

/** Everybody's marks in the class. */
const MARKED = statement<StudentRow>(`
  select m.student_id, ${MARK_SUMS}
  from lesson as l
  join mark as m on m.org_id = l.org_id and m.gen = l.gen and m.lesson_id = l.id
  where l.org_id = $1 and l.gen = ${GEN} and l.clazz_id = $2 and l.starts_at >= $3 and l.starts_at < $4
    and l.status <> 'deleted'
  group by 1`);

const PEOPLE = statement<{ user_id: string; display_name: string }>(
  `select user_id, display_name from member where org_id = $1 and gen = ${GEN} and user_id = any ($2::text[])`,
);

const studentsOf = async (session: Session, clazz_id: string, range: StatsRange) => {
  const params = [session.org_id, clazz_id, range.starts_at, range.ends_at];
  const [enrolled, marked] = await Promise.all([session.query(ENROLLED, ...params), session.query(MARKED, ...params)]);
  // The student takes the place of the class in the sums.
  const rows = [...enrolled, ...marked].map(({ student_id, ...counts }) => ({
    ...counts,
    clazz_id: student_id,
    slice: 1,
  }));
  const sums = new Sums(STUDENT_SUMS).add(rows);
  const people = await session.query(PEOPLE, session.org_id, [...sums.byClazz.keys()]);
  const names = new Map(people.map(({ user_id, display_name }) => [user_id, display_name]));
  return [...sums.byClazz]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([student_id, tally]) => ({
      student_id,
      name: names.get(student_id) ?? null,
      ...studentTotals(tally),
      attendance: studentAttendance(tally),
    }));
};

export const clazzStats: Handler<typeof statsCalls.clazz> = async ({ path, query }, session) => {
  const range = rangeOf(query, session.now);
  const included = await session.includesWrite();
  const bounds = range.slices.map(({ starts_at }) => starts_at);
  const [clazz, figures, students] = await Promise.all([
    session.one(CLAZZ, session.org_id, path.id),
    session.query(FIGURES, session.org_id, range.starts_at, range.ends_at, bounds, path.id),
    studentsOf(session, path.id, range),
  ]);
  if (clazz === undefined) throw notFound('Class');
  const sums = new Sums(CLAZZ_SUMS).add(figures);
  return {
    clazz_id: path.id,
    name: clazz.name,
    range: range.asked,
    totals: clazzTotals(sums.total),
    attendance: attendanceOf(sums.total),
    students,
    series: seriesOf(range, sums, (tally) => ({ ...clazzTotals(tally), attendance: attendanceOf(tally) })),
    included,
  };
};
