import { fromHundredths, type Lesson, type Mark, Problem, type RollCallRow, unknownIds } from '@teaching/contracts';
import { type Caller, isSupervisor, MINUTE_MS, type AccessFilter } from '@teaching/kit';
import { isListed, type LessonState, type Seat } from '../cascade/cascade.rules.ts';
import { requireWindow, type WindowPolicy } from '../cascade/edit-window.rules.ts';
import { relatedPeopleOf } from '../record/access.rules.ts';

export const requireMarker = (reach: AccessFilter, state: LessonState): void =>
  reach.requireAccess(relatedPeopleOf(state), 'Roll call is taken by the teachers of the class');

/** From when on a lesson takes roll call: an instant. */
export const rollCallOpens = ({ starts_at }: Pick<Lesson, 'starts_at'>, { roll_call }: WindowPolicy): string =>
  new Date(Date.parse(starts_at) - roll_call.lead_minutes * MINUTE_MS).toISOString();

/**
 * When roll call may be taken or corrected: from a little before the lesson until the edit window after its end
 * is over; then by a supervisor with a reason.
 */
export const requireTime = (
  { lesson }: LessonState,
  policy: WindowPolicy,
  who: { caller: Caller; reason: string | null | undefined },
  now: Date,
): void => {
  if (lesson.status === 'cancelled') throw new Problem('invalid_transition', 'The lesson is cancelled');
  const opens = rollCallOpens(lesson, policy);
  if (now.toISOString() < opens) throw new Problem('roll_call_too_early', `Roll call opens at ${opens}`);
  requireWindow(lesson, policy, who, now);
};

/** A mark is withdrawn by a supervisor with a reason. */
export const requireMayWithdraw = (
  caller: Caller,
  { marks, reason }: { marks: readonly { mark: Mark | null }[]; reason?: string | null | undefined },
): void => {
  if (marks.every(({ mark }) => mark !== null)) return;
  if (!isSupervisor(caller)) throw new Problem('forbidden', 'Only a supervisor may withdraw a mark');
  if (reason != null) return;
  throw new Problem('invalid_request', {
    errors: [{ path: '/body/reason', message: 'is needed to withdraw a mark' }],
  });
};

/** Only listed students are marked; the refusal names every other one. */
export const requireListed = (seats: readonly Seat[], marks: readonly { student_id: string }[]): void => {
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

/** A mark that the caller gives, having seen this revision of the former one. */
export interface MarkInput {
  student_id: string;
  mark: Mark | null;
  note?: string | null | undefined;
  late_minutes?: number | null | undefined;
  revision?: number | null | undefined;
}

/**
 * Somebody else's word is not written over by who has not read it, such as a phone that was without network. The same
 * word is no contradiction, nor is a mark that leave made by itself.
 */
const isUnread = (seat: Seat | undefined, said: MarkInput, actor_id: string): boolean => {
  if (said.revision == null || seat?.mark == null) return false;
  const { mark, note, late_minutes, revision, marked_by } = seat.mark;
  if (revision <= said.revision || marked_by === actor_id || (said.revision === 0 && isMarkedByLeave(seat)))
    return false;
  const minutes = said.late_minutes === undefined ? late_minutes : said.late_minutes;
  return mark !== said.mark || note !== (said.note ?? null) || (mark === 'late' && minutes !== late_minutes);
};

/** Refuses what is unread; names every such mark. */
export const requireRead = (seats: readonly Seat[], marks: readonly MarkInput[], actor_id: string): void => {
  const seatOf = new Map(seats.map((seat) => [seat.student_id, seat]));
  const errors = marks.flatMap((said, index) =>
    isUnread(seatOf.get(said.student_id), said, actor_id)
      ? [{ path: `/body/marks/${index}/revision`, message: 'is not the newest' }]
      : [],
  );
  if (errors.length > 0) throw new Problem('mark_changed', { errors });
};

/** An approved leave becomes the mark of a held lesson by itself. */
export const isMarkedByLeave = ({ mark, leave }: Seat): boolean =>
  mark?.mark === 'leave' && leave?.status === 'approved';

/** The leave that is shown in a roll call. */
export const shownLeave = ({ leave }: Seat) =>
  leave !== null && (leave.status === 'pending' || leave.status === 'approved')
    ? { status: leave.status, in_time: leave.in_time, reason: leave.reason }
    : null;

/** A seat as it is shown. Where no mark stands, an approved leave presets it. */
export const toRow = ({ student_id, mark, leave, guest }: Seat): RollCallRow => ({
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
