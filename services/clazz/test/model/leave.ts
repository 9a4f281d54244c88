import { Problem } from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import { isOpenLeave, hasSeat, isGuest, isMember, leaveAt, requireFree, requireSeat } from './membership-queries.ts';
import { requireWindow } from './edit-window.ts';
import { deriveConsequences, setMark, unbook } from './seat-changes.ts';
import {
  elementAt,
  clazzOf,
  dayOfInstant,
  type EndedBooking,
  endOfDay,
  type Leave,
  type Model,
  requireOpen,
  seatAt,
  type Caller,
} from './state.ts';

const requireWindowOfHeld = (model: Model, lesson: number, caller: Caller): void => {
  const it = elementAt(model.lessons, lesson);
  if (it.status === 'held') requireWindow(model, it, caller);
};

/** Whether this lesson would exceed the quota of lessons with leave in any 30 days that contain it. */
const exceedsQuota = (model: Model, lesson: number, student: number): boolean => {
  const { quota } = model.rules;
  if (quota === null) return false;
  const dayOf = (index: number): number => dayOfInstant(model.rules, elementAt(model.lessons, index).starts);
  const wanted = dayOf(lesson);
  const taken = model.leaves.filter((it) => it.student === student && isOpenLeave(it));
  const all = [...taken.map((it) => dayOf(it.lesson)), wanted];
  return all.some((first) => {
    const isWithin = (day: number): boolean => first <= day && day < first + 30;
    return isWithin(wanted) && all.filter(isWithin).length > quota;
  });
};

/** Details of a request: the time of an earlier call, and whether a supervisor overrides deadline and quota. */
export interface LeaveDetails {
  called: number | null;
  override: boolean;
}

export const requestLeave = (
  model: Model,
  lesson: number,
  student: number,
  caller: Caller,
  notice: LeaveDetails,
): void => {
  const it = elementAt(model.lessons, lesson);
  const { rules } = model;
  requireOpen(clazzOf(model, lesson));
  if (!isMember(model, lesson, student)) throw new Problem('not_found');
  if (it.status === 'cancelled') throw new Problem('invalid_transition');
  if (leaveAt(model, lesson, student) !== undefined) throw new Problem('leave_exists');
  // The reason of the leave also counts as the reason for a late change.
  requireWindowOfHeld(model, lesson, { ...caller, reason: true });
  if (notice.override && caller.role === 'teacher') throw new Problem('forbidden');
  const in_time = (notice.called ?? model.now) <= it.starts - rules.deadlineHours * HOUR_MS;
  if (!in_time && rules.late === 'refuse' && !notice.override) throw new Problem('leave_too_late');
  if (!notice.override && exceedsQuota(model, lesson, student)) throw new Problem('leave_quota');
  for (const it of model.leaves) if (it.lesson === lesson && it.student === student) it.was = null;
  it.used = true;
  model.leaves.push({
    lesson,
    student,
    status: 'pending',
    in_time,
    override: notice.override,
    was: null,
    left: null,
    credit: null,
  });
};

export type Decision = 'approve' | 'reject' | 'cancel';

const approve = (model: Model, leave: Leave, caller: Caller): void => {
  const { lesson, student } = leave;
  const it = elementAt(model.lessons, lesson);
  const { mark } = seatAt(model, lesson, student);
  const wasPresent = mark === 'present' || mark === 'late';
  if (wasPresent && (caller.role === 'teacher' || !caller.reason)) throw new Problem('already_attended');
  leave.status = 'approved';
  model.freed.students.add(student);
  if (model.rules.credits) {
    const expires = endOfDay(model.rules, Math.max(model.now, it.ends), model.rules.creditDays);
    leave.credit = { status: 'available', expires, lesson: null, ended: [], withdrawn: null };
  }
  if (it.status === 'held') setMark(model, lesson, student, 'leave');
};

const cancel = (model: Model, leave: Leave): void => {
  const { lesson, student, credit } = leave;
  const wasApproved = leave.status === 'approved';
  if (wasApproved) requireFree(model, lesson, student, credit?.lesson ?? null);
  leave.status = 'cancelled';
  const { mark } = seatAt(model, lesson, student);
  if (wasApproved && mark === 'leave') setMark(model, lesson, student, 'absent');
  deriveConsequences(model, lesson, student);
};

/** Whether the make-up of a leave has a mark. Such a leave cannot be cancelled. */
const isMadeUp = (model: Model, { credit, student }: Leave): boolean =>
  credit !== null && credit.lesson !== null && seatAt(model, credit.lesson, student).mark !== null;

export const decideLeave = (model: Model, index: number, decision: Decision, caller: Caller): void => {
  const leave = elementAt(model.leaves, index);
  requireOpen(clazzOf(model, leave.lesson));
  if (!isOpenLeave(leave) || (decision !== 'cancel' && leave.status !== 'pending'))
    throw new Problem('invalid_transition');
  if (decision === 'cancel' && isMadeUp(model, leave)) throw new Problem('invalid_transition');
  requireWindowOfHeld(model, leave.lesson, caller);
  if (decision === 'approve') approve(model, leave, caller);
  else if (decision === 'reject') leave.status = 'rejected';
  else cancel(model, leave);
};

