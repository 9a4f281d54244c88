import { notNull, instant, nullableColumns, p, type Session, statement } from '@teaching/kit';
import { BOOKED_SUMS, BOOKINGS, IS_BOOKED, MARK_SUMS, STUDENT_SUMS } from '../figures/student-totals.ts';
import { CLAZZ_OR_SLICE, CURRENT_GEN, groupedSums, sumsOf } from '../figures/sql-fragments.ts';
import { Sums } from '../figures/tally.rules.ts';
import type { StatsRange } from '../range/range.rules.ts';
import { CLAZZ } from '../records/clazz.ts';
import { IS_COUNTED } from '../records/lesson.ts';

const COUNTED = sumsOf(['scheduled', 'held'], 'f');
/** The lessons of the student's classes during the student's membership. */
const LESSONS = statement(
  groupedSums({
    clazz: 'f.clazz_id',
    at: 'f.at',
    bounds: '$5',
    sums: COUNTED.columns,
    rows: `from enrolment as e
      join clazz_figure as f on f.org_id = e.org_id and f.gen = e.gen and f.clazz_id = e.clazz_id
        and f.at >= $3 and f.at < $4 and e.during @> f.at
      where e.org_id = $1 and e.gen = ${CURRENT_GEN} and e.student_id = $2`,
  }),
  { ...CLAZZ_OR_SLICE, ...COUNTED.shape },
);

const STUDENT_MARKS = statement(
  groupedSums({
    clazz: 'm.clazz_id',
    at: 'm.at',
    bounds: '$5',
    sums: MARK_SUMS.columns,
    rows: `from mark as m where m.org_id = $1 and m.gen = ${CURRENT_GEN} and m.student_id = $2 and m.at >= $3 and m.at < $4`,
  }),
  { ...CLAZZ_OR_SLICE, ...MARK_SUMS.shape },
);

/** Booked make-up lessons in which the student has no mark yet. */
const BOOKED = statement(
  groupedSums({
    clazz: 'l.clazz_id',
    at: 'l.starts_at',
    bounds: '$5',
    sums: BOOKED_SUMS.columns,
    rows: `from ${BOOKINGS}
      where v.org_id = $1 and v.gen = ${CURRENT_GEN} and v.student_id = $2 and l.starts_at >= $3 and l.starts_at < $4
        and ${IS_COUNTED} and ${IS_BOOKED}`,
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

const UPCOMING_LESSONS = 10;

/** The next lessons of the student's classes, and the next booked make-up lessons. */
const UPCOMING = statement(
  `select l.id as lesson_id, l.clazz_id, c.name, c.name as clazz_name, l.starts_at, l.ends_at
   from (
     select l.* from enrolment as e
     cross join lateral (
       select * from lesson
       where org_id = e.org_id and gen = e.gen and clazz_id = e.clazz_id and starts_at > $3 and status = 'scheduled'
         and e.during @> starts_at
       order by starts_at, id limit ${UPCOMING_LESSONS}
     ) as l
     where e.org_id = $1 and e.gen = ${CURRENT_GEN} and e.student_id = $2 and (upper_inf(e.during) or upper(e.during) > $3)
     union
     select l.* from ${BOOKINGS}
     where v.org_id = $1 and v.gen = ${CURRENT_GEN} and v.student_id = $2 and v.make_up_lesson_id is not null
       and l.starts_at > $3 and l.status = 'scheduled'
   ) as l
   left join lateral (select name from clazz where org_id = l.org_id and gen = l.gen and id = l.clazz_id offset 0) as c on true
   order by l.starts_at, l.id limit ${UPCOMING_LESSONS}`,
  {
    lesson_id: notNull(p.uuid()),
    clazz_id: notNull(p.uuid()),
    ...nullableColumns(CLAZZ.pick('name').shape),
    clazz_name: p.text().nullable(),
    starts_at: notNull(instant()),
    ends_at: notNull(instant()),
  },
);

export const upcomingLessons = (session: Session, student_id: string) =>
  session.query(UPCOMING, session.org_id, student_id, session.now);
