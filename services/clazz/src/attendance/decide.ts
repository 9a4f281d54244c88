import type { Leave } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { toLeave } from '../cascade/leave-row.ts';
import { runCascade } from '../cascade/run-cascade.ts';
import { setUnmarked } from '../record/expected-students.ts';
import type { Instruction, LeaveState } from '../cascade/seat.ts';
import type { LockedLeave } from './lock-leave.ts';

/** A leave as the caller decides it now. */
export const decided = (leave: LeaveState, status: LeaveState['status'], session: Session): LeaveState => ({
  ...leave,
  status,
  decided_by: session.actor_id,
  decided_at: session.now.toISOString(),
});

/** Lets the cascade follow a decision, and answers the leave as it then is. */
export const decide = async (
  session: Session,
  { policy, state, seat }: LockedLeave,
  instruction: Instruction,
  reason: string | null = null,
): Promise<Leave> => {
  const instructions = new Map([[seat.student_id, instruction]]);
  const request = { policy, lessons: [state], instructions, reason, because: 'leave decided' as const };
  const [after] = await runCascade(session, request);
  const now = after?.seats.find((it) => it.student_id === seat.student_id);
  if (now?.mark?.mark != null) {
    setUnmarked(session, [{ lesson_id: state.lesson.id, student_id: seat.student_id, unmarked: false }]);
  }
  const leave = now?.leave;
  if (leave == null) throw new Error(`the leave of ${seat.student_id} went missing`);
  return toLeave(leave, session.now.toISOString());
};
