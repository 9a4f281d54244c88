import type { HourLot } from '@teaching/contracts';
import type { Lot } from './account.rules.ts';

export const ANY_COURSE = Symbol('lots of every course');
/** For lessons of which course hours are wanted. */
export type ForCourse = string | null | typeof ANY_COURSE;

type Kinds = readonly HourLot['kind'][];

/** Whether a lot's hours have expired at an instant: they are good until then, and no longer. */
export const isOver = ({ expires_at }: Pick<Lot, 'expires_at'>, at: string): boolean =>
  expires_at !== null && expires_at <= at;

export const isFor = ({ course_id }: Pick<Lot, 'course_id'>, course: ForCourse): boolean =>
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
