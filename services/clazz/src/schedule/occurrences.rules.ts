import { instantOf, MINUTE_MS, recurrenceDays } from '@teaching/kit';
import { type FieldProblem, isInYears, LAST_DATE, Problem, type SeriesInput, YEARS } from '@teaching/contracts';
import { type Holidays, holidayOf } from './holiday.rules.ts';

type Spec = Pick<SeriesInput, 'starts_on' | 'start_time' | 'duration_minutes' | 'zone' | 'rrule' | 'until' | 'count'>;

export interface Slot {
  starts_at: string;
  ends_at: string;
}

export interface Occurrences {
  slots: Slot[];
  skipped: { date: string; holiday: string }[];
}

const MAX_LESSONS = 500;
const PAST_THE_END = `makes lessons after ${LAST_DATE}`;

const invalid = (path: string, message: string): Problem => {
  const errors: FieldProblem[] = [{ path: `/body/${path}`, message }];
  return new Problem('invalid_request', { errors });
};

/** 400 for a lesson outside the years of the system: it is due to the rule, except on the first day. */
const slotOf = (date: string, { starts_on, start_time, duration_minutes, zone }: Spec): Slot => {
  const starts_at = instantOf(date, start_time, zone);
  const ends_at = new Date(Date.parse(starts_at) + duration_minutes * MINUTE_MS).toISOString();
  if (date === starts_on && !isInYears(starts_at)) throw invalid('starts_on', YEARS);
  if (!isInYears(ends_at)) throw invalid('rrule', PAST_THE_END);
  return { starts_at, ends_at };
};

/** The slots that overlap the slot before them. */
export const overlappingSlots = (slots: readonly Slot[]): Slot[] => {
  const sorted = slots.toSorted((a, b) => a.starts_at.localeCompare(b.starts_at));
  return sorted.filter((slot, index) => slot.starts_at < (sorted[index - 1]?.ends_at ?? ''));
};

/**
 * The lessons of a series, at most 500.
 * The local time stays the same across clock changes. A lesson on a holiday of the organization is skipped and not
 * counted; so is a date that does not exist in the zone of the series. The first day counts only if it matches the
 * rule. Every lesson is in the years 1970 to 2999, else 400.
 */
export const occurrencesOf = (spec: Spec, holidays: Holidays): Occurrences => {
  const found: Occurrences = { slots: [], skipped: [] };
  const { starts_on: from, until, zone } = spec;
  const count = spec.count ?? Infinity;
  for (const date of recurrenceDays(spec.rrule, { from, last: until ?? LAST_DATE, zone })) {
    const slot = slotOf(date, spec);
    const holiday = holidayOf(slot, holidays);
    if (holiday !== undefined) {
      found.skipped.push({ date, holiday });
      continue;
    }
    if (found.slots.length === MAX_LESSONS) throw invalid('until', `makes more than ${MAX_LESSONS} lessons`);
    found.slots.push(slot);
    if (found.slots.length === count) break;
  }
  if (found.slots.length === 0) throw invalid('rrule', 'makes no lesson');
  if (spec.count != null && found.slots.length < count) throw invalid('rrule', PAST_THE_END);
  if (overlappingSlots(found.slots).length > 0)
    throw invalid('duration_minutes', 'makes lessons of the series overlap');
  return found;
};
