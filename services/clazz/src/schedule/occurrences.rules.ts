import { instantOf, MINUTE_MS, recurrenceProblem, UNSUPPORTED_RULE } from '@teaching/kit';
import { type FieldProblem, Problem, type SeriesInput } from '@teaching/contracts';
import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';

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

const invalid = (errors: FieldProblem[]): Problem => new Problem('invalid_request', { errors });

/**
 * Calls `take` for each day of the rule, in order, until it returns false. Days have no zone, so a clock change cannot
 * add, remove or move one.
 */
const eachDay = (spec: Spec, take: (date: string) => boolean): void => {
  const problem = recurrenceProblem(spec.rrule);
  if (problem !== undefined) throw invalid([{ path: '/body/rrule', message: problem }]);
  const day = (date: string) => Temporal.PlainDate.from(date).toZonedDateTime('UTC');
  try {
    const rule = new RRuleTemporal({
      rruleString: `RRULE:${spec.rrule}`,
      dtstart: day(spec.starts_on),
      ...(spec.until == null ? {} : { until: day(spec.until) }),
      strict: true,
      cache: false,
    });
    rule.all((at) => take(at.toString().slice(0, 'YYYY-MM-DD'.length)));
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw invalid([{ path: '/body/rrule', message: UNSUPPORTED_RULE }]);
  }
};

/** The slots that overlap the slot before them. */
export const overlappingSlots = (slots: readonly Slot[]): Slot[] => {
  const sorted = slots.toSorted((a, b) => a.starts_at.localeCompare(b.starts_at));
  return sorted.filter((slot, index) => slot.starts_at < (sorted[index - 1]?.ends_at ?? ''));
};

/**
 * The lessons of a series, at most 500.
 * The local time stays the same across clock changes. Holidays are skipped by local date and not counted. The first day
 * counts only if it matches the rule.
 */
export const occurrencesOf = (spec: Spec, holidays: ReadonlyMap<string, string>): Occurrences => {
  const found: Occurrences = { slots: [], skipped: [] };
  const wanted = spec.count ?? MAX_LESSONS;
  eachDay(spec, (date) => {
    const holiday = holidays.get(date);
    if (holiday !== undefined) {
      found.skipped.push({ date, holiday });
      return true;
    }
    if (spec.count == null && found.slots.length === MAX_LESSONS) {
      throw invalid([{ path: '/body/until', message: `makes more than ${MAX_LESSONS} lessons` }]);
    }
    const starts_at = instantOf(date, spec.start_time, spec.zone);
    const ends_at = new Date(Date.parse(starts_at) + spec.duration_minutes * MINUTE_MS).toISOString();
    found.slots.push({ starts_at, ends_at });
    return spec.count == null || found.slots.length < wanted;
  });
  if (found.slots.length === 0) throw invalid([{ path: '/body/rrule', message: 'makes no lesson' }]);
  if (overlappingSlots(found.slots).length > 0) {
    throw invalid([{ path: '/body/duration_minutes', message: 'makes lessons of the series overlap' }]);
  }
  return found;
};
