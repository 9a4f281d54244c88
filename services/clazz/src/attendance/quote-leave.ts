import { fromHundredths, type leaveCalls, type LeaveRefusal, unknownIds } from '@teaching/contracts';
import type { Handler, Session } from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { chargeOf, chargeRuleOf } from '../cascade/cascade.rules.ts';
import { type LoadedSeats, readSeats } from '../cascade/lock-seats.ts';
import {
  checkAndCreateLeaves,
  requireBelowQuota,
  requireLessonAndStudent,
  otherLeaveStarts,
} from './check-leave-request.ts';
import {
  deadlineOf,
  isApprovedAtOnce,
  isInTime,
  refusalOf,
  requireRequester,
  quotaUsed,
} from './leave-request.rules.ts';
import { newCredit } from './leave.rules.ts';
import { OWN_LEAVE_ONLY } from './request-leave.ts';

/** The code of the first check that would refuse the request, in the order of `requestLeave`; null if none. */
const refusal = async (
  session: Session,
  loaded: LoadedSeats,
  student_id: string,
  taken: readonly string[],
): Promise<LeaveRefusal | null> => {
  const withoutNotice = { called_at: null, called_by: null, override_reason: null };
  const request = { student_id, reason: '?', requested_by: session.actor_id, ...withoutNotice };
  try {
    await checkAndCreateLeaves(session, loaded, request, '/query');
    const wanted = loaded.lessons.map(({ lesson }) => lesson);
    requireBelowQuota(taken, wanted, loaded.policy.leave.quota_per_30_days, loaded.policy);
    return null;
  } catch (error) {
    return refusalOf(error);
  }
};

/**
 * The consequences of requesting leave from a lesson. Nothing is reserved, so a later request may be answered
 * differently.
 */
export const quoteLeave: Handler<typeof leaveCalls.quoteLeave> = async ({ query }, session) => {
  const student_id = session.access.requestedStudent(query.student_id, '/query/student_id', OWN_LEAVE_ONLY);
  const loaded = await readSeats(session, [query.lesson_id]);
  await requireLessonAndStudent(session, loaded, student_id, '/query');
  const { policy, lessons } = loaded;
  const [state] = lessons;
  if (state === undefined) throw unknownIds([{ path: '/query/lesson_id', message: 'does not exist' }]);
  requireRequester(session.access, student_id, state);
  const { lesson } = state;
  const taken = await otherLeaveStarts(session, student_id, [lesson.id]);
  const refused = await refusal(session, loaded, student_id, taken);
  const in_time = isInTime(lesson.starts_at, policy.leave.deadline_hours, session.now);
  const onLeave = chargeRuleOf('leave', { status: 'approved', in_time });
  const credit = newCredit(policy, lesson.ends_at, session.now);
  auditRead(session, 'leave', [lesson.clazz_id]);
  return {
    allowed: refused === null,
    refusal: refused,
    deadline: new Date(deadlineOf(lesson.starts_at, policy.leave.deadline_hours)).toISOString(),
    in_time,
    at_once: isApprovedAtOnce(policy, lesson, in_time, session.now),
    charge_hours: fromHundredths(chargeOf(lesson.hours, onLeave, policy)),
    absent_hours: fromHundredths(chargeOf(lesson.hours, 'absent', policy)),
    quota: { limit: policy.leave.quota_per_30_days, used: quotaUsed(taken, [lesson.starts_at], policy.zone) },
    make_up: credit && { expires_at: credit.expires_at },
    policy_version: policy.version,
  };
};
