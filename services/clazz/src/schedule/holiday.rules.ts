import { addDays, instantOf, localDate } from '@teaching/kit';
import type { Lesson } from '@teaching/contracts';

type Times = Pick<Lesson, 'starts_at' | 'ends_at'>;

/** A half-open interval. Both ends are instants. */
export interface Span {
  from: string;
  to: string;
}

/** The span of a day in a zone. It is empty for a day that the zone skipped. */
export const spanOfDay = (date: string, zone: string): Span => ({
  from: instantOf(date, '00:00', zone),
  to: instantOf(addDays(date, 1), '00:00', zone),
});

export const isInSpan = ({ starts_at, ends_at }: Times, { from, to }: Span): boolean =>
  from < to && starts_at < to && ends_at > from;

/** The holidays of an organization: names by date, and the zone of its policy, in which they are days. */
export interface Holidays {
  names: ReadonlyMap<string, string>;
  zone: string;
}

/**
 * The name of the first holiday that a lesson overlaps, in the zone of the organization. This decides whether a series
 * skips a day, whether `lessons=cancel` cancels a lesson, and what a check of a lesson shows.
 */
export const holidayOf = (lesson: Times, { names, zone }: Holidays): string | undefined => {
  // A lesson lasts at most 24 hours. A day more on each side covers clocks that are set back at midnight.
  const before = addDays(localDate(new Date(lesson.starts_at), zone), -1);
  const days = [0, 1, 2, 3].map((n) => addDays(before, n));
  const found = days.find((date) => names.has(date) && isInSpan(lesson, spanOfDay(date, zone)));
  return found === undefined ? undefined : names.get(found);
};
