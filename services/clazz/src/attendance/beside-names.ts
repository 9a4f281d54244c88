import { hourCalls, type Lesson } from '@teaching/contracts';
import { always, orNull, p, type Session, statement } from '@teaching/kit';
import { HOUR_ACCOUNT } from '../hours/hour-account.table.ts';
import { studentsOf } from '../hours/taught-by.ts';

/**
 * Of each student (`$2`) at a lesson of the class `$3` that starts at `$4`: what they have left, to the callers who may read their
 * account (`$5`, the teacher by whose students this goes, is null for callers who may read all; `$6` is a caller who may read
 * their own), and at how many lessons of the class before it they were, of those with a mark. Each
 * account and mark is looked up by its key.
 */
const BESIDE = statement(
  `select s.student_id, h.balance, m.present, m.of
   from unnest($2::text[]) as s (student_id)
   left join lateral (
     select balance from hour_account where org_id = $1 and student_id = s.student_id
       and ($5::text is null or s.student_id = $6::text or s.student_id = any(array(${studentsOf('$1', '$5')})))
     limit 1) h on true
   cross join lateral (
     select count(*) filter (where k.mark in ('present', 'late', 'makeup', 'trial'))::int as present, count(*)::int as of
     from lesson l cross join lateral (
       select mark from mark_revision where org_id = l.org_id and lesson_id = l.id and student_id = s.student_id
       order by revision desc limit 1) k
     where l.org_id = $1 and l.clazz_id = $3 and l.starts_at < $4 and l.status = 'held' and k.mark is not null) m`,
  {
    student_id: always(p.text()),
    ...orNull(HOUR_ACCOUNT.some('balance').shape),
    present: always(p.integer()),
    of: always(p.integer()),
  },
);

const NOTHING = { hours_left: null, attended: { present: 0, of: 0 } };

/** By which people the caller may read accounts: those of a teacher's students, and the caller's own. */
const accountsSeen = (session: Session): [teacher: string | null, self: string | null] => {
  const reach = session.reachOf(hourCalls.getHourAccount);
  const { user_id } = session.caller;
  return [reach.goesBy('teacher') ? user_id : null, reach.covers({ self: user_id, teacher: false }) ? user_id : null];
};

/** What stands beside names in a roll call, by one statement. */
export const besideNames = async (
  session: Session,
  { clazz_id, starts_at }: Pick<Lesson, 'clazz_id' | 'starts_at'>,
  seats: readonly { student_id: string }[],
) => {
  const students = seats.map((seat) => seat.student_id);
  const rows =
    students.length === 0
      ? []
      : await session.query(BESIDE, session.org_id, students, clazz_id, starts_at, ...accountsSeen(session));
  const known = new Map(
    rows.map(({ student_id, balance, present, of }) => [
      student_id,
      { hours_left: balance, attended: { present, of } },
    ]),
  );
  return (student_id: string) => known.get(student_id) ?? NOTHING;
};
