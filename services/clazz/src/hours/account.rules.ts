import type { HourEntry, HourLot } from '@teaching/contracts';

/** A lot in hundredths of an hour. */
export interface Lot extends Omit<HourLot, 'remaining' | 'granted'> {
  remaining: number;
  granted: number;
  /** The entry that brought it: lots age in this order. */
  seq: number;
}

/** What stands behind a charge: a lot, or nothing yet (a debt). Debts of an adjustment have no lesson. */
export interface Draw {
  id: string;
  /** The entry that took the hours: debts age in this order. */
  seq: number;
  lesson_id: string | null;
  mark_revision: number | null;
  course_id: string | null;
  lot_id: string | null;
  amount: number;
}

/** A lot before it is put into a book. */
export type NewLot = Omit<Lot, 'id' | 'seq' | 'remaining' | 'created_at'>;

export interface Account {
  student_id: string;
  balance: number;
  /** Hours ever granted, and charges less what was given back. */
  granted: number;
  consumed: number;
  last_seq: number;
  lots: readonly Lot[];
  /** All debts, and the draws of the lessons that are looked at. */
  draws: readonly Draw[];
}

export type Entry = Pick<
  HourEntry,
  'id' | 'kind' | 'lot_id' | 'lesson_id' | 'mark_revision' | 'policy_version' | 'lot_expires_at' | 'actor_id' | 'reason'
> & { seq: number; amount: number; balance_before: number; balance_after: number };

/** Why hours move. */
export interface Cause {
  actor_id: string;
  reason: string | null;
  policy_version: number | null;
}

/** The charge of one mark revision. */
export interface Charge extends Cause {
  lesson_id: string;
  course_id: string | null;
  mark_revision: number;
}

export interface BookRules {
  /** RFC 3339 UTC, as the lots have it. */
  now: string;
  draw_order: readonly HourLot['kind'][];
  reversal_extension_days: number;
  newId: () => string;
}
