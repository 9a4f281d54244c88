import { type Mark, Problem, type RollCallRow, unknownIds, fromHundredths } from '@teaching/contracts';
import { type Caller, isSupervisor, MINUTE_MS, type Reach } from '@teaching/kit';
import { requireWindow, type WindowPolicy } from '../cascade/edit-window.rules.ts';
import { isListed, type Seat } from '../cascade/seat.ts';
import type { LessonState } from '../cascade/lesson-state.ts';
import { standingAt } from '../record/access.rules.ts';

export const requireMarker = (reach: Reach, state: LessonState): void =>
  reach.require(standingAt(state), 'Roll call is taken by the teachers of the class');

/**
 * When roll call may be taken or corrected: from a little before the lesson until the edit window after its end
 * is over; then by a supervisor who says why.
 */
export const requireTime = (
  { lesson }: LessonState,
  policy: WindowPolicy,
  who: { caller: Caller; reason: string | null | undefined },
  now: Date,
): void => {
  if (lesson.status === 'cancelled') throw new Problem('invalid_transition', 'The lesson is cancelled');
  const opens = Date.parse(lesson.starts_at) - policy.roll_call.lead_minutes * MINUTE_MS;
  if (now.getTime() < opens) {
    throw new Problem('roll_call_too_early', `Roll call opens at ${new Date(opens).toISOString()}`);
  }
  requireWindow(lesson, policy, who, now);
};

/** A mark is withdrawn by a supervisor who says why. */
export const requireMayWithdraw = (
  caller: Caller,
  { marks, reason }: { marks: readonly { mark: Mark | null }[]; reason?: string | null | undefined },
): void => {
  if (marks.every(({ mark }) => mark !== null)) return;
  if (!isSupervisor(caller)) throw new Problem('forbidden', 'Only a supervisor may withdraw a mark');
  if (reason != null) return;
  throw new Problem('invalid_request', {
    errors: [{ path: '/body/reason', message: 'is needed to withdraw a mark' }],
  });
};

/** Marks are for who is listed; names every other one. */
export const requireListed = (seats: readonly Seat[], marks: readonly { student_id: string }[]): void => {
  const listed = new Set(seats.filter(isListed).map((seat) => seat.student_id));
  const errors = marks.flatMap(({ student_id }, index) =>
    listed.has(student_id)
      ? []
      : [{ path: `/body/marks/${index}/student_id`, message: 'is not listed at this lesson' }],
  );
  if (errors.length > 0) throw unknownIds(errors);
  if (marks.length === 0 && listed.size > 0) {
    throw new Problem('invalid_request', { errors: [{ path: '/body/marks', message: 'must not be empty' }] });
  }
};

/** An approved leave is the mark of a held lesson by itself; nobody has to have said so. */
export const followsFromLeave = ({ mark, leave }: Seat): boolean =>
  mark?.mark === 'leave' && leave?.status === 'approved';

/** A seat as it is shown. Where no mark stands, an approved leave presets it. */
export const toRow = ({ student_id, mark, leave, guest }: Seat): RollCallRow => ({
  student_id,
  mark: mark?.mark ?? (leave?.status === 'approved' ? 'leave' : null),
  revision: mark?.revision ?? 0,
  marked_by: mark?.marked_by ?? null,
  marked_at: mark?.marked_at ?? null,
  charged_hours: fromHundredths(mark?.charged_hours ?? 0),
  note: mark?.note ?? null,
  make_up: guest,
});
