import { LEAVE_REFUSALS, type LeaveRefusal, type Lesson, type Policy, Problem, unknownIds } from '@teaching/contracts';
import { type Caller, DAY_MS, HOUR_MS, isStaff, isSupervisor, type AccessFilter } from '@teaching/kit';
import type { LeaveState, LessonState, Seat } from '../cascade/cascade.rules.ts';
import { requireOpen, relatedPeopleOf } from '../record/access.rules.ts';

/** Length of the window that the quota counts in. */
const QUOTA_DAYS = 30;

/** To staff every class is known; to students one that they never were in is not there, and one that ended is not closed. */
export const canSeeClazzes = (caller: Caller): boolean => isStaff(caller);

/** The student, and for them the teachers of the class. */
export const requireRequester = (reach: AccessFilter, student_id: string, state: LessonState): void =>
  reach.requireAccess(
    { ...relatedPeopleOf(state), self: student_id },
    'Leave is asked for by the student or the teachers of the class',
  );

/** The last instant, in epoch milliseconds, at which leave is in time: so and so many hours before the lesson. */
export const deadlineOf = (starts_at: string, deadline_hours: number): number =>
  Date.parse(starts_at) - deadline_hours * HOUR_MS;

/** In time: not later than the deadline. */
export const isInTime = (starts_at: string, deadline_hours: number, now: Date): boolean =>
  now.getTime() <= deadlineOf(starts_at, deadline_hours);

/** Policy may say yes by itself to what is in time for a lesson that is still to come. */
export const isApprovedAtOnce = (
  { leave }: Policy,
  { status, starts_at }: Pick<Lesson, 'status' | 'starts_at'>,
  in_time: boolean,
  now: Date,
): boolean =>
  leave.approval === 'in_time' && in_time && status === 'scheduled' && Date.parse(starts_at) > now.getTime();

/**
 * How many lessons the fullest 30 days have that hold one of `wanted`, with these; `taken` are those pending or approved.
 * All are lesson starts.
 */
export const usedOf = (taken: readonly string[], wanted: readonly string[]): number => {
  const all = [...taken, ...wanted].map((start) => Date.parse(start)).sort((a, b) => a - b);
  const isWanted = new Set(wanted.map((start) => Date.parse(start)));
  const windows = all.map((first, index) => all.slice(index).filter((start) => start - first < QUOTA_DAYS * DAY_MS));
  return Math.max(0, ...windows.filter((one) => one.some((start) => isWanted.has(start))).map((one) => one.length));
};

/**
 * Whether leave from `wanted` makes more than `quota` lessons in some 30 days. Windows without a wanted lesson do not
 * count: a lower quota does not reach back.
 */
export const exceedsQuota = (taken: readonly string[], wanted: readonly string[], quota: number | null): boolean =>
  quota !== null && usedOf(taken, wanted) > quota;

const isRefusal = (code: string): code is LeaveRefusal => LEAVE_REFUSALS.some((one) => one === code);

/** The code of what refused leave; anything else that went wrong goes on. */
export const refusalOf = (error: unknown): LeaveRefusal => {
  if (error instanceof Problem && isRefusal(error.code)) return error.code;
  throw error;
};

/** The caller. */
interface Asking {
  caller: Caller;
  access: AccessFilter;
}

/** Where the request says what it says. */
export type RequestPart = '/body' | '/query';

/** Refuses what cannot be asked for, naming what stands in the way. */
export const checkRequest = (
  states: readonly LessonState[],
  student_id: string,
  { caller, access }: Asking,
  where: RequestPart,
): { state: LessonState; seat: Seat }[] => {
  const seats = states.map((state) => {
    requireRequester(access, student_id, state);
    const seat = state.seats.find((it) => it.student_id === student_id);
    if (seat === undefined || !seat.enrolled) {
      const path = caller.user_id === student_id ? 'lesson_id' : 'student_id';
      throw unknownIds([{ path: `${where}/${path}`, message: 'the student does not belong to this lesson' }]);
    }
    requireOpen(state.clazz);
    if (state.lesson.status === 'cancelled') throw new Problem('invalid_transition', 'The lesson is cancelled');
    return { state, seat };
  });
  const existing = seats.filter(({ seat }) => seat.leave !== null).map(({ state }) => state.lesson.id);
  if (existing.length === 0) return seats;
  throw new Problem('leave_exists', {
    detail: `${existing.length} lesson(s) have a leave already`,
    members: { lesson_ids: existing },
  });
};

/** What is said about leave when it is asked for. */
export interface LeaveRequest {
  student_id: string;
  reason: string;
  requested_by: string;
  called_at: string | null;
  called_by: string | null;
  override_reason: string | null;
}

/** The teachers of the class record a call that was made before; only supervisors override. */
export const requireNotices = (
  { caller, access }: Asking,
  states: readonly LessonState[],
  { called_at, called_by, override_reason }: Pick<LeaveRequest, 'called_at' | 'called_by' | 'override_reason'>,
  now: Date,
): void => {
  if (override_reason !== null && !isSupervisor(caller)) {
    throw new Problem('forbidden', 'Only a supervisor takes leave beyond deadline or quota');
  }
  if (called_at === null && called_by === null) return;
  for (const state of states) {
    access.requireAccess({ ...relatedPeopleOf(state), self: false }, 'Calls are recorded by the teachers of the class');
  }
  if (called_at !== null && called_at <= now.toISOString()) return;
  const message = called_at === null ? 'goes together with called_by' : 'must not lie ahead';
  throw new Problem('invalid_request', { errors: [{ path: '/body/called_at', message }] });
};

/**
 * The requests of one call, one for each lesson, with the notice of the call that was recorded, else now. What comes too late
 * is refused where policy says so, unless it is overridden.
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
    cancelled_by: null,
    cancelled_at: null,
    policy_version: policy.version,
    version: 1,
    ended_from: null,
    credit: null,
  }));
  const late = leaves.filter((leave) => !leave.in_time).map((leave) => leave.lesson_id);
  if (policy.leave.late === 'accept' || late.length === 0 || request.override_reason !== null) return leaves;
  throw new Problem('leave_too_late', {
    detail: `Leave is asked for ${policy.leave.deadline_hours} hours before the lesson`,
    members: { lesson_ids: late },
  });
};
