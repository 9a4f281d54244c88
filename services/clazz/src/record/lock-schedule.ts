import { voidResult, type Session, statement, uniqueKey } from '@teaching/kit';

const BUCKETS = 64;
/**
 * Takes one lock for each bucket of people and rooms, in order. A class of 500 students costs at most 64 locks, and
 * transactions cannot deadlock.
 */
const LOCK = statement(
  `select own_turn($1::uuid, 'schedule ' || bucket) from (
     select distinct abs(hashtext(party) % ${BUCKETS}) as bucket from (
       select unnest($2::text[]) as party
       union all
       select 's ' || p.student_id from unnest($3::uuid[]) as c cross join lateral (
         select student_id from enrolment_period where org_id = $1::uuid and clazz_id = c offset 0) as p
       union all
       select 's ' || student_id from make_up_credit where org_id = $1::uuid and lesson_id = any(array(
         select id from lesson where org_id = $1::uuid and clazz_id = any($3::uuid[])))
     ) as involved order by bucket
   ) as ordered`,
  { own_turn: voidResult() },
);

interface Involved {
  teachers?: readonly string[];
  rooms?: readonly (string | null)[];
  students?: readonly string[];
  /** All students who are or were in these classes, and their guests. */
  clazz_ids?: readonly string[];
}

/**
 * Serializes transactions that schedule the same people or rooms. A query can then find and name a clash before a
 * constraint refuses it. Spellings of one room name count as the same room.
 * Call it once, after the locks of classes.
 */
export const lockSchedule = async (session: Session, involved: Involved): Promise<void> => {
  const { teachers = [], rooms = [], students = [], clazz_ids = [] } = involved;
  const names = [
    ...teachers.map((id) => `t ${id}`),
    ...rooms.flatMap((room) => (room === null ? [] : [`r ${uniqueKey(room)}`])),
    ...students.map((id) => `s ${id}`),
  ];
  await session.query(LOCK, session.org_id, names, clazz_ids);
};
