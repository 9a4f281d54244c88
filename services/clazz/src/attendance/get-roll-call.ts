import { notFound, type rollCallCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { readSeats } from '../cascade/load-seats.ts';
import { isListed } from '../cascade/seat.ts';
import { toRow } from './roll-call.rules.ts';
import { shownRollCall } from './shown-roll-call.ts';

export const getRollCall: Handler<typeof rollCallCalls.get> = async ({ path }, session) => {
  const [state] = (await readSeats(session, [path.lesson_id])).lessons;
  if (state === undefined) throw notFound('Lesson');
  const { lesson, seats } = state;
  auditRead(session, 'roll_call', [lesson.clazz_id], lesson.id);
  return shownRollCall(session, state, seats.filter(isListed).map(toRow));
};
