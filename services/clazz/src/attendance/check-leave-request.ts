import { type Lesson, type Policy, Problem, unknownIds } from '@teaching/contracts';
import { notNull, newId, voidResult, p, type Session, statement } from '@teaching/kit';
import type { LeaveState, LessonState } from '../cascade/cascade.rules.ts';
import { requireEditWindowOfHeldLesson } from '../cascade/edit-window.rules.ts';
import type { LoadedSeats } from '../cascade/lock-seats.ts';
import { requireOpen } from '../record/access.rules.ts';
import { LESSON } from '../record/record.tables.ts';
import { requireListedStudents } from '../record/require-listed-people.ts';
import {
  checkRequest,
  exceedsQuota,
  knowsAllClazzes,
  type LeaveRequest,
  newLeaves,
  requireNotices,
  type RequestPart,
} from './leave-request.rules.ts';

/** Serializes requests of one student, so that parallel requests cannot exceed the quota. */
const ONE_BY_ONE = statement("select own_turn($1, 'leave ' || $2)", {
  own_turn: voidResult(),
});
const TAKEN = statement(
  `select l.id, l.starts_at from leave v join lesson l on l.org_id = v.org_id and l.id = v.lesson_id
   where v.org_id = $1 and v.student_id = $2 and v.status in ('pending', 'approved')`,
  LESSON.pick('id', 'starts_at').shape,
);

/** The starts of the lessons for which the student has pending or approved leave, without the lessons in `wanted`. */
export const otherLeaveStarts = async (
  session: Session,
  student_id: string,
  wanted: readonly string[],
): Promise<string[]> => {
  const taken = await session.query(TAKEN, session.org_id, student_id);
  return taken.filter((row) => !wanted.includes(row.id)).map((row) => row.starts_at);
};

/** 409 `leave_quota` when the leave in `wanted` gives more than `quota` lessons in any 30 days. */
export const requireBelowQuota = (
  taken: readonly string[],
  wanted: readonly Pick<Lesson, 'starts_at'>[],
  quota: number | null,
  { zone }: Pick<Policy, 'zone'>,
): void => {
  const starts = wanted.map(({ starts_at }) => starts_at);
  if (exceedsQuota(taken, starts, quota, zone))
    throw new Problem('leave_quota', `At most ${quota} lessons of leave in 30 days`);
};

/** Serializes the leave requests of the student and applies the quota: 409 `leave_quota`. Null means no limit. */
export const requireQuota = async (
  session: Session,
  student_id: string,
  wanted: readonly Pick<Lesson, 'id' | 'starts_at'>[],
  quota: number | null,
  policy: Pick<Policy, 'zone'>,
): Promise<void> => {
  if (quota === null) return;
  session.run(ONE_BY_ONE, session.org_id, student_id);
  const ids = wanted.map(({ id }) => id);
  requireBelowQuota(await otherLeaveStarts(session, student_id, ids), wanted, quota, policy);
};

const WAS_IN = statement(
  'select exists (select from enrolment where org_id = $1 and clazz_id = $2 and student_id = $3) as found',
  { found: notNull(p.boolean()) },
);
/**
 * 409 `clazz_closed` for a closed class, for its former members and for staff. Other students get 404 from a later
 * check.
 */
const requireOpenToMembers = async (session: Session, states: readonly LessonState[], student_id: string) => {
  for (const { clazz } of states) {
    if (clazz.status !== 'completed' && clazz.status !== 'cancelled') continue;
    const was = await session.queryOne(WAS_IN, session.org_id, clazz.id, student_id);
    if (knowsAllClazzes(session.caller) || was?.found === true) requireOpen(clazz);
  }
};

/** 404 when no lesson was found, or when the student is not listed under the policy. */
export const requireLessonAndStudent = async (
  session: Session,
  { lessons }: Pick<LoadedSeats, 'lessons'>,
  student_id: string,
  where: RequestPart,
): Promise<void> => {
  if (lessons.length === 0) throw unknownIds([{ path: `${where}/lesson_id`, message: 'does not exist' }]);
  await requireListedStudents(session, [student_id], () => `${where}/student_id`);
};

/** The leaves that a request creates, after all checks except the quota. A request and its quote share these checks. */
export const checkAndCreateLeaves = async (
  session: Session,
  { policy, lessons }: LoadedSeats,
  request: LeaveRequest,
  where: RequestPart,
): Promise<LeaveState[]> => {
  const { caller, now } = session;
  const { student_id, reason } = request;
  await requireOpenToMembers(session, lessons, student_id);
  checkRequest(lessons, student_id, session, where);
  for (const { lesson } of lessons) requireEditWindowOfHeldLesson(lesson, policy, { caller, reason }, now);
  requireNotices(session, lessons, request, now);
  return newLeaves(lessons, request, policy, now, newId);
};
