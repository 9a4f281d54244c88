import { type Mark, MARKS } from '@teaching/contracts';
import { instant, p, table } from '@teaching/kit';
import { sumOfHours } from './columns.ts';

/** One for each mark that a student can get. */
export const byMark = <V>(value: (mark: Mark) => V): Record<Mark, V> =>
  Object.fromEntries(MARKS.map((mark) => [mark, value(mark)])) as Record<Mark, V>;

/** What is counted of a class at one instant, or of an organization in one quarter of an hour. */
export const counts = () => ({
  scheduled: p.integer(),
  held: p.integer(),
  hours_taught: sumOfHours(),
  roll_calls_in_time: p.integer(),
  seats: p.integer(),
  unmarked: p.integer(),
  guests: p.integer(),
  ...byMark(() => p.integer()),
  hours_consumed: sumOfHours(),
});

/** What one class did at one instant with one teacher. */
export const CLAZZ_FIGURE = table('clazz_figure', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  clazz_id: p.uuid().primary(),
  at: instant().primary(),
  teacher_id: p.text().primary(),
  ...counts(),
});
