import { isDeepStrictEqual } from 'node:util';
import { type Leave, type Lesson, type Mark, type Policy, shareOf, toHundredths } from '@teaching/contracts';
import type { Row } from '@teaching/kit';
import type { InHundredths } from '../hours/amounts.rules.ts';
import type { CLAZZ } from '../record/record.tables.ts';
import type { LEAVE, MAKE_UP_CREDIT, MARK_REVISION } from './cascade.tables.ts';

/** The newest revision of one student's mark at one lesson. */
export type CurrentMark = Omit<
  InHundredths<Row<typeof MARK_REVISION>, 'charged_hours'>,
  'org_id' | 'lesson_id' | 'student_id' | 'reason'
>;

export interface Credit extends Omit<Row<typeof MAKE_UP_CREDIT>, 'org_id' | 'leave_id' | 'student_id'> {
  /** Whether the student has a mark at the booked lesson. */
  is_marked: boolean;
}

export interface LeaveState extends Omit<Row<typeof LEAVE>, 'org_id'> {
  credit: Credit | null;
}

/** One student at one lesson. */
export interface Seat {
  student_id: string;
  /** Enrolled at the lesson's start. */
  enrolled: boolean;
  /** Booked here with a make-up credit. */
  guest: boolean;
  mark: CurrentMark | null;
  leave: LeaveState | null;
}

/** A change of one seat. A roll call sets `mark`, or withdraws it with null. A decision sets `leave` as decided. */
export interface SeatInstruction {
  mark?: Mark | null;
  note?: string | null;
  /** Undefined keeps the stored value. */
  late_minutes?: number | null | undefined;
  leave?: LeaveState;
}

interface NewMark extends CurrentMark {
  /** Whether hours move: the former charge is reversed and this one is made. */
  moves: boolean;
}

/** The next mark and leave of a seat. Null means unchanged. */
export interface SeatOutcome {
  mark: NewMark | null;
  leave: LeaveState | null;
}

interface CascadeContext {
  policy: Policy;
  actor_id: string;
  now: string;
}

type OpenLeave = LeaveState & { status: 'pending' | 'approved' };

/** Whether a leave is pending or approved. */
export const isOpenLeave = (leave: LeaveState | null | undefined): leave is OpenLeave =>
  leave?.status === 'pending' || leave?.status === 'approved';

export const isMarked = ({ mark }: Seat): boolean => mark !== null && mark.mark !== null;

/**
 * Whether the student was enrolled at the lesson's start or is marked there. A student who leaves the class later keeps
 * the mark.
 */
const belongs = (seat: Seat): boolean => seat.enrolled || (isMarked(seat) && !seat.guest);

export const isListed = (seat: Seat): boolean => belongs(seat) || seat.guest;

/** The fields of a lesson's class that the rules use. */
export type ClazzFacts = Pick<
  Row<typeof CLAZZ>,
  'id' | 'name' | 'status' | 'course_id' | 'lead_teacher_id' | 'assistant_ids' | 'capacity'
>;

/** A lesson with the seats of all students who are listed there, were marked before, or have leave. */
export interface LessonState {
  lesson: Lesson;
  clazz: ClazzFacts;
  seats: Seat[];
}

/** The outcome of one seat of one lesson. */
export interface DerivedSeat {
  state: LessonState;
  seat: Seat;
  outcome: SeatOutcome;
}
export type RevisedSeat = DerivedSeat & { outcome: { mark: NewMark } };
export const hasRevision = (decided: DerivedSeat): decided is RevisedSeat => decided.outcome.mark !== null;

/** The change that started the cascade. */
export type CascadeTrigger =
  | 'roll call'
  | 'leave decided'
  | 'lesson changed'
  | 'lesson cancelled'
  | 'enrolment dated back'
  | 'enrolment changed';

const REFUSABLE: readonly CascadeTrigger[] = ['roll call', 'leave decided', 'lesson changed', 'enrolment dated back'];

