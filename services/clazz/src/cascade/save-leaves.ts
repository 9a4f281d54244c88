import { type Session, statement } from '@teaching/kit';
import { type At, expectAt } from '../record/expected-students.ts';
import { noteFreed } from '../record/freed.ts';
import { LEAVE } from './leave.table.ts';
import { MAKE_UP_CREDIT } from './make-up-credit.table.ts';
import { auditHostClasses } from './tell-hosts.ts';
import { auditLeaves, type LeaveChange, publishLeaveEvents } from './tell-leaves.ts';

const SAVE_CREDITS = statement(
  `insert into make_up_credit (${MAKE_UP_CREDIT.columns})
   select ${MAKE_UP_CREDIT.columns} from ${MAKE_UP_CREDIT.given('$1')}
   on conflict (org_id, leave_id) do update set status = excluded.status, lesson_id = excluded.lesson_id,
     ended_lesson_id = excluded.ended_lesson_id, ended_at = excluded.ended_at`,
);

/** Where a change of leave or booking makes somebody expected, excused or neither. */
const seatsOf = ({ before, after }: LeaveChange): At[] => {
  const { student_id } = after;
  const isOther = before?.credit?.lesson_id !== after.credit?.lesson_id;
  const booked = isOther ? [before?.credit?.lesson_id, after.credit?.lesson_id] : [];
  const missed = before?.status === after.status ? [] : [after.lesson_id];
  return [...booked, ...missed].flatMap((lesson_id) => (lesson_id == null ? [] : [{ lesson_id, student_id }]));
};

/** Leave that is approved frees the student's time, a booking that ends that and a place. */
const noteFreedBy = (session: Session, { before, after }: LeaveChange): void => {
  const booked = before?.credit?.lesson_id ?? null;
  const ended = booked === null || booked === after.credit?.lesson_id ? [] : [booked];
  const isAway = after.status === 'approved' && before?.status !== 'approved';
  if (isAway || ended.length > 0) noteFreed(session, { lesson_ids: ended, students: [after.student_id] });
};

/** Stores changed leaves with their credits and who is expected where, publishes them at commit and audits them. */
export const saveLeaves = async (
  session: Session,
  changes: readonly LeaveChange[],
  reason: string | null,
): Promise<void> => {
  if (changes.length === 0) return;
  const { org_id } = session;
  const leaves = changes.map(({ after }) => after);
  session.update(LEAVE, ...leaves.map(({ credit: _apart, ...leave }) => ({ org_id, ...leave })));
  const credits = leaves.flatMap(({ id, student_id, credit }) => {
    if (credit === null) return [];
    const { is_marked: _derived, ...stored } = credit;
    return [{ org_id, leave_id: id, student_id, ...stored }];
  });
  if (credits.length > 0) session.run(SAVE_CREDITS, MAKE_UP_CREDIT.rows(credits));
  expectAt(session, changes.flatMap(seatsOf));
  for (const change of changes) noteFreedBy(session, change);
  session.publishOnCommit(publishLeaveEvents, leaves);
  auditLeaves(session, changes, reason);
  await auditHostClasses(session, changes, reason);
};
