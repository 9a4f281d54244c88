import type { HourLot } from '@teaching/contracts';
import type { Row } from '@teaching/kit';
import type { AMOUNTS, InHundredths } from './amounts.rules.ts';
import type { HOUR_ACCOUNT, HOUR_DRAW, HOUR_ENTRY, HOUR_LOT } from './hours.tables.ts';

type Amount = { [K in keyof typeof AMOUNTS]: (typeof AMOUNTS)[K][number] };
type Owner = 'org_id' | 'student_id';

/** A lot; lots age in the order of the entries that brought them. */
export type Lot = Omit<InHundredths<Row<typeof HOUR_LOT>, Amount['lot']>, Owner>;

/** A lot before it is put into a book. */
export type NewLot = Omit<Lot, 'id' | 'seq' | 'remaining' | 'created_at'>;

/** What stands behind a charge: a lot, or nothing yet (a debt). Debts of an adjustment have no lesson. */
export interface Draw extends Omit<InHundredths<Row<typeof HOUR_DRAW>, Amount['draw']>, Owner> {
  /** It has a row of its own; the others are what the entries of their charges say. */
  has_row: boolean;
}

/** Hours that an expiry took from a lot, as far as they were not taken back. */
export interface Expired {
  lot_id: string;
  /** The expiry that took them. */
  lot_expires_at: string;
  amount: number;
}

export type Entry = Omit<InHundredths<Row<typeof HOUR_ENTRY>, Amount['entry']>, Owner | 'created_at'>;

/** Balance, sums and last entry, and what a book needs beside them. */
export interface Account extends Omit<
  InHundredths<Row<typeof HOUR_ACCOUNT>, Amount['account']>,
  'org_id' | 'last_seq'
> {
  last_seq: number;
  lots: readonly Lot[];
  /** All debts, and the draws of the lessons that are looked at. */
  draws: readonly Draw[];
  /** What expired since the first of the lessons that are looked at began. */
  lapsed: readonly Expired[];
}

/** Why hours move. */
export interface Cause {
  actor_id: string;
  reason: string | null;
  policy_version: number | null;
}

/** The charge of one mark revision. */
export interface Charge extends Cause {
  lesson_id: string;
  /** Hours that had not expired then are good, whenever the mark is given (rules, part 10). */
  starts_at: string;
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

export const ANY_COURSE = Symbol('lots of every course');
/** For lessons of which course hours are wanted. */
export type CourseFilter = string | null | typeof ANY_COURSE;

type Kinds = readonly HourLot['kind'][];

/** Whether a lot's hours have expired at an instant: they are good until then, and no longer. */
export const isOver = ({ expires_at }: Pick<Lot, 'expires_at'>, at: string): boolean =>
  expires_at !== null && expires_at <= at;

export const isFor = ({ course_id }: Pick<Lot, 'course_id'>, course: CourseFilter): boolean =>
  course === ANY_COURSE || course_id === null || course_id === course;

const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
const expiry = ({ expires_at }: Pick<Lot, 'expires_at'>): string => expires_at ?? '9999';

/** Draw order: kind by policy, then earliest expiry, then oldest (rules, part 6). */
export const inDrawOrder = <L extends Pick<Lot, 'kind' | 'expires_at' | 'seq'>>(
  lots: readonly L[],
  kinds: Kinds,
): L[] =>
  lots.toSorted(
    (a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || order(expiry(a), expiry(b)) || a.seq - b.seq,
  );
