import type { Session } from '@teaching/kit';
import type { Loaded } from '../cascade/lesson-state.ts';
import { runCascade } from '../cascade/run-cascade.ts';
import type { LeaveState } from '../cascade/seat.ts';
import { isApprovedAtOnce } from './leave-request.rules.ts';
import { newCredit } from './leave.rules.ts';

/** Approves leave that was just asked for, where policy does so by itself: nobody is named as who decided. */
export const approveAtOnce = async (
  session: Session,
  { policy, lessons }: Loaded,
  leave: LeaveState,
): Promise<void> => {
  const state = lessons.find(({ lesson }) => lesson.id === leave.lesson_id);
  if (state === undefined || !isApprovedAtOnce(policy, state.lesson, leave.in_time, session.now)) return;
  const { student_id } = leave;
  const seats = state.seats.map((seat) => (seat.student_id === student_id ? { ...seat, leave } : seat));
  const credit = newCredit(policy, state.lesson.ends_at, session.now);
  const approved = { ...leave, status: 'approved' as const, decided_at: session.now.toISOString(), credit };
  await runCascade(session, {
    policy,
    lessons: [{ ...state, seats }],
    instructions: new Map([[student_id, { leave: approved }]]),
    reason: null,
    because: 'leave decided',
  });
};
