import { isDeepStrictEqual } from 'node:util';
import type { Lesson, Mark } from '@teaching/contracts';
import { type ChargeRule, chargeOf, ruleOfCancelled, ruleOfMark } from './charge.rules.ts';
import {
  type Act,
  belongs,
  type Credit,
  type Instruction,
  isListed,
  type LeaveState,
  type NewMark,
  type Outcome,
  type Seat,
} from './seat.ts';

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
export const unbooked = (credit: Credit, status: 'available' | 'withdrawn', now: string): Credit =>
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
  return unbooked(credit, 'withdrawn', now);
};

/** A seat as if it had never been marked, for what follows from a mark that is withdrawn. */
const withdrawn = (seat: Seat): Seat => ({ ...seat, mark: seat.mark && { ...seat.mark, mark: null } });

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
  act: Act,
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
export const deriveSeat = (lesson: Lesson, seat: Seat, instruction: Instruction | undefined, act: Act): Outcome => {
  const asked = instruction?.mark === null ? withdrawn(seat) : seat;
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
