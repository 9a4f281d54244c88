import type { Leave, Lesson, Mark, Policy } from '@teaching/contracts';
import { type ChargeRule, chargeOf, ruleOfCancelled, ruleOfMark } from './charge.rules.ts';

/** The newest revision of one student's mark at one lesson. */
export interface CurrentMark {
  mark: Mark | null;
  revision: number;
  note: string | null;
  charge_rule: string | null;
  lesson_hours: string;
  /** Hundredths. */
  charged: number;
  policy_version: number;
  marked_by: string;
  marked_at: string;
}

export interface Credit {
  status: 'available' | 'used' | 'withdrawn';
  expires_at: string;
  /** The lesson it is used for. */
  lesson_id: string | null;
  /** That lesson's roll call has marked the student. */
  is_marked: boolean;
}

export interface LeaveState extends Omit<Leave, 'make_up'> {
  ended_from: 'pending' | 'approved' | null;
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

/** What somebody says about a seat: a roll call gives a mark, a decision gives the leave as decided. */
export interface Wish {
  mark?: Mark;
  note?: string | null;
  leave?: LeaveState;
}

export interface NewMark extends CurrentMark {
  /** Whether hours move: the former charge is given back and this one made. */
  moves: boolean;
}

/** What has to become of a seat; `null`: stays as it is. */
export interface Outcome {
  mark: NewMark | null;
  leave: LeaveState | null;
}

export interface Act {
  policy: Policy;
  actor_id: string;
  now: string;
}

export const isListed = (seat: Seat): boolean => seat.enrolled || seat.guest;

/**
 * Leave lives and dies with what it is from: a cancelled lesson, or a student who does not belong to it any
 * more, ends it; when that is undone it is as it was.
 */
const leaveOf = (lesson: Lesson, enrolled: boolean, leave: LeaveState | null): LeaveState | null => {
  if (leave === null) return null;
  const stands = lesson.status !== 'cancelled' && enrolled;
  if (!stands && (leave.status === 'pending' || leave.status === 'approved')) {
    return { ...leave, status: 'cancelled', ended_from: leave.status };
  }
  if (stands && leave.ended_from !== null) return { ...leave, status: leave.ended_from, ended_from: null };
  return leave;
};

/** An approved leave earns a credit as long as the student really was away. */
const creditOf = (leave: LeaveState, mark: Mark | null): Credit | null => {
  const { credit } = leave;
  if (credit === null) return null;
  const earned = leave.status === 'approved' && (mark === null || mark === 'leave');
  if (earned && credit.status === 'withdrawn') return { ...credit, status: 'available' };
  const isUsedUp = credit.status === 'used' && credit.is_marked;
  if (earned || isUsedUp || credit.status === 'withdrawn') return credit;
  return { ...credit, status: 'withdrawn', lesson_id: null };
};

/** The mark that should stand. A roll call without a word about a student on leave means leave. */
const markOf = (lesson: Lesson, seat: Seat, leave: LeaveState | null, wish: Wish | undefined): Mark | null => {
  if (lesson.status === 'cancelled' || !isListed(seat)) return null;
  if (wish?.mark !== undefined) return wish.mark;
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
  wanted: { mark: Mark | null; note: string | null; rule: ChargeRule | null },
  act: Act,
): NewMark | null => {
  const { mark, note, rule } = wanted;
  const before = seat.mark;
  const recharge = rule !== (before?.charge_rule ?? null) || (before !== null && before.lesson_hours !== lesson.hours);
  const fresh = rule === null ? 0 : chargeOf(lesson.hours, rule, act.policy);
  const charged = recharge ? fresh : (before?.charged ?? 0);
  const moves = recharge && (charged > 0 || (before?.charged ?? 0) > 0);
  const isNew = mark !== (before?.mark ?? null) || note !== (before?.note ?? null);
  if (!isNew && !moves && !(recharge && mark !== null)) return null;
  return {
    mark,
    note,
    charge_rule: rule,
    lesson_hours: lesson.hours,
    charged,
    moves,
    policy_version: recharge ? act.policy.version : (before?.policy_version ?? act.policy.version),
    revision: (before?.revision ?? 0) + 1,
    marked_by: act.actor_id,
    marked_at: act.now,
  };
};

const sameLeave = (a: LeaveState, b: LeaveState): boolean =>
  a.status === b.status && a.ended_from === b.ended_from && a.credit?.status === b.credit?.status;

/**
 * The cascade for one student at one lesson (rules, part 6): from the lesson, the listing, the mark and the
 * leave as they are now, and what roll call says, to the mark, charge, leave and credit that must follow.
 * Deriving twice changes nothing.
 */
export const deriveSeat = (lesson: Lesson, seat: Seat, wish: Wish | undefined, act: Act): Outcome => {
  const leave = leaveOf(lesson, seat.enrolled, wish?.leave ?? seat.leave);
  const mark = markOf(lesson, seat, leave, wish);
  const said = wish?.note === undefined ? (seat.mark?.note ?? null) : wish.note;
  const note = mark === null ? null : said;
  const rule = ruleOf(lesson, seat, leave, mark);
  const after = leave === null ? null : { ...leave, credit: creditOf(leave, mark) };
  const stays = after === null || (seat.leave !== null && sameLeave(after, seat.leave));
  return {
    mark: revise(lesson, seat, { mark, note, rule }, act),
    leave: stays ? null : { ...after, version: after.version + 1 },
  };
};
