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
  /** The roll call of the lesson it is used for has marked the student. */
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
  /** Here on a make-up credit. */
  guest: boolean;
  mark: CurrentMark | null;
  leave: LeaveState | null;
}

/** An instruction for one seat: a roll call gives a mark or withdraws it (`null`), a decision gives the leave as decided. */
export interface Instruction {
  mark?: Mark | null;
  note?: string | null;
  /** Left out: stays as it is. */
  late_minutes?: number | null | undefined;
  leave?: LeaveState;
}

interface NewMark extends CurrentMark {
  /** Whether hours move: the former charge is given back and this one made. */
  moves: boolean;
}

/** The mark and leave that a seat must get; `null`: stays as it is. */
export interface Outcome {
  mark: NewMark | null;
  leave: LeaveState | null;
}

interface CascadeContext {
  policy: Policy;
  actor_id: string;
  now: string;
}

export const isMarked = ({ mark }: Seat): boolean => mark !== null && mark.mark !== null;

/** Enrolled at the lesson's start, or marked there: a student who leaves the class afterwards keeps the mark. */
const belongs = (seat: Seat): boolean => seat.enrolled || (isMarked(seat) && !seat.guest);

export const isListed = (seat: Seat): boolean => belongs(seat) || seat.guest;

/** What the rules need to know of a lesson's class. */
export type ClazzFacts = Pick<
  Row<typeof CLAZZ>,
  'id' | 'name' | 'status' | 'course_id' | 'lead_teacher_id' | 'assistant_ids' | 'capacity'
>;

/** A lesson with the seats of all students who are listed, were marked before, or are on leave. */
export interface LessonState {
  lesson: Lesson;
  clazz: ClazzFacts;
  seats: Seat[];
}

/** The outcome of one seat of one lesson. */
export interface DerivedSeat {
  state: LessonState;
  seat: Seat;
  outcome: Outcome;
}
export type RevisedSeat = DerivedSeat & { outcome: { mark: NewMark } };
export const hasRevision = (decided: DerivedSeat): decided is RevisedSeat => decided.outcome.mark !== null;

/** The change that made the cascade run. */
export type CascadeReason =
  | 'roll call'
  | 'leave decided'
  | 'lesson changed'
  | 'lesson cancelled'
  | 'enrolment dated back'
  | 'enrolment changed';

const REFUSABLE: readonly CascadeReason[] = ['roll call', 'leave decided', 'lesson changed', 'enrolment dated back'];

/**
 * Whether too few hours refuse the change: those that a person asks for and that make held lessons cost more. A lesson can
 * be cancelled and an enrolment ended or resumed whatever students owe then.
 */
export const isRefusable = (because: CascadeReason): boolean => REFUSABLE.includes(because);

/** The line of the policy's `charge` that a charge is made under. */
type ChargeRule = keyof Policy['charge'];

type LeaveFact = Pick<Leave, 'status' | 'in_time'>;

/** By mark and notice. A leave without approval counts as late. */
export const ruleOfMark = (mark: Mark, leave: LeaveFact | null): ChargeRule => {
  if (mark !== 'leave') return mark;
  return leave?.status === 'approved' && leave.in_time ? 'leave_in_time' : 'leave_late';
};

/** By fault, when the lesson did not take place. */
const ruleOfCancelled = ({ cancelled_by }: Pick<Lesson, 'cancelled_by'>): ChargeRule =>
  cancelled_by === 'teacher' ? 'cancelled_by_teacher' : 'cancelled_by_org';

/** Share of the lesson's hours, in hundredths, rounded half up. */
export const chargeOf = (lesson_hours: string, rule: ChargeRule, policy: Pick<Policy, 'charge'>): number =>
  shareOf(toHundredths(lesson_hours), toHundredths(policy.charge[rule]));

/**
 * Leave lives and dies with what it is from: a cancelled lesson, or a student who does not belong to it any
 * more, ends it; when that is undone it is as it was.
 */
const leaveOf = (lesson: Lesson, isMember: boolean, leave: LeaveState | null): LeaveState | null => {
  if (leave === null) return null;
  const stands = lesson.status !== 'cancelled' && isMember;
  if (!stands && (leave.status === 'pending' || leave.status === 'approved')) {
    return { ...leave, status: 'cancelled', ended_from: leave.status };
  }
  if (stands && leave.ended_from !== null) return { ...leave, status: leave.ended_from, ended_from: null };
  return leave;
};

/** A credit without its booking, which it remembers. */
export const withoutBooking = (credit: Credit, status: 'available' | 'withdrawn', now: string): Credit =>
  credit.lesson_id === null
    ? { ...credit, status }
    : { ...credit, status, lesson_id: null, ended_lesson_id: credit.lesson_id, ended_at: now };

