import { MARKS } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { STUDENT_SUMS } from '../figures/lessons-of-student.ts';
import { GEN, hundredths, sliceOf, sums } from '../figures/sql.ts';
import { type SumRow, Sums } from '../figures/tally.rules.ts';
import type { StatsRange } from '../range/range.rules.ts';

type StudentSum = (typeof STUDENT_SUMS)[number];

/** What the student's classes did while the student belonged to them. */
const LESSONS = statement<SumRow<StudentSum>>(`
  select f.clazz_id, ${sliceOf('f.at', '$5')} as slice, ${sums(['scheduled', 'held'], 'f')}
  from enrolment as e
  join clazz_figure as f on f.org_id = e.org_id and f.gen = e.gen and f.clazz_id = e.clazz_id
    and f.at >= $3 and f.at < $4 and e.during @> f.at
  where e.org_id = $1 and e.gen = ${GEN} and e.student_id = $2
  group by 1, 2`);

const MARKED = sums(MARKS, 's');
const BELONGS = `exists (
  select from enrolment as e
  where e.org_id = s.org_id and e.gen = s.gen and e.student_id = s.student_id and e.clazz_id = s.clazz_id
    and e.during @> s.at)`;

const STUDENT_MARKS = statement<SumRow<StudentSum>>(`
  select s.clazz_id, ${sliceOf('s.at', '$5')} as slice, ${MARKED}, ${hundredths('s.hours_consumed', 'hours_consumed')},
    coalesce(sum(${MARKS.map((mark) => `s.${mark}`).join(' + ')}) filter (where not ${BELONGS}), 0)::int as guests
  from student_figure as s
  where s.org_id = $1 and s.gen = ${GEN} and s.student_id = $2 and s.at >= $3 and s.at < $4
  group by 1, 2`);

export const studentSums = async (session: Session, student_id: string, range: StatsRange) => {
  const bounds = range.slices.map(({ starts_at }) => starts_at);
  const params = [session.org_id, student_id, range.starts_at, range.ends_at, bounds];
  const [lessons, marks] = await Promise.all([
    session.query(LESSONS, ...params),
    session.query(STUDENT_MARKS, ...params),
  ]);
  return new Sums(STUDENT_SUMS).add(lessons).add(marks);
};
