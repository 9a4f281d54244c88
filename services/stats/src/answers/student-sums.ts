import { type Session, statement } from '@teaching/kit';
import { CLAZZ_FIGURE } from '../figures/clazz-figure.table.ts';
import { MARK_SUMS, STUDENT_SUMS } from '../figures/lessons-of-student.ts';
import { GEN, SLICE, sliceOf, sumsOf } from '../figures/sql.ts';
import { Sums } from '../figures/tally.rules.ts';
import type { StatsRange } from '../range/range.rules.ts';
import { MARK } from '../records/mark/table.ts';

const COUNTED = sumsOf(['scheduled', 'held'], 'f');
/** What the student's classes did while the student belonged to them. */
const LESSONS = statement(
  `select f.clazz_id, ${sliceOf('f.at', '$5')} as slice, ${COUNTED.columns}
   from enrolment as e
   join clazz_figure as f on f.org_id = e.org_id and f.gen = e.gen and f.clazz_id = e.clazz_id
     and f.at >= $3 and f.at < $4 and e.during @> f.at
   where e.org_id = $1 and e.gen = ${GEN} and e.student_id = $2
   group by 1, 2`,
  { ...CLAZZ_FIGURE.some('clazz_id').shape, ...SLICE, ...COUNTED.shape },
);

const STUDENT_MARKS = statement(
  `select m.clazz_id, ${sliceOf('m.at', '$5')} as slice, ${MARK_SUMS.columns}
   from mark as m
   where m.org_id = $1 and m.gen = ${GEN} and m.student_id = $2 and m.at >= $3 and m.at < $4
   group by 1, 2`,
  { ...MARK.some('clazz_id').shape, ...SLICE, ...MARK_SUMS.shape },
);

export const studentSums = async (session: Session, student_id: string, range: StatsRange) => {
  const bounds = range.slices.map(({ starts_at }) => starts_at);
  const params = [session.org_id, student_id, range.starts_at, range.ends_at, bounds] as const;
  const [lessons, marks] = await Promise.all([
    session.query(LESSONS, ...params),
    session.query(STUDENT_MARKS, ...params),
  ]);
  return new Sums(STUDENT_SUMS).add(lessons).add(marks);
};
