import { LEAVE_REFUSALS, type LeaveRefusal, type Lesson, type Policy, Problem, unknownIds } from '@teaching/contracts';
import { type Caller, dayNumber, HOUR_MS, isStaff, isSupervisor, localDate, type AccessFilter } from '@teaching/kit';
import { isOpenLeave, type LeaveState, type LessonState, type Seat } from '../cascade/cascade.rules.ts';
import { requireOpen, relatedPeopleOf } from '../record/access.rules.ts';

/** Length of the window that the quota counts in, in days of the organization's zone. */
const QUOTA_DAYS = 30;

/** Whether the caller knows every class. For other callers a class that the student never was in does not exist. */
export const knowsAllClazzes = (caller: Caller): boolean => isStaff(caller);

/** The student, the teachers of the class and supervisors may request leave; other callers are refused. */
export const requireRequester = (reach: AccessFilter, student_id: string, state: LessonState): void =>
  reach.requireAccess(
    { ...relatedPeopleOf(state), self: student_id },
    'Only the student, the teachers of the class or a supervisor may request leave',
  );

/**
 * The last instant at which leave is in time, in milliseconds since the epoch: `deadline_hours` before the lesson
 * starts.
 */
export const deadlineOf = (starts_at: string, deadline_hours: number): number =>
  Date.parse(starts_at) - deadline_hours * HOUR_MS;

/** Whether leave that is requested at `now` is in time: not later than the deadline. */
export const isInTime = (starts_at: string, deadline_hours: number, now: Date): boolean =>
  now.getTime() <= deadlineOf(starts_at, deadline_hours);

/** Whether the policy approves the leave without a decision: it is in time, and the lesson has not begun. */
export const isApprovedAtOnce = (
  { leave }: Policy,
  { status, starts_at }: Pick<Lesson, 'status' | 'starts_at'>,
  in_time: boolean,
  now: Date,
): boolean =>
  leave.approval === 'in_time' && in_time && status === 'scheduled' && Date.parse(starts_at) > now.getTime();

/**
 * The highest number of lessons with leave in any 30 days that contain a lesson of `wanted`.
 * `taken` are the starts of lessons with pending or approved leave, `wanted` those of the request. `zone` is that of
 * the policy.
 */
export const quotaUsed = (taken: readonly string[], wanted: readonly string[], zone: string): number => {
  const dayOf = (start: string): number => dayNumber(localDate(new Date(start), zone));
  const isWanted = new Set(wanted.map(dayOf));
  const all = [...taken, ...wanted].map(dayOf).sort((a, b) => a - b);
  const windows = all.map((first, index) => all.slice(index).filter((day) => day - first < QUOTA_DAYS));
  return Math.max(0, ...windows.filter((days) => days.some((day) => isWanted.has(day))).map((days) => days.length));
};

/**
 * Whether the leave in `wanted` gives more than `quota` lessons in any 30 days. Windows without a wanted lesson do not
 * count, so a lower quota does not affect the past.
 */
export const exceedsQuota = (
  taken: readonly string[],
  wanted: readonly string[],
  quota: number | null,
  zone: string,
): boolean => quota !== null && quotaUsed(taken, wanted, zone) > quota;

const isRefusal = (code: string): code is LeaveRefusal => LEAVE_REFUSALS.some((refusal) => refusal === code);

/** The code of the problem that refused the leave. Throws any other error again. */
export const refusalOf = (error: unknown): LeaveRefusal => {
  if (error instanceof Problem && isRefusal(error.code)) return error.code;
  throw error;
};

interface Requester {
  caller: Caller;
  access: AccessFilter;
}

/** The part of the request that contains the fields, for the paths of problems. */
export type RequestPart = '/body' | '/query';

/** Refuses a request that the caller or the student may not make, or that has a leave already, naming the lessons. */
export const checkRequest = (
  states: readonly LessonState[],
  student_id: string,
  { caller, access }: Requester,
  where: RequestPart,
): { state: LessonState; seat: Seat }[] => {
  const seats = states.map((state) => {
    requireRequester(access, student_id, state);
    const seat = state.seats.find((it) => it.student_id === student_id);
    if (seat === undefined || !seat.enrolled) {
      const path = caller.user_id === student_id ? 'lesson_id' : 'student_id';
      throw unknownIds([{ path: `${where}/${path}`, message: 'the student is not enrolled at this lesson' }]);
    }
    requireOpen(state.clazz);
    if (state.lesson.status === 'cancelled') throw new Problem('invalid_transition', 'The lesson is cancelled');
    return { state, seat };
  });
  const existing = seats.filter(({ seat }) => isOpenLeave(seat.leave)).map(({ state }) => state.lesson.id);
  if (existing.length === 0) return seats;
  throw new Problem('leave_exists', {
    detail: `${existing.length} lesson(s) already have a leave`,
    members: { lesson_ids: existing },
  });
};

/** The details of a leave request. */
export interface LeaveRequest {
  student_id: string;
  reason: string;
  requested_by: string;
  called_at: string | null;
  called_by: string | null;
  override_reason: string | null;
}

/**
 * Only teachers of the class and supervisors record an earlier call (`called_at`). Only supervisors override deadline
 * or quota.
 */
export const requireNotices = (
  { caller, access }: Requester,
  states: readonly LessonState[],
  { called_at, override_reason }: Pick<LeaveRequest, 'called_at' | 'override_reason'>,
  now: Date,
): void => {
  if (override_reason !== null && !isSupervisor(caller)) {
    throw new Problem('forbidden', 'Only a supervisor may grant leave beyond the deadline or the quota');
  }
  if (called_at === null) return;
  for (const state of states) {
    access.requireAccess(
      { ...relatedPeopleOf(state), self: false },
      'Only the teachers of the class or a supervisor may record a call',
    );
  }
  if (called_at <= now.toISOString()) return;
  throw new Problem('invalid_request', { errors: [{ path: '/body/called_at', message: 'must not be in the future' }] });
};

/**
 * The leaves of one call, one for each lesson. `in_time` is derived from `called_at`, else from now.
 * 409 `leave_too_late` for late leave where the policy refuses it, unless it is overridden.
 */
export const newLeaves = (
  states: readonly LessonState[],
  request: LeaveRequest,
  policy: Policy,
  now: Date,
  newId: () => string,
): LeaveState[] => {
  const notice = request.called_at === null ? now : new Date(request.called_at);
  const leaves = states.map(({ lesson }): LeaveState => ({
    id: newId(),
    clazz_id: lesson.clazz_id,
    lesson_id: lesson.id,
    ...request,
    status: 'pending',
    in_time: isInTime(lesson.starts_at, policy.leave.deadline_hours, notice),
    requested_at: now.toISOString(),
    decided_by: null,
    decided_at: null,
    decision_reason: null,
    cancelled_by: null,
    cancelled_at: null,
    policy_version: policy.version,
    version: 1,
    ended_from: null,
    ended_enrolment_id: null,
    credit: null,
  }));
  const late = leaves.filter((leave) => !leave.in_time).map((leave) => leave.lesson_id);
  if (policy.leave.late === 'accept' || late.length === 0 || request.override_reason !== null) return leaves;
  throw new Problem('leave_too_late', {
    detail: `Leave must be requested ${policy.leave.deadline_hours} hours before the lesson`,
    members: { lesson_ids: late },
  });
};
