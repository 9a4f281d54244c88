import { addDays, dayNumber, dayOf, isExistingDate, localDate, recurrenceDays, weekdayOf } from '@teaching/kit';
import type { JihuaRow } from '@teaching/contracts';

/** The fields of a plan that determine its days. */
export type Calendar = Pick<JihuaRow, 'starts_on' | 'ends_on' | 'zone' | 'weekdays' | 'rrule' | 'frozen_dates'>;

/**
 * The last day that UNTIL includes. An older plan may have a time in UNTIL. The day of a local time is its date; the
 * day of a UTC time is its local date in the plan's zone.
 */
const lastDay = (rrule: string, { ends_on, zone }: Calendar): string => {
  const until = /UNTIL=(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?/i.exec(rrule);
  if (until === null) return ends_on;
  const [, year, month, day, hour, minute, second, utc] = until;
  const date = `${year}-${month}-${day}`;
  const last =
    utc === undefined || utc === '' ? date : localDate(new Date(`${date}T${hour}:${minute}:${second}Z`), zone);
  return last < ends_on ? last : ends_on;
};

const ruleDays = (rrule: string, calendar: Calendar): string[] => {
  const { starts_on: from, zone } = calendar;
  return [...recurrenceDays(rrule, { from, last: lastDay(rrule, calendar), zone })];
};

const everyDay = ({ starts_on, ends_on }: Calendar): number[] => {
  const first = dayNumber(starts_on);
  return Array.from({ length: dayNumber(ends_on) - first + 1 }, (_, index) => first + index);
};

/** Every day of the weekdays or the rule in order, without days that do not exist in the zone. */
export const daysOfRhythm = (calendar: Calendar): string[] => {
  const { weekdays, rrule, zone } = calendar;
  if (rrule !== null) return ruleDays(rrule, calendar);
  return everyDay(calendar)
    .filter((day) => weekdays === null || weekdays.includes(weekdayOf(day)))
    .map(dayOf)
    .filter((day) => isExistingDate(day, zone));
};

/** Every planned day in order: the days of the rhythm without frozen ones. */
export const plannedDates = (calendar: Calendar): string[] => {
  const frozen = new Set(calendar.frozen_dates);
  return daysOfRhythm(calendar).filter((day) => !frozen.has(day));
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
