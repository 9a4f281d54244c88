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
 * for the resumed ones `$3`, wherever the lesson was moved meanwhile, and where the new ones `$4` replace the membership.
 * Cancelled lessons are included, because they may be restored.
 */
const RECORD_ENDED = statement(
  `with changed as (
     select v.id, e.id as enrolment_id from ${LEAVES_OF('$2')} and v.ended_enrolment_id is null and not ${IS_ENROLLED}
       and (v.status in ('pending', 'approved') or v.ended_from is not null) and l.starts_at >= $5
     union all
     select v.id, null from ${LEAVES_OF('$3')} and v.ended_enrolment_id = e.id
     union all
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

interface EnrolmentChange {
  before: Enrolment | null;
  after: Enrolment;
}

/**
 * Runs the cascade after enrolments of one class changed.
 * Call it in the transaction of the change, after the enrolments and periods are written and before lessons of the
 * class change.
 * `before` is null for a new enrolment. A student with another `after.status` than `active` has left at `session.now`.
 * `reasonGiven` is required when a back-dated enrolment changes the results of a lesson after its edit window.
 * `closed_at` is set when a class is reopened: the moment at which its enrolments ended.
 */
export const cascadeEnrolmentChanges = async (
  session: Session,
  clazz_id: string,
  changes: readonly EnrolmentChange[],
  reasonGiven: string | null = null,
  closed_at: string | null = null,
): Promise<void> => {
  const students = new Set(changes.map(({ after }) => after.student_id));
  const now = session.now.toISOString();
  // A new student may belong to the class since an earlier moment. Changes of former members count from now.
  const joined = changes.filter(({ before, after }) => before === null && after.status === 'active');
  const from = joined.reduce((first, { after }) => (after.since < first ? after.since : first), now);
  const ended = changes.filter(({ before, after }) => before?.status === 'active' && after.status !== 'active');
  const activated = changes.filter(({ after }) => after.status === 'active');
  const isNew = ({ before }: EnrolmentChange): boolean => before === null || before.status === 'waiting';
  const idsOf = (some: readonly EnrolmentChange[]) => some.map(({ after }) => after.id);
  const resumed = idsOf(activated.filter((change) => !isNew(change)));
  const recorded = await session.query(
    RECORD_ENDED,
    session.org_id,
    idsOf(ended),
    resumed,
    idsOf(activated.filter(isNew)),
    from,
  );
  const of = [session.org_id, clazz_id, [...students], closed_at ?? from] as const;
  const affected = await session.query(
    TOUCHED,
    ...of,
    recorded.map((row) => row.id),
  );
  if (affected.length === 0) return;
  const { policy, lessons } = await lockSeats(
    session,
    affected.map((row) => row.id),
  );
  const theirs = lessons.map((state) => ({
    ...state,
    seats: state.seats.filter((seat) => students.has(seat.student_id)),
  }));
  const reason = reasonGiven ?? 'the enrolment was changed';
  const trigger = from < now ? 'enrolment dated back' : 'enrolment changed';
  const after = await runCascade(session, { policy, lessons: theirs, reason, trigger, reasonGiven });
  // Restored leave may have become the mark of a held lesson.
  const marked = after.flatMap(({ lesson, seats }) =>
    seats.filter(isMarked).map(({ student_id }) => ({ lesson_id: lesson.id, student_id, unmarked: false })),
  );
  setUnmarked(session, marked);
};
