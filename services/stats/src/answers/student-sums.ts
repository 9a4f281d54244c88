import { type Session, statement } from '@teaching/kit';
import { BOOKED_SUMS, BOOKINGS, IS_BOOKED, MARK_SUMS, STUDENT_SUMS } from '../figures/lessons-of-student.ts';
import { CLAZZ_OR_SLICE, GEN, inParts, sumsOf } from '../figures/sql.ts';
import { Sums } from '../figures/tally.rules.ts';
import { COUNTS } from '../records/lesson/explain.ts';
import type { StatsRange } from '../range/range.rules.ts';

const COUNTED = sumsOf(['scheduled', 'held'], 'f');
/** What the student's classes did while the student belonged to them. */
const LESSONS = statement(
  inParts({
    clazz: 'f.clazz_id',
    at: 'f.at',
    sums: COUNTED.columns,
    rows: `from enrolment as e
      join clazz_figure as f on f.org_id = e.org_id and f.gen = e.gen and f.clazz_id = e.clazz_id
        and f.at >= $3 and f.at < $4 and e.during @> f.at
      where e.org_id = $1 and e.gen = ${GEN} and e.student_id = $2`,
  }),
  { ...CLAZZ_OR_SLICE, ...COUNTED.shape },
);

const STUDENT_MARKS = statement(
  inParts({
    clazz: 'm.clazz_id',
    at: 'm.at',
    sums: MARK_SUMS.columns,
    rows: `from mark as m where m.org_id = $1 and m.gen = ${GEN} and m.student_id = $2 and m.at >= $3 and m.at < $4`,
  }),
  { ...CLAZZ_OR_SLICE, ...MARK_SUMS.shape },
);

/** Lessons where the student makes up, until there is a mark. */
const BOOKED = statement(
  inParts({
    clazz: 'l.clazz_id',
    at: 'l.starts_at',
    sums: BOOKED_SUMS.columns,
    rows: `from ${BOOKINGS}
      where v.org_id = $1 and v.gen = ${GEN} and v.student_id = $2 and l.starts_at >= $3 and l.starts_at < $4
        and ${COUNTS} and ${IS_BOOKED}`,
  }),
  { ...CLAZZ_OR_SLICE, ...BOOKED_SUMS.shape },
);

export const studentSums = async (session: Session, student_id: string, range: StatsRange) => {
  const bounds = range.slices.map(({ starts_at }) => starts_at);
  const params = [session.org_id, student_id, range.starts_at, range.ends_at, bounds] as const;
  const [lessons, marks, booked] = await Promise.all([
    session.query(LESSONS, ...params),
    session.query(STUDENT_MARKS, ...params),
    session.query(BOOKED, ...params),
  ]);
  return new Sums(STUDENT_SUMS).add(lessons).add(marks).add(booked);
};
