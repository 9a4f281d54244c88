import type { Enrolment } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { LESSON } from '../record/record.tables.ts';
import { setUnmarked } from '../record/expected-students.ts';
import { isMarked } from './cascade.rules.ts';
import { runCascade } from './run-cascade.ts';
import { lockSeats } from './lock-seats.ts';

const LEAVES_OF = (enrolments: string): string => `enrolment e
   join leave v on v.org_id = e.org_id and v.clazz_id = e.clazz_id and v.student_id = e.student_id
   join lesson l on l.org_id = v.org_id and l.id = v.lesson_id
   where e.org_id = $1 and e.id = any(${enrolments}::uuid[])`;
const IS_ENROLLED = `exists (select from enrolment_period p where p.org_id = v.org_id and p.clazz_id = v.clazz_id
  and p.student_id = v.student_id and p.during @> l.starts_at)`;
/**
 * Records the enrolment with whose end leave ended, from the moment `$5` on: for the ended enrolments `$2`. It is removed
 * where the active ones `$4` contain the lesson, and for the resumed ones `$3` wherever the lesson was moved meanwhile,
 * unless it was moved into the ended membership and held there. Cancelled lessons are included, because they may be
 * restored.
 */
const RECORD_ENDED = statement(
  `with changed as (
     select v.id, e.id as enrolment_id from ${LEAVES_OF('$2')} and v.ended_enrolment_id is null and not ${IS_ENROLLED}
       and (v.status in ('pending', 'approved') or v.ended_from is not null) and l.starts_at >= $5
     union all
     select v.id, null from ${LEAVES_OF('$3')} and v.ended_enrolment_id = e.id
       and (l.status = 'held' and l.starts_at < e.left_at) is not true
     union
     select v.id, null from ${LEAVES_OF('$4')} and v.ended_enrolment_id is not null and ${IS_ENROLLED}
       and l.starts_at >= $5
   )
   update leave v set ended_enrolment_id = c.enrolment_id from changed c where v.org_id = $1 and v.id = c.id
   returning v.lesson_id as id`,
  LESSON.pick('id').shape,
);

/**
 * Lessons from a moment on for which these students have leave. Marks stay when students join or leave, and so does the
 * charge of a cancelled lesson. `$5` are lessons whose leave is restored.
 */
const TOUCHED = statement(
  `select l.id from lesson l
   where l.org_id = $1 and l.clazz_id = $2 and (l.starts_at >= $4 or l.id = any($5::uuid[])) and l.status <> 'cancelled'
     and exists (select from leave v where v.org_id = $1 and v.lesson_id = l.id and v.student_id = any($3::text[])
       and (v.status in ('pending', 'approved') or v.ended_from is not null))`,
  LESSON.pick('id').shape,
);

/**
 * The change of an enrolment. `before` is null for a new one. A student with another `after.status` than `active` has left
 * at `session.now`.
 */
interface EnrolmentChange {
  before: Enrolment | null;
  after: Enrolment;
}

/** A new student may belong to the class since an earlier moment. Changes of former members count from now. */
const firstMoment = (session: Session, changes: readonly EnrolmentChange[]): string => {
  const joined = changes.filter(({ before, after }) => before === null && after.status === 'active');
  return joined.reduce((first, { after }) => (after.since < first ? after.since : first), session.now.toISOString());
};

const idsOf = (changes: readonly EnrolmentChange[]): string[] => changes.map(({ after }) => after.id);

/**
 * Records which leave ended with an enrolment and stays ended. Returns the lessons of this leave.
 * Call it after the enrolments and periods are written and before the expected students are updated. `closed_at` is set
 * when a class is reopened: the moment at which its enrolments ended.
 */
export const recordEndedLeave = async (
  session: Session,
  changes: readonly EnrolmentChange[],
  closed_at: string | null,
): Promise<string[]> => {
  const ended = changes.filter(({ before, after }) => before?.status === 'active' && after.status !== 'active');
  const activated = changes.filter(({ after }) => after.status === 'active');
  const resumed = activated.filter(({ before }) => before !== null && before.status !== 'waiting');
  const ids = [idsOf(ended), idsOf(resumed), idsOf(activated)] as const;
  const rows = await session.query(RECORD_ENDED, session.org_id, ...ids, closed_at ?? firstMoment(session, changes));
  return rows.map((row) => row.id);
};

interface EnrolmentCascade {
  /** The lessons that `recordEndedLeave` returned. */
  recorded: readonly string[];
  /** Required when a back-dated enrolment changes the results of a lesson after its edit window. */
  reason?: string | null | undefined;
  closed_at: string | null;
}

/**
 * Runs the cascade after enrolments of one class changed.
 * Call it in the transaction of the change, after the expected students are updated and before lessons of the class
 * change.
 */
export const cascadeEnrolmentChanges = async (
  session: Session,
  clazz_id: string,
  changes: readonly EnrolmentChange[],
  { recorded, reason: reasonGiven = null, closed_at }: EnrolmentCascade,
): Promise<void> => {
  const students = new Set(changes.map(({ after }) => after.student_id));
  const from = firstMoment(session, changes);
  const ofStudents = [session.org_id, clazz_id, [...students]] as const;
  const affected = await session.query(TOUCHED, ...ofStudents, closed_at ?? from, recorded);
  if (affected.length === 0) return;
  const { policy, lessons } = await lockSeats(
    session,
    affected.map((row) => row.id),
  );
  const affectedSeats = lessons.map((state) => ({
    ...state,
    seats: state.seats.filter((seat) => students.has(seat.student_id)),
  }));
  const reason = reasonGiven ?? 'the enrolment was changed';
  const trigger = from < session.now.toISOString() ? 'enrolment dated back' : 'enrolment changed';
  const after = await runCascade(session, { policy, lessons: affectedSeats, reason, trigger, reasonGiven });
  // Restored leave may have become the mark of a held lesson.
  const marked = after.flatMap(({ lesson, seats }) =>
    seats.filter(isMarked).map(({ student_id }) => ({ lesson_id: lesson.id, student_id, unmarked: false })),
  );
  setUnmarked(session, marked);
};
