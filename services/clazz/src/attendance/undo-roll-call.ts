import { type Lesson, Problem } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { lockSeats } from '../cascade/load-seats.ts';
import { runCascade } from '../cascade/run-cascade.ts';
import { isMarked } from '../cascade/seat.ts';
import { followsFromLeave } from './roll-call.rules.ts';

/**
 * Lets the marks of approved leave go with the roll call of a lesson that is put back to scheduled (`after`). While
 * anybody else's mark stands, that is 409 `invalid_transition`.
 */
export const undoRollCall = async (session: Session, after: Lesson, reason: string): Promise<void> => {
  const { policy, lessons } = await lockSeats(session, [after.id]);
  const marked = lessons.flatMap(({ seats }) => seats.filter(isMarked));
  const standing = marked.filter((seat) => !followsFromLeave(seat));
  if (standing.length > 0) {
    throw new Problem('invalid_transition', {
      detail: `${standing.length} mark(s) stand at the lesson; withdraw them first`,
      members: { from: 'held', to: 'scheduled' },
    });
  }
  const instructions = new Map(marked.map(({ student_id }) => [student_id, { mark: null }]));
  const states = lessons.map((state) => ({ ...state, lesson: after }));
  await runCascade(session, { policy, lessons: states, instructions, reason, because: 'roll call' });
};
