import type { Input, leaveCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { LEAVE } from '../cascade/leave.table.ts';
import { lockSeats } from '../cascade/load-seats.ts';
import { auditLeaves, publishLeaveEvents } from '../cascade/tell-leaves.ts';
import { approveAtOnce } from './approve-at-once.ts';
import { askedLeaves, requireKnown } from './asked-leave.ts';
import type { LeaveRequest } from './leave-request.rules.ts';
import { writtenLeaves } from './leave-shown.ts';
import { requestedLessons } from './requested-lessons.ts';
import { requireQuota } from './require-quota.ts';

export const ONLY_SELF = 'Students ask for leave for themselves only';

const requestOf = (
  { reason, called_at = null, called_by = null, override_reason = null }: Input<typeof leaveCalls.requestLeave>['body'],
  student_id: string,
  requested_by: string,
): LeaveRequest => ({
  student_id,
  reason,
  requested_by,
  called_at,
  called_by: called_by ?? (called_at === null ? null : student_id),
  override_reason,
});

/** Asks for leave from one lesson, or from each lesson of a range: all of them or none. */
export const requestLeave: Handler<typeof leaveCalls.requestLeave> = async ({ body }, session) => {
  const student_id = session.reach.studentAsked(body.student_id, '/body/student_id', ONLY_SELF);
  const loaded = await lockSeats(session, await requestedLessons(session, student_id, body));
  await requireKnown(session, loaded, student_id, '/body');
  const request = requestOf(body, student_id, session.actor_id);
  const leaves = await askedLeaves(session, loaded, request, '/body');
  const quota = request.override_reason === null ? loaded.policy.leave.quota_per_30_days : null;
  const wanted = loaded.lessons.map(({ lesson }) => lesson);
  await requireQuota(session, student_id, wanted, quota);
  session.insert(LEAVE, ...leaves.map(({ credit: _none, ...leave }) => ({ org_id: session.org_id, ...leave })));
  session.publishOnCommit(publishLeaveEvents, leaves);
  auditLeaves(
    session,
    leaves.map((after) => ({ before: null, after })),
    body.reason,
  );
  for (const leave of leaves) await approveAtOnce(session, loaded, leave);
  const ids = leaves.map(({ id }) => id);
  return { items: await writtenLeaves(session, ids) };
};
