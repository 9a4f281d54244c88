import { addDays, dayNumber, dayOf, isExistingDate, localDate, UNSUPPORTED_RULE, weekdayOf } from '@teaching/kit';
import type { JihuaRow } from '@teaching/contracts';
import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';

/** The fields of a plan that determine its days. */
export type Calendar = Pick<JihuaRow, 'starts_on' | 'ends_on' | 'zone' | 'weekdays' | 'rrule' | 'frozen_dates'>;

/** An invalid recurrence rule. The message is shown to the client. */
export class InvalidRuleError extends Error {}

const UNTIL = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?$/;
const MAX_ITERATIONS = 20_000;

/**
 * The last day that UNTIL includes. An older plan may have a time in UNTIL. The day of a local time is its date; the
 * day of a UTC time is its local date in the plan's zone.
 */
const lastDay = (until: string, zone: string): string => {
  const [, year, month, day, hour, minute, second, utc] = UNTIL.exec(until) ?? [];
  if (year === undefined) throw new InvalidRuleError('UNTIL is not a date or time');
  const date = `${year}-${month}-${day}`;
  if (utc !== 'Z') return date;
  const at = new Date(`${date}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(at.getTime())) throw new InvalidRuleError('UNTIL is not a time');
  return localDate(at, zone);
};

const partsOf = (rrule: string): [name: string, value: string][] =>
  rrule
    .toUpperCase()
    .split(';')
    .map((part) => {
      const [name = '', value = ''] = part.split('=');
      return [name, value];
    });

/** The days of a rule. They are computed in UTC, where every day has 24 hours. */
const ruleDays = (rrule: string, { starts_on, ends_on, zone }: Calendar): string[] => {
  const parts = new Map(partsOf(rrule));
  const until = parts.get('UNTIL');
  parts.delete('UNTIL');
  const last = until === undefined ? ends_on : [ends_on, lastDay(until, zone)].toSorted()[0];
  const at = (date: string | undefined) => Temporal.ZonedDateTime.from(`${date}T00:00:00[UTC]`);
  try {
    const rule = new RRuleTemporal({
      rruleString: [...parts].map(([name, value]) => `${name}=${value}`).join(';'),
      dtstart: at(starts_on),
      temporal: Temporal,
      strict: true,
      maxIterations: MAX_ITERATIONS,
    });
    return rule.between(at(starts_on), at(last), true).map((day) => day.toPlainDate().toString());
  } catch {
    throw new InvalidRuleError(UNSUPPORTED_RULE);
  }
};

const everyDay = ({ starts_on, ends_on }: Calendar): number[] => {
  const first = dayNumber(starts_on);
  return Array.from({ length: dayNumber(ends_on) - first + 1 }, (_, index) => first + index);
};

/**
 * Every planned day in order, without frozen days and days that do not exist in the zone. Throws `InvalidRuleError`.
 */
export const plannedDates = (calendar: Calendar): string[] => {
  const { weekdays, rrule } = calendar;
  const frozen = new Set(calendar.frozen_dates);
  const days =
    rrule === null
      ? everyDay(calendar)
          .filter((day) => weekdays === null || weekdays.includes(weekdayOf(day)))
          .map(dayOf)
      : ruleDays(rrule, calendar);
  return days.filter((day) => !frozen.has(day) && isExistingDate(day, calendar.zone));
};

/**
 * The planned days of a student who belongs to the plan since the day `since`. Null: since the first day of the plan.
 */
export const daysSince = (planned: readonly string[], since: string | null): readonly string[] =>
  since === null ? planned : planned.filter((day) => day >= since);

/** Whether a check-in is possible for a day: it is planned, not in the future, and inside the backfill window. */
export const isCheckInPossible = (
  day: string,
  planned: readonly string[],
  today: string,
  backfill_days: number,
): boolean => planned.includes(day) && day <= today && day >= addDays(today, -backfill_days);
