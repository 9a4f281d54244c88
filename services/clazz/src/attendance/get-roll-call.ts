import { notFound, type rollCallCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { windowCloses } from '../cascade/edit-window.rules.ts';
import { readSeats } from '../cascade/load-seats.ts';
import { isListed } from '../cascade/seat.ts';
import { besideNames } from './beside-names.ts';
import { rollCallOpens, shownLeave, toRow } from './roll-call.rules.ts';
import { namesIn, shownRollCall } from './shown-roll-call.ts';

export const getRollCall: Handler<typeof rollCallCalls.getRollCall> = async ({ path }, session) => {
  const { policy, lessons } = await readSeats(session, [path.lesson_id]);
  const [state] = lessons;
  if (state === undefined) throw notFound('Lesson');
  const { lesson } = state;
  auditRead(session, 'roll_call', [lesson.clazz_id], lesson.id);
  const seats = state.seats.filter(isListed);
  const [nameOf, beside] = await Promise.all([namesIn(session, state), besideNames(session, lesson, seats)]);
  const shown = shownRollCall(state, seats.map(toRow), nameOf);
  const leaveOf = new Map(seats.map((seat) => [seat.student_id, shownLeave(seat)]));
  return {
    lesson: shown.lesson,
    marks: shown.marks.map((row) => ({
      ...row,
      leave: leaveOf.get(row.student_id) ?? null,
      ...beside(row.student_id),
    })),
    opens_at: rollCallOpens(lesson, policy),
    closes_at: windowCloses(lesson, policy),
  };
};