/**
 * Whether too few hours refuse the change.
 * They refuse changes that a person requests and that can make a held lesson cost more. Cancelling a lesson, or ending
 * or resuming an enrolment, is allowed with any debt.
 */
export const isRefusable = (trigger: CascadeTrigger): boolean => REFUSABLE.includes(trigger);

/** The key in the policy's `charge` that a charge uses. */
type ChargeRule = keyof Policy['charge'];

type LeaveFact = Pick<Leave, 'status' | 'in_time'>;

/** The charge rule of a mark. Leave without an approval counts as late. */
export const chargeRuleOf = (mark: Mark, leave: LeaveFact | null): ChargeRule => {
  if (mark !== 'leave') return mark;
  return leave?.status === 'approved' && leave.in_time ? 'leave_in_time' : 'leave_late';
};

/** The charge rule of a cancelled lesson, by fault. */
const ruleOfCancelled = ({ cancelled_by }: Pick<Lesson, 'cancelled_by'>): ChargeRule =>
  cancelled_by === 'teacher' ? 'cancelled_by_teacher' : 'cancelled_by_org';

/** The charge: the policy's share of the lesson's hours, in hundredths, rounded half up. */
export const chargeOf = (lesson_hours: string, rule: ChargeRule, policy: Pick<Policy, 'charge'>): number =>
  shareOf(toHundredths(lesson_hours), toHundredths(policy.charge[rule]));

/**
 * The leave as it must be. It ends when its lesson is cancelled or its student no longer belongs to the lesson. When
 * that is undone, it gets its former status again. A moved lesson never restores leave that ended with a membership.
 */
const leaveOf = (lesson: Lesson, seat: Seat, leave: LeaveState | null): LeaveState | null => {
  if (leave === null) return null;
  const hasLeft = leave.ended_from !== null && leave.ended_enrolment_id !== null;
  const isValid = lesson.status !== 'cancelled' && belongs(seat) && !hasLeft;
  if (!isValid && isOpenLeave(leave)) return { ...leave, status: 'cancelled', ended_from: leave.status };
  if (isValid && leave.ended_from !== null) return { ...leave, status: leave.ended_from, ended_from: null };
  return leave;
};

/** A credit without its booking. The former booking is stored, so that it can be restored. */
export const withoutBooking = (credit: Credit, status: 'available' | 'withdrawn', now: string): Credit =>
  credit.lesson_id === null
    ? { ...credit, status }
    : { ...credit, status, lesson_id: null, ended_lesson_id: credit.lesson_id, ended_at: now };

/**
 * The credit as it must be. An approved leave keeps its credit while the student is not marked as attending. A credit
 * whose make-up lesson has a mark stays used.
 */
const creditOf = (leave: LeaveState, mark: Mark | null, now: string): Credit | null => {
  const { credit } = leave;
  if (credit === null) return null;
  const isEarned = leave.status === 'approved' && (mark === null || mark === 'leave');
  if (isEarned && credit.status === 'withdrawn') return { ...credit, status: 'available' };
  const isUsedUp = credit.status === 'used' && credit.is_marked;
  if (isEarned || isUsedUp || credit.status === 'withdrawn') return credit;
  return withoutBooking(credit, 'withdrawn', now);
};

/** The seat without its mark. The consequences of a withdrawn mark are derived from it. */
const withoutMark = (seat: Seat): Seat => ({ ...seat, mark: seat.mark && { ...seat.mark, mark: null } });

/** The mark as it must be. At a held lesson, a student on approved leave without a mark gets `leave`. */
const markOf = (
  lesson: Lesson,
  seat: Seat,
  leave: LeaveState | null,
  instruction: SeatInstruction | undefined,
): Mark | null => {
  if (lesson.status === 'cancelled' || !isListed(seat)) return null;
  if (instruction?.mark != null) return instruction.mark;
  const current = seat.mark?.mark ?? null;
  return current === null && lesson.status === 'held' && leave?.status === 'approved' ? 'leave' : current;
};

