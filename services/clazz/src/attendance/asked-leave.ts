import { unknownIds } from '@teaching/contracts';
import { always, newId, p, type Session, statement } from '@teaching/kit';
import { requireWindowOfHeld } from '../cascade/edit-window.rules.ts';
import type { LessonState, Loaded } from '../cascade/lesson-state.ts';
import type { LeaveState } from '../cascade/seat.ts';
import { requireOpen } from '../record/access.rules.ts';
import { requireListedStudents } from '../record/require-listed.ts';
import {
  checkRequest,
  knowsClazzes,
  type LeaveRequest,
  newLeaves,
  requireNotices,
  type Where,
} from './leave-request.rules.ts';

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

/** That the lessons are there, and the student may be asked for. */
export const requireKnown = async (
  session: Session,
  { lessons }: Pick<Loaded, 'lessons'>,
  student_id: string,
  where: Where,
): Promise<void> => {
  if (lessons.length === 0) throw unknownIds([{ path: `${where}/lesson_id`, message: 'does not exist' }]);
  await requireListedStudents(session, [student_id], () => `${where}/student_id`);
};

/** The leaves that asking makes, if nothing but the quota stands in the way: the same for who asks and for who wants to know. */
export const askedLeaves = async (
  session: Session,
  { policy, lessons }: Loaded,
  request: LeaveRequest,
  where: Where,
): Promise<LeaveState[]> => {
  const { caller, now } = session;
  const { student_id, reason } = request;
  await requireOpenToMembers(session, lessons, student_id);
  checkRequest(lessons, student_id, session, where);
  for (const { lesson } of lessons) requireWindowOfHeld(lesson, policy, { caller, reason }, now);
  requireNotices(session, lessons, request, now);
  return newLeaves(lessons, request, policy, now, newId);
};