/** An approved leave earns a credit as long as the student really was away. */
const creditOf = (leave: LeaveState, mark: Mark | null, now: string): Credit | null => {
  const { credit } = leave;
  if (credit === null) return null;
  const earned = leave.status === 'approved' && (mark === null || mark === 'leave');
  if (earned && credit.status === 'withdrawn') return { ...credit, status: 'available' };
  const isUsedUp = credit.status === 'used' && credit.is_marked;
  if (earned || isUsedUp || credit.status === 'withdrawn') return credit;
  return withoutBooking(credit, 'withdrawn', now);
};

/** A seat as if it had never been marked, from which the consequences of a withdrawn mark are derived. */
const withoutMark = (seat: Seat): Seat => ({ ...seat, mark: seat.mark && { ...seat.mark, mark: null } });

/** The mark that should stand. A roll call without a word about a student on leave means leave. */
const markOf = (
  lesson: Lesson,
  seat: Seat,
  leave: LeaveState | null,
  instruction: Instruction | undefined,
): Mark | null => {
  if (lesson.status === 'cancelled' || !isListed(seat)) return null;
  if (instruction?.mark != null) return instruction.mark;
  const current = seat.mark?.mark ?? null;
  return current === null && lesson.status === 'held' && leave?.status === 'approved' ? 'leave' : current;
};

const ruleOf = (lesson: Lesson, seat: Seat, leave: LeaveState | null, mark: Mark | null): ChargeRule | null => {
  if (mark !== null) return ruleOfMark(mark, leave);
  const wasAway = (leave?.ended_from ?? leave?.status) === 'approved';
  return lesson.status === 'cancelled' && seat.enrolled && !wasAway ? ruleOfCancelled(lesson) : null;
};

/**
 * The next revision, or `null` when nothing changed. A charge is made anew only when what it was derived from
 * changed, so a new policy never reaches back by itself.
 */
const revise = (
  lesson: Lesson,
  seat: Seat,
  wanted: { mark: Mark | null; note: string | null; late_minutes: number | null; rule: ChargeRule | null },
  act: CascadeContext,
): NewMark | null => {
  const { mark, note, late_minutes, rule } = wanted;
  const before = seat.mark;
  const recharge = rule !== (before?.charge_rule ?? null) || (before !== null && before.lesson_hours !== lesson.hours);
  const fresh = rule === null ? 0 : chargeOf(lesson.hours, rule, act.policy);
  const charged_hours = recharge ? fresh : (before?.charged_hours ?? 0);
  const moves = recharge && (charged_hours > 0 || (before?.charged_hours ?? 0) > 0);
  const isNew =
    mark !== (before?.mark ?? null) ||
    note !== (before?.note ?? null) ||
    late_minutes !== (before?.late_minutes ?? null);
  if (!isNew && !moves && !(recharge && mark !== null)) return null;
  return {
    mark,
    note,
    late_minutes,
    charge_rule: rule,
    lesson_hours: lesson.hours,
    charged_hours,
    moves,
    policy_version: recharge ? act.policy.version : (before?.policy_version ?? act.policy.version),
    revision: (before?.revision ?? 0) + 1,
    marked_by: act.actor_id,
    marked_at: act.now,
  };
};

/**
 * The cascade for one student at one lesson (rules, part 6): from the lesson, the listing, the mark and the
 * leave as they are now, and what roll call says, to the mark, charge, leave and credit that must follow.
 * Deriving twice changes nothing.
 */
export const deriveSeat = (
  lesson: Lesson,
  seat: Seat,
  instruction: Instruction | undefined,
  act: CascadeContext,
): Outcome => {
  const asked = instruction?.mark === null ? withoutMark(seat) : seat;
  const leave = leaveOf(lesson, belongs(asked), instruction?.leave ?? seat.leave);
  const mark = markOf(lesson, asked, leave, instruction);
  const said = instruction?.note === undefined ? (seat.mark?.note ?? null) : instruction.note;
  const note = mark === null ? null : said;
  const late = instruction?.late_minutes === undefined ? (seat.mark?.late_minutes ?? null) : instruction.late_minutes;
  const late_minutes = mark === 'late' ? late : null;
  const rule = ruleOf(lesson, seat, leave, mark);
  const after = leave === null ? null : { ...leave, credit: creditOf(leave, mark, act.now) };
  return {
    mark: revise(lesson, seat, { mark, note, late_minutes, rule }, act),
    leave: after === null || isDeepStrictEqual(after, seat.leave) ? null : { ...after, version: after.version + 1 },
  };
};