/** Makes a decided leave pending again, until its lesson begins. */
export const reopenLeave = (model: Model, index: number): void => {
  const leave = elementAt(model.leaves, index);
  const { lesson, student, credit } = leave;
  const it = elementAt(model.lessons, lesson);
  requireOpen(clazzOf(model, lesson));
  const wasApproved = leave.status === 'approved';
  const isDecided = wasApproved || leave.status === 'rejected';
  const isAhead = it.status !== 'cancelled' && it.starts > model.now;
  if (!isDecided || !isAhead || !isMember(model, lesson, student)) throw new Problem('invalid_transition');
  if (credit !== null && credit.lesson !== null) throw new Problem('make_up_booked');
  if (wasApproved) requireFree(model, lesson, student);
  else {
    const newer = model.leaves.slice(index + 1);
    if (newer.some((other) => other.lesson === lesson && other.student === student)) throw new Problem('leave_exists');
    if (!leave.override && exceedsQuota(model, lesson, student)) throw new Problem('leave_quota');
  }
  Object.assign(leave, { status: 'pending', credit: null });
  if (wasApproved && seatAt(model, lesson, student).mark === 'leave') setMark(model, lesson, student, null);
  deriveConsequences(model, lesson, student);
};

/** Books a lesson with the credit of a leave. A restored booking may be of a member of its class. */
const book = (model: Model, index: number, lesson: number): void => {
  const leave = elementAt(model.leaves, index);
  const { student, credit } = leave;
  const target = elementAt(model.lessons, lesson);
  if (leave.status !== 'approved' || credit?.status !== 'available' || credit.expires <= target.starts) {
    throw new Problem('credit_unavailable');
  }
  requireOpen(clazzOf(model, lesson));
  if (target.status !== 'scheduled' || target.starts <= model.now) throw new Problem('invalid_transition');
  if (isGuest(model, lesson, student)) throw new Problem('already_attending');
  requireSeat(model, lesson, student);
  requireFree(model, lesson, student);
  credit.status = 'used';
  credit.lesson = lesson;
  target.used = true;
  credit.ended = credit.ended.filter((ended) => ended.lesson !== lesson);
};

/** The same on request. A lesson in which the student has a place anyway is refused, whatever the state of the credit. */
export const bookMakeUp = (model: Model, index: number, lesson: number): void => {
  if (hasSeat(model, lesson, elementAt(model.leaves, index).student)) throw new Problem('already_attending');
  book(model, index, lesson);
};

/** Undoes a booking, which is possible until its lesson begins. */
export const undoBooking = (model: Model, index: number): void => {
  const leave = elementAt(model.leaves, index);
  if (leave.status !== 'approved' || leave.credit?.status !== 'used') throw new Problem('credit_unavailable');
  const { starts, status } = elementAt(model.lessons, leave.credit.lesson ?? -1);
  if (status === 'held' || starts <= model.now) throw new Problem('invalid_transition');
  unbook(model, leave);
  Object.assign(leave.credit, { status: 'available', ended: leave.credit.ended.filter(({ at }) => at !== model.now) });
};

export interface LostBooking {
  leave: number;
  reason: string;
}

/** Makes the ended bookings again that `isMeant` selects, the last one of each leave first. Returns those that no longer fit. */
const rebook = (model: Model, isMeant: (leave: Leave, ended: EndedBooking) => boolean): LostBooking[] => {
  const all = model.leaves.flatMap((leave, index) =>
    (leave.credit?.ended ?? [])
      .toSorted((a, b) => b.at - a.at)
      .flatMap((ended) => (isMeant(leave, ended) ? [{ index, ended }] : [])),
  );
  return all.flatMap(({ index, ended }): LostBooking[] => {
    try {
      book(model, index, ended.lesson);
      return [];
    } catch (error) {
      if (error instanceof Problem) return [{ leave: index, reason: error.code }];
      throw error;
    }
  });
};

/** Makes the bookings again that ended after `since` with a class, one of its enrolments or one of its lessons. */
export const restoreBookings = (
  model: Model,
  clazz: number,
  since: number,
  { student = null, lesson = null }: { student?: number | null; lesson?: number | null } = {},
): LostBooking[] =>
  rebook(model, (leave, ended) => {
    const sides = [leave.lesson, ended.lesson];
    if (ended.at < since || !sides.some((side) => elementAt(model.lessons, side).clazz === clazz)) return false;
    const booked = elementAt(model.lessons, ended.lesson);
    if (booked.clazz !== clazz && booked.status === 'cancelled' && booked.cancelled === ended.at) return false;
    return (student === null || leave.student === student) && (lesson === null || sides.includes(lesson));
  });

/** Makes the bookings again that ended with another mark, if the student is on leave again and the credit returned. */
export const restoreRegainedBookings = (model: Model, withdrawn: readonly Leave[]): LostBooking[] =>
  rebook(
    model,
    (leave, { at }) =>
      withdrawn.includes(leave) && leave.credit?.status === 'available' && leave.credit.withdrawn === at,
  );