/** Whether a leave is approved, or was until its lesson was cancelled. Leave that ended with a membership is not. */
const wasApproved = (leave: LeaveState): boolean =>
  leave.status === 'approved' || (leave.ended_from === 'approved' && leave.ended_enrolment_id === null);

const ruleOf = (lesson: Lesson, seat: Seat, leave: LeaveState | null, mark: Mark | null): ChargeRule | null => {
  if (mark !== null) return chargeRuleOf(mark, leave);
  const wasAway = leave !== null && wasApproved(leave);
  return lesson.status === 'cancelled' && seat.enrolled && !wasAway ? ruleOfCancelled(lesson) : null;
};

/**
 * The next revision, or null when nothing changed.
 * The charge is calculated again only when its rule or the lesson's hours changed. A new policy alone never changes a
 * charge.
 */
const revise = (
  lesson: Lesson,
  seat: Seat,
  wanted: { mark: Mark | null; note: string | null; late_minutes: number | null; rule: ChargeRule | null },
  context: CascadeContext,
): NewMark | null => {
  const { mark, note, late_minutes, rule } = wanted;
  const before = seat.mark;
  const isRecharged =
    rule !== (before?.charge_rule ?? null) || (before !== null && before.lesson_hours !== lesson.hours);
  const newCharge = rule === null ? 0 : chargeOf(lesson.hours, rule, context.policy);
  const charged_hours = isRecharged ? newCharge : (before?.charged_hours ?? 0);
  const moves = isRecharged && (charged_hours > 0 || (before?.charged_hours ?? 0) > 0);
  const isChanged =
    mark !== (before?.mark ?? null) ||
    note !== (before?.note ?? null) ||
    late_minutes !== (before?.late_minutes ?? null);
  // A lesson that is cancelled again is charged again, by the policy of then.
  const hasStaleRule = rule === null && before !== null && before.charge_rule !== null;
  if (!isChanged && !moves && !(isRecharged && mark !== null) && !hasStaleRule) return null;
  return {
    mark,
    note,
    late_minutes,
    charge_rule: rule,
    lesson_hours: lesson.hours,
    charged_hours,
    moves,
    policy_version: isRecharged ? context.policy.version : (before?.policy_version ?? context.policy.version),
    revision: (before?.revision ?? 0) + 1,
    marked_by: context.actor_id,
    marked_at: context.now,
  };
};

/**
 * The cascade for one student at one lesson (domain rules, section 6).
 * From the lesson, the seat and the instruction it derives the next mark, charge, leave and credit. Deriving twice
 * changes nothing.
 */
export const deriveSeat = (
  lesson: Lesson,
  seat: Seat,
  instruction: SeatInstruction | undefined,
  context: CascadeContext,
): SeatOutcome => {
  const wantedSeat = instruction?.mark === null ? withoutMark(seat) : seat;
  const leave = leaveOf(lesson, wantedSeat, instruction?.leave ?? seat.leave);
  const mark = markOf(lesson, wantedSeat, leave, instruction);
  const noteWanted = instruction?.note === undefined ? (seat.mark?.note ?? null) : instruction.note;
  const note = mark === null ? null : noteWanted;
  const late = instruction?.late_minutes === undefined ? (seat.mark?.late_minutes ?? null) : instruction.late_minutes;
  const late_minutes = mark === 'late' ? late : null;
  const rule = ruleOf(lesson, seat, leave, mark);
  const after = leave === null ? null : { ...leave, credit: creditOf(leave, mark, context.now) };
  return {
    mark: revise(lesson, seat, { mark, note, late_minutes, rule }, context),
    leave: after === null || isDeepStrictEqual(after, seat.leave) ? null : { ...after, version: after.version + 1 },
  };
};
