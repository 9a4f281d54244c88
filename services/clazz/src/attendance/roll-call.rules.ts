import {
  fromHundredths,
  type Lesson,
  type Mark,
  Problem,
  type RollCallRow,
  unknownIds,
  WITHDRAWAL_MINUTES,
} from '@teaching/contracts';
import { type Caller, isSupervisor, MINUTE_MS, type AccessFilter } from '@teaching/kit';
import { isListed, isMarked, isOpenLeave, type LessonState, type Seat } from '../cascade/cascade.rules.ts';
import { requireEditWindow, type EditWindowPolicy } from '../cascade/edit-window.rules.ts';
import { relatedPeopleOf } from '../record/access.rules.ts';

export const requireMarker = (reach: AccessFilter, state: LessonState): void =>
  reach.requireAccess(relatedPeopleOf(state), 'Roll call is taken by the teachers of the class');

/** The instant from which roll call may be taken. */
export const rollCallStart = ({ starts_at }: Pick<Lesson, 'starts_at'>, { roll_call }: EditWindowPolicy): string =>
  new Date(Date.parse(starts_at) - roll_call.lead_minutes * MINUTE_MS).toISOString();

/** The marks of a roll call as it is submitted. Null withdraws a mark. */
export type SubmittedMarks = readonly { student_id: string; mark: Mark | null }[];

export const isWithdrawalOnly = (marks: SubmittedMarks): boolean =>
  marks.length > 0 && marks.every(({ mark }) => mark === null);

/**
 * Allows roll call from the policy's lead time before the lesson until the end of the edit window. Later only a
 * supervisor may take or correct it, with a reason. Withdrawing marks is never too early.
 */
export const requireRollCallTime = (
  { lesson }: LessonState,
  policy: EditWindowPolicy,
  { marks, ...editor }: { caller: Caller; reason: string | null | undefined; marks: SubmittedMarks },
  now: Date,
): void => {
  if (lesson.status === 'cancelled') throw new Problem('invalid_transition', 'The lesson is cancelled');
  const opens = rollCallStart(lesson, policy);
  if (now.toISOString() < opens && !isWithdrawalOnly(marks))
    throw new Problem('roll_call_too_early', `Roll call opens at ${opens}`);
  requireEditWindow(lesson, policy, editor, now);
};

/** Whether a mark was set by this person at most `WITHDRAWAL_MINUTES` ago. */
const isOwnFreshMark = ({ mark }: Seat, actor_id: string, now: Date): boolean =>
  mark?.marked_by === actor_id && now.getTime() <= Date.parse(mark.marked_at) + WITHDRAWAL_MINUTES * MINUTE_MS;

/**
 * A teacher may withdraw a mark that the same teacher set, for some minutes and without a reason. One mark that is older,
 * or of another person, refuses the whole call: only a supervisor may withdraw it, with a reason. 403 for other callers,
 * 400 without a reason.
 */
export const requireWithdrawer = (
  seats: readonly Seat[],
  { marks, reason }: { marks: SubmittedMarks; reason?: string | null | undefined },
  { caller, actor_id, now }: { caller: Caller; actor_id: string; now: Date },
): void => {
  const withdrawn = new Set(marks.flatMap(({ student_id, mark }) => (mark === null ? [student_id] : [])));
  const isAllowed = (seat: Seat): boolean => !isMarked(seat) || isOwnFreshMark(seat, actor_id, now);
  if (withdrawn.size === 0) return;
  if (caller.roles.includes('TEACHER') && seats.every((seat) => !withdrawn.has(seat.student_id) || isAllowed(seat)))
    return;
  if (!isSupervisor(caller)) {
    const detail = `A mark of another person, or set more than ${WITHDRAWAL_MINUTES} minutes ago, is withdrawn by a supervisor`;
    throw new Problem('forbidden', detail);
  }
  if (reason != null) return;
  throw new Problem('invalid_request', {
    errors: [{ path: '/body/reason', message: 'is required to withdraw a mark' }],
  });
};

/**
 * Whether a teacher withdraws a whole roll call that the same teacher has just taken: no mark remains except those that
 * approved leave sets by itself. The lesson is then scheduled again, as before the roll call.
 */
