import type { HourLot } from '@teaching/contracts';
import type { Row } from '@teaching/kit';
import type { AMOUNTS, InHundredths } from './amounts.rules.ts';
import type { HOUR_ACCOUNT, HOUR_DRAW, HOUR_ENTRY, HOUR_LOT } from './hours.tables.ts';

type Amount = { [K in keyof typeof AMOUNTS]: (typeof AMOUNTS)[K][number] };
type Owner = 'org_id' | 'student_id';

/** A lot. The order of age is the order of the entries that created the lots. */
export type Lot = Omit<InHundredths<Row<typeof HOUR_LOT>, Amount['lot']>, Owner>;

/** A lot before it is added to a ledger. */
export type NewLot = Omit<Lot, 'id' | 'seq' | 'remaining' | 'created_at'>;

/** The source of charged hours: a lot, or none yet (a debt). A debt of an adjustment has no lesson. */
export interface Draw extends Omit<InHundredths<Row<typeof HOUR_DRAW>, Amount['draw']>, Owner> {
  /** Whether the draw has a row. Other draws are derived from the entries of their charges. */
  has_row: boolean;
  /** When the lesson of a debt begins. Null for a debt of an adjustment. Not read for draws from a lot. */
  starts_at: string | null;
}

/** Hours that an expiry took from a lot, without those taken back later. */
export interface ExpiredHours {
  lot_id: string;
  /** The expiry date at which they expired. */
  lot_expires_at: string;
  amount: number;
}

export type Entry = Omit<InHundredths<Row<typeof HOUR_ENTRY>, Amount['entry']>, Owner | 'created_at'>;

/** Balance, sums and last entry of an account, with the data that a ledger needs. */
export interface Account extends Omit<
  InHundredths<Row<typeof HOUR_ACCOUNT>, Amount['account']>,
  'org_id' | 'last_seq'
> {
  last_seq: number;
  lots: readonly Lot[];
  /** All debts, and the draws of the requested lessons. */
  draws: readonly Draw[];
  /** Hours that expired after the first of the requested lessons began. */
  expiredHours: readonly ExpiredHours[];
}

/** The actor, reason and policy version of a movement of hours. */
export interface Cause {
  actor_id: string;
  reason: string | null;
  policy_version: number | null;
}

/** The charge of one mark revision. */
export interface Charge extends Cause {
  lesson_id: string;
  /**
   * The lesson's start. It decides which hours have expired, independent of the time of the roll call (domain rules,
   * section 10).
   */
  starts_at: string;
  course_id: string | null;
  mark_revision: number;
}

export interface LedgerRules {
  /** RFC 3339 in UTC, as in lots. */
  now: string;
  draw_order: readonly HourLot['kind'][];
  reversal_extension_days: number;
  newId: () => string;
}

export const ANY_COURSE = Symbol('lots of every course');
/** The course of the lessons that hours are needed for. Null: lessons without a course. */
export type CourseFilter = string | null | typeof ANY_COURSE;

type Kinds = readonly HourLot['kind'][];

/** Whether the hours of a lot have expired at an instant. They are valid until `expires_at`, which is excluded. */
export const isExpired = ({ expires_at }: Pick<Lot, 'expires_at'>, at: string): boolean =>
  expires_at !== null && expires_at <= at;

export const isForCourse = ({ course_id }: Pick<Lot, 'course_id'>, course: CourseFilter): boolean =>
  course === ANY_COURSE || course_id === null || course_id === course;

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
const expiry = ({ expires_at }: Pick<Lot, 'expires_at'>): string => expires_at ?? '9999';

/** Draw order: kind by the policy, then earliest expiry, then oldest lot (domain rules, section 6). */
export const sortByDrawOrder = <L extends Pick<Lot, 'kind' | 'expires_at' | 'seq'>>(
  lots: readonly L[],
  kinds: Kinds,
): L[] =>
  lots.toSorted(
    (a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || compare(expiry(a), expiry(b)) || a.seq - b.seq,
  );
