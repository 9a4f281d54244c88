import { notNull, bigint, p, type Session, statement } from '@teaching/kit';
import { LESSON } from './record.tables.ts';

/** All students with a place at a lesson `l`: members, suspended members, who keep their place, and guests. */
export const PLACES = `(
  select p.student_id from enrolment_period p
  where p.org_id = l.org_id and p.clazz_id = l.clazz_id and p.during @> l.starts_at
  union
  select e.student_id from enrolment e
  where e.org_id = l.org_id and e.clazz_id = l.clazz_id and e.status = 'suspended' and e.since <= l.starts_at
  union
  select c.student_id from make_up_credit c where c.org_id = l.org_id and c.lesson_id = l.id
)`;
/** As a scalar: each lesson is looked up by the key, whatever the planner thinks of the sizes. */
const HAS_GUESTS = `(select true from make_up_credit c where c.org_id = l.org_id and c.lesson_id = l.id limit 1)`;

/** The room of a lesson `l` as `r`, if it is on the list of rooms. */
export const LISTED_ROOM = 'left join room r on r.org_id = l.org_id and r.name = l.room';
/** How many a lesson of a class `c` in a room `r` takes: as many as the smaller one; `null` is without limit. */
export const LESSON_CAPACITY = 'least(c.capacity, r.capacity)';

const AT_LESSON = statement(
  `select ${LESSON_CAPACITY} - (select count(*)::int from ${PLACES} as s where s.student_id <> $3) as free
   from lesson l join clazz c on c.org_id = l.org_id and c.id = l.clazz_id ${LISTED_ROOM}
   where l.org_id = $1 and l.id = $2`,
  { free: p.integer().nullable() },
);
/** Whether a student has, or could have, a place at a lesson. */
export const hasPlaceAt = async (session: Session, lesson_id: string, student_id: string): Promise<boolean> =>
  ((await session.queryOne(AT_LESSON, session.org_id, lesson_id, student_id))?.free ?? 1) > 0;

const IN_CLAZZ = statement(
  `select greatest(
     (select count(*) from enrolment where org_id = $1 and clazz_id = $2 and status in ('active', 'suspended')),
     (select max((select count(*) from ${PLACES} as s where s.student_id <> all($4::text[])))
      from lesson l
      where l.org_id = $1 and l.clazz_id = $2 and l.starts_at >= $3 and l.status <> 'cancelled' and ${HAS_GUESTS})
   ) as taken`,
  { taken: notNull(bigint()) },
);
/**
 * How many places of a class are taken from a moment on: suspended students keep theirs, and so do guests at a
 * lesson. Joining students are not counted.
 */
export const placesTaken = async (
  session: Session,
  clazz_id: string,
  since: string,
  joining: readonly string[] = [],
): Promise<number> => (await session.queryOne(IN_CLAZZ, session.org_id, clazz_id, since, joining))?.taken ?? 0;

const OVERFULL = statement(
  `select l.id from lesson l
   where l.org_id = $1 and l.id = any($2::uuid[]) and ${HAS_GUESTS} and (select count(*) from ${PLACES} as s) > $3`,
  LESSON.pick('id').shape,
);
/** Which of these lessons have more students than places because of their guests. */
export const isOverfull = async (
  session: Session,
  lesson_ids: readonly string[],
  capacity: number | null,
): Promise<string[]> =>
  capacity === null ? [] : (await session.query(OVERFULL, session.org_id, lesson_ids, capacity)).map((row) => row.id);
