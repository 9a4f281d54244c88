import { type leaveCalls, type Lesson, Problem } from '@teaching/contracts';
import { type Handler, notNull, p, type Session, statement } from '@teaching/kit';
import type { LeaveState, Seat } from '../cascade/cascade.rules.ts';
import { requireQuota } from './check-leave-request.ts';
import { applyDecision } from './decide-leave.ts';
import { invalidTransition, requireDecider } from './leave.rules.ts';
import { lockLeaveOfAnyStatus } from './lock-leave.ts';
import { requireStudentFree } from './make-up-booking.ts';
import { isMarkedByLeave } from './roll-call.rules.ts';

const NEWER = statement(
  `select exists (select from leave
     where org_id = $1 and lesson_id = $2 and student_id = $3 and id > $4) as found`,
  { found: notNull(p.boolean()) },
);

/** 409 `leave_exists` when the student requested leave for the lesson again. */
const requireNewest = async (session: Session, { id, lesson_id, student_id }: LeaveState): Promise<void> => {
  const newer = await session.queryOne(NEWER, session.org_id, lesson_id, student_id, id);
  if (newer?.found !== true) return;
  throw new Problem('leave_exists', {
    detail: 'The student has a newer leave for this lesson',
    members: { lesson_ids: [lesson_id] },
  });
};

/**
 * Reopening is possible for an approved or rejected leave of a member of the class until the lesson begins, also if its
 * roll call was taken early. 409 `make_up_booked` for a leave whose credit is used.
 */
const requireReopenable = (
  { status, credit }: Pick<LeaveState, 'status' | 'credit'>,
  lesson: Pick<Lesson, 'status' | 'starts_at'>,
  seat: Seat | undefined,
  now: Date,
): Seat => {
  if (status !== 'approved' && status !== 'rejected') throw invalidTransition('pending')(status);
  if (lesson.starts_at <= now.toISOString()) throw new Problem('invalid_transition', 'The lesson has begun');
  if (lesson.status === 'cancelled') throw new Problem('invalid_transition', 'The lesson is cancelled');
  if (seat?.enrolled !== true) throw new Problem('invalid_transition', 'The student is not enrolled at this lesson');
  if (credit !== null && credit.lesson_id !== null) throw new Problem('make_up_booked');
  return seat;
};

/**
 * Makes an approved or rejected leave pending again, as if it had not been decided (rules, part 11). The credit ends, and
 * a mark that came from the leave is withdrawn. 409 `schedule_conflict` when the student now has another lesson at that
 * time.
 */
export const reopenLeave: Handler<typeof leaveCalls.reopenLeave> = async ({ path, body }, session) => {
  const locked = await lockLeaveOfAnyStatus(session, path.id, requireDecider(session.access));
  const { leave, policy, state } = locked;
  const { lesson } = state;
  const seat = requireReopenable(leave, lesson, locked.seat, session.now);
  if (leave.status === 'approved') await requireStudentFree(session, lesson.id, leave.student_id);
  else {
    await requireNewest(session, leave);
    const quota = leave.override_reason === null ? policy.leave.quota_per_30_days : null;
    await requireQuota(session, leave.student_id, [lesson], quota, policy);
  }
  const reopened = {
    ...leave,
    status: 'pending' as const,
    decided_by: null,
    decided_at: null,
    decision_reason: null,
    credit: null,
  };
  const instruction = isMarkedByLeave(seat) ? { leave: reopened, mark: null } : { leave: reopened };
  return applyDecision(session, { ...locked, seat }, instruction, body?.reason);
};
