import { type Mark, MARKS } from '@teaching/contracts';
import { bigint, instant, p, table } from '@teaching/kit';

/** Column for a sum of hours, without an upper limit. */
export const hourSumColumn = () => p.decimal();

/** A record with one value for each mark that a student can get. */
export const byMark = <V>(value: (mark: Mark) => V): Record<Mark, V> =>
  Object.fromEntries(MARKS.map((mark) => [mark, value(mark)])) as Record<Mark, V>;

/** Columns of the figures of a class at one instant, or of an organization in one quarter of an hour. */
export const countColumns = () => ({
  scheduled: p.integer(),
  held: p.integer(),
  hours_taught: hourSumColumn(),
  roll_calls_in_time: p.integer(),
  seats: p.integer(),
  unmarked: p.integer(),
  guests: p.integer(),
  ...byMark(() => p.integer()),
  hours_consumed: hourSumColumn(),
});

/** Figures of the lessons of one class with one teacher that start at one instant. */
export const CLAZZ_FIGURE = table('clazz_figure', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  clazz_id: p.uuid().primary(),
  at: instant().primary(),
  teacher_id: p.text().primary(),
  ...countColumns(),
});

/** Figures of one organization in one quarter of an hour. */
const ORG_FIGURE = table('org_figure', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  at: instant().primary(),
  ...countColumns(),
  markings: p.integer(),
  marking_seconds: bigint(),
  leave_handled: p.integer(),
});

/** The current sums of an organization. */
export const ORG_ACCOUNT = table('org_account', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  granted: hourSumColumn(),
  consumed: hourSumColumn(),
  balance: hourSumColumn(),
  clazzes_active: p.integer(),
  students_active: p.integer(),
  adjusted: hourSumColumn(),
  transferred_in: hourSumColumn(),
  transferred_out: hourSumColumn(),
  refunded: hourSumColumn(),
  expired: hourSumColumn(),
});

/** Names of the tables with sums over records. */
export const FIGURE_TABLES: readonly string[] = [CLAZZ_FIGURE.name, ORG_FIGURE.name, ORG_ACCOUNT.name];
