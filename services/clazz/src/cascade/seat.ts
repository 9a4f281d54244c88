import type { Mark, Policy } from '@teaching/contracts';
import type { Row } from '@teaching/kit';
import type { InHundredths } from '../hours/hundredths.rules.ts';
import type { LEAVE } from './leave.table.ts';
import type { MAKE_UP_CREDIT } from './make-up-credit.table.ts';
import type { MARK_REVISION } from './mark-revision.table.ts';

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

/** What somebody says about a seat: a roll call gives a mark or withdraws it (`null`), a decision gives the leave as decided. */
export interface Instruction {
  mark?: Mark | null;
  note?: string | null;
  /** Left out: as it was said before. */
  late_minutes?: number | null | undefined;
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

export const isMarked = ({ mark }: Seat): boolean => mark !== null && mark.mark !== null;

/** Enrolled at the lesson's start, or marked there: who leaves the class afterwards keeps the mark. */
export const belongs = (seat: Seat): boolean => seat.enrolled || (isMarked(seat) && !seat.guest);

export const isListed = (seat: Seat): boolean => belongs(seat) || seat.guest;
