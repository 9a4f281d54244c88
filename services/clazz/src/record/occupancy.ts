import { notNull, bigint, p, type Session, statement } from '@teaching/kit';
import { LESSON } from './record.tables.ts';

/**
 * SQL: all students with a seat at a lesson `l`: members, suspended members (they keep their seat) and guests. Approved
 * leave does not free a seat (domain rules, section 11, "Make-ups").
 */
export const SEATED_STUDENTS = `(
  select p.student_id from enrolment_period p
  where p.org_id = l.org_id and p.clazz_id = l.clazz_id and p.during @> l.starts_at
  union
  select e.student_id from enrolment e
  where e.org_id = l.org_id and e.clazz_id = l.clazz_id and e.status = 'suspended' and e.since <= l.starts_at
  union
  select c.student_id from make_up_credit c where c.org_id = l.org_id and c.lesson_id = l.id
)`;
/**
 * SQL condition: the lesson has guests. A scalar subquery makes Postgres look up each lesson by key, independent of its
 * size estimates.
 */
const HAS_GUESTS = `(select true from make_up_credit c where c.org_id = l.org_id and c.lesson_id = l.id limit 1)`;

/** The room of a lesson `l` as `r`, if it is on the list of rooms. */
export const LISTED_ROOM = 'left join room r on r.org_id = l.org_id and r.name = l.room';
/** The capacity of a lesson of class `c` in room `r`: the smaller of both. Null is unlimited. */
export const LESSON_CAPACITY = 'least(c.capacity, r.capacity)';
/** SQL: the number of taken seats of a lesson `l`. */
export const TAKEN_SEATS = `(select count(*)::int from ${SEATED_STUDENTS} as s)`;
/**
 * SQL: the free seats of a lesson `l` of class `c` in room `r`; null without a limit. Never negative, even if class or room
 * are now smaller. Every figure of a lesson's free seats is this one.
 */
export const FREE_SEATS = `case when ${LESSON_CAPACITY} is not null
  then greatest(${LESSON_CAPACITY} - ${TAKEN_SEATS}, 0) end`;
/** SQL condition: the student has a seat at a lesson `l`. */
export const isSeated = (student: string): string =>
  `exists (select from ${SEATED_STUDENTS} as s where s.student_id = ${student})`;

const AT_LESSON = statement(
  `select ${isSeated('$3')} as seated, ${FREE_SEATS} as free
   from lesson l join clazz c on c.org_id = l.org_id and c.id = l.clazz_id ${LISTED_ROOM}
   where l.org_id = $1 and l.id = $2`,
  { seated: notNull(p.boolean()), free: p.integer().nullable() },
);
/** Whether a student has a seat at a lesson, and the number of its free seats; null without a limit. */
export const readSeat = (session: Session, lesson_id: string, student_id: string) =>
  session.queryOne(AT_LESSON, session.org_id, lesson_id, student_id);

const IN_CLAZZ = statement(
  `select greatest(
     (select count(*) from enrolment where org_id = $1 and clazz_id = $2 and status in ('active', 'suspended')),
     (select max((select count(*) from ${SEATED_STUDENTS} as s where s.student_id <> all($4::text[])))
      from lesson l
      where l.org_id = $1 and l.clazz_id = $2 and l.starts_at >= $3 and l.status <> 'cancelled' and ${HAS_GUESTS})
   ) as taken`,
  { taken: notNull(bigint()) },
);
/**
 * The number of taken seats of a class from a moment on. Suspended students count, and so do the guests of the fullest
 * lesson. Joining students do not count.
 */
export const takenSeats = async (
  session: Session,
  clazz_id: string,
  since: string,
  joining: readonly string[] = [],
): Promise<number> => (await session.queryOne(IN_CLAZZ, session.org_id, clazz_id, since, joining))?.taken ?? 0;

const OVERFULL = statement(
  `select l.id from lesson l
   where l.org_id = $1 and l.id = any($2::uuid[]) and ${HAS_GUESTS} and ${TAKEN_SEATS} > $3`,
  LESSON.pick('id').shape,
);
/** The ids of those lessons whose guests make them exceed the capacity. */
export const findOverfullLessons = async (
  session: Session,
  lesson_ids: readonly string[],
  capacity: number | null,
): Promise<string[]> =>
  capacity === null ? [] : (await session.query(OVERFULL, session.org_id, lesson_ids, capacity)).map((row) => row.id);