export const isRollCallUndone = (
  { lesson, seats }: LessonState,
  marks: SubmittedMarks,
  { caller, actor_id, now }: { caller: Caller; actor_id: string; now: Date },
): boolean => {
  const withdrawn = new Set(marks.map(({ student_id }) => student_id));
  const isUndone = (seat: Seat): boolean => withdrawn.has(seat.student_id) && isOwnFreshMark(seat, actor_id, now);
  const marked = seats.filter(isMarked);
  return (
    lesson.status === 'held' &&
    isWithdrawalOnly(marks) &&
    caller.roles.includes('TEACHER') &&
    marked.some(isUndone) &&
    marked.every((seat) => isUndone(seat) || isMarkedByLeave(seat))
  );
};

/** 404 naming each student who is not listed at the lesson. 400 when listed students exist and no mark is given. */
export const requireListedStudentsOnly = (seats: readonly Seat[], marks: readonly { student_id: string }[]): void => {
  const listed = new Set(seats.filter(isListed).map((seat) => seat.student_id));
  const errors = marks.flatMap(({ student_id }, index) =>
    listed.has(student_id)
      ? []
      : [{ path: `/body/marks/${index}/student_id`, message: 'is not listed at this lesson' }],
  );
  if (errors.length > 0) throw unknownIds(errors);
  if (marks.length === 0 && listed.size > 0) {
    throw new Problem('invalid_request', { errors: [{ path: '/body/marks', message: 'must not be empty' }] });
  }
};

/** A mark as the caller submits it. `revision` is the newest revision that the caller has read. */
export interface MarkInput {
  student_id: string;
  mark: Mark | null;
  note?: string | null | undefined;
  late_minutes?: number | null | undefined;
  revision?: number | null | undefined;
}

/**
 * Whether the caller would overwrite a mark of another person without having read it, for example after being offline.
 * The same mark again is no conflict. A mark that an approved leave set by itself does not count either.
 */
const isUnread = (seat: Seat | undefined, input: MarkInput, actor_id: string): boolean => {
  if (input.revision == null || seat?.mark == null) return false;
  const { mark, note, late_minutes, revision, marked_by } = seat.mark;
  if (revision <= input.revision || marked_by === actor_id || (input.revision === 0 && isMarkedByLeave(seat)))
    return false;
  const minutes = input.late_minutes === undefined ? late_minutes : input.late_minutes;
  return mark !== input.mark || note !== (input.note ?? null) || (mark === 'late' && minutes !== late_minutes);
};

/** 409 `mark_changed`, naming each mark that would overwrite an unread one. */
export const requireNewestRevision = (seats: readonly Seat[], marks: readonly MarkInput[], actor_id: string): void => {
  const seatOf = new Map(seats.map((seat) => [seat.student_id, seat]));
  const errors = marks.flatMap((input, index) =>
    isUnread(seatOf.get(input.student_id), input, actor_id)
      ? [{ path: `/body/marks/${index}/revision`, message: 'is not the newest' }]
      : [],
  );
  if (errors.length > 0) throw new Problem('mark_changed', { errors });
};

/** Whether an approved leave set the mark of a held lesson. */
export const isMarkedByLeave = ({ mark, leave }: Seat): boolean =>
  mark?.mark === 'leave' && leave?.status === 'approved';

/** The pending or approved leave of a seat, as a roll call shows it. */
export const toRollCallLeave = ({ leave }: Seat) =>
  leave !== null && isOpenLeave(leave)
    ? {
        status: leave.status,
        in_time: leave.in_time,
        reason: leave.reason,
        decision_reason: leave.decision_reason,
      }
    : null;

/** A seat as a roll call shows it. Without a mark, an approved leave presets `leave`. */
export const toRollCallRow = ({ student_id, mark, leave, guest }: Seat): RollCallRow => ({
  student_id,
  mark: mark?.mark ?? (leave?.status === 'approved' ? 'leave' : null),
  revision: mark?.revision ?? 0,
  marked_by: mark?.marked_by ?? null,
  marked_at: mark?.marked_at ?? null,
  charged_hours: fromHundredths(mark?.charged_hours ?? 0),
  note: mark?.note ?? null,
  late_minutes: mark?.late_minutes ?? null,
  make_up: guest,
});
