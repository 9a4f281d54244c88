import { p } from '@mikro-orm/postgresql';
import { type Input, type leaveCalls, unknownIds } from '@teaching/contracts';
import { always, type Handler, newId, type Session, statement } from '@teaching/kit';
import { requireListedStudents } from '../record/require-listed.ts';
import { requireOpen } from '../record/access.rules.ts';
import { requireWindowOfHeld } from '../cascade/edit-window.rules.ts';
import type { LessonState } from '../cascade/lesson-state.ts';
import { LEAVE } from '../cascade/leave.table.ts';
import { lockSeats } from '../cascade/load-seats.ts';
import { tellLeaves } from '../cascade/tell-leaves.ts';
import { checkRequest, knowsClazzes, type LeaveRequest, newLeaves, requireNotices } from './leave-request.rules.ts';
import { writtenLeaves } from './leave-shown.ts';
import { requestedLessons } from './requested-lessons.ts';
import { requireQuota } from './require-quota.ts';

const WAS_IN = statement(
  'select exists (select from enrolment where org_id = $1 and clazz_id = $2 and student_id = $3) as found',
  { found: always(p.boolean()) },
);
/** A closed class has no members any more; to those who were, and to staff, it is closed, not unknown. */
const requireOpenToMembers = async (session: Session, states: readonly LessonState[], student_id: string) => {
  for (const { clazz } of states) {
    if (clazz.status !== 'completed' && clazz.status !== 'cancelled') continue;
    const was = await session.one(WAS_IN, session.org_id, clazz.id, student_id);
    if (knowsClazzes(session.caller) || was?.found === true) requireOpen(clazz);
  }
};

const requestOf = (
  { reason, called_at = null, called_by = null, override_reason = null }: Input<typeof leaveCalls.request>['body'],
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
export const requestLeave: Handler<typeof leaveCalls.request> = async ({ body }, session) => {
  const { org_id, caller, now } = session;
  const student_id = session.reach.studentAsked(
    body.student_id,
    '/body/student_id',
    'Students ask for leave for themselves only',
  );
  const asked = await requestedLessons(session, student_id, body);
  const { policy, lessons } = await lockSeats(session, asked);
  if (lessons.length === 0) throw unknownIds([{ path: '/body/lesson_id', message: 'does not exist' }]);
  await requireListedStudents(session, [student_id], () => '/body/student_id');
  await requireOpenToMembers(session, lessons, student_id);
  checkRequest(lessons, student_id, session);
  for (const { lesson } of lessons) requireWindowOfHeld(lesson, policy, { caller, reason: body.reason }, now);
  const request = requestOf(body, student_id, session.actor_id);
  requireNotices(session, lessons, request, now);
  const leaves = newLeaves(lessons, request, policy, now, newId);
  const starts = lessons.map(({ lesson }) => lesson.starts_at);
  const quota = request.override_reason === null ? policy.leave.quota_per_30_days : null;
  await requireQuota(session, student_id, starts, quota);
  session.insert(LEAVE, ...leaves.map(({ credit: _none, ...leave }) => ({ org_id, ...leave })));
  tellLeaves(
    session,
    leaves.map((after) => ({ before: null, after })),
    body.reason,
  );
  const ids = leaves.map(({ id }) => id);
  return { items: await writtenLeaves(session, ids) };
};
