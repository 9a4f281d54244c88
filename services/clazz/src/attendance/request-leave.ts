import { type leaveCalls, unknownIds } from '@teaching/contracts';
import { type Handler, newId } from '@teaching/kit';
import { LEAVE } from '../cascade/leave.table.ts';
import { toLeave } from '../cascade/leave-row.ts';
import { lockSeats } from '../cascade/load-seats.ts';
import { tellLeaves } from '../cascade/tell-leaves.ts';
import { checkRequest, newLeaves, studentOf } from './leave-request.rules.ts';
import { requestedLessons } from './requested-lessons.ts';
import { requireQuota } from './require-quota.ts';

/** Asks for leave from one lesson, or from each lesson of a range: all of them or none. */
export const requestLeave: Handler<typeof leaveCalls.request> = async ({ body }, session) => {
  const { org_id, caller, now } = session;
  const student_id = studentOf(caller, body.student_id);
  const ids = await requestedLessons(session, student_id, body);
  const { policy, lessons } = await lockSeats(session, ids);
  if (lessons.length === 0) throw unknownIds([{ path: '/body/lesson_id', message: 'does not exist' }]);
  checkRequest(lessons, student_id, caller);
  const request = { student_id, reason: body.reason, requested_by: caller.user_id };
  const leaves = newLeaves(lessons, request, policy, now, newId);
  const starts = lessons.map(({ lesson }) => lesson.starts_at);
  await requireQuota(session, student_id, starts, policy.leave.quota_per_30_days);
  session.insert(LEAVE, ...leaves.map(({ credit: _none, ...leave }) => ({ org_id, ...leave })));
  tellLeaves(
    session,
    leaves.map((after) => ({ before: null, after })),
    body.reason,
  );
  return { items: leaves.map((leave) => toLeave(leave, now.toISOString())) };
};
