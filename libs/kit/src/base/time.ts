import { DAY_MS, dayNumber } from '@teaching/contracts';
import { Temporal } from 'temporal-polyfill';

export { DAY_MS, dayNumber };

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

const wire = (at: Temporal.ZonedDateTime): string => new Date(at.epochMilliseconds).toISOString();

/**
 * The instant of a wall-clock time. A time that daylight saving skips is moved forward by the gap. Of a time that
 * occurs twice, the first is used (RFC 5545 §3.3.5).
 */
export const instantOf = (date: string, time: string, zone: string): string =>
  wire(Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(zone));

const localTime = (instant: string, zone: string): Temporal.PlainDateTime =>
  Temporal.Instant.from(instant).toZonedDateTimeISO(zone).toPlainDateTime();

/** A wall-clock time without zone: `YYYY-MM-DDTHH:MM:SS`, with a fraction only if it has one. */
export const wallTimeOf = (instant: string, zone: string): string => localTime(instant, zone).toString();

/** Like `instantOf`. With `second`, of a time that occurs twice the second is used. */
export const instantOfWallTime = (wallTime: string, zone: string, second = false): string =>
  wire(
    Temporal.PlainDateTime.from(wallTime).toZonedDateTime(zone, { disambiguation: second ? 'later' : 'compatible' }),
  );

/** Whether the wall-clock time of an instant occurs a second time at it. Undefined for a time that occurs once. */
export const isSecondOccurrence = (instant: string, zone: string): boolean | undefined => {
  const wallTime = wallTimeOf(instant, zone);
  const second = instantOfWallTime(wallTime, zone, true);
  return second === instantOfWallTime(wallTime, zone) ? undefined : instant === second;
};

/** Moves a wall-clock time by the difference between two others. Moving it back restores it. */
export const shiftWallTime = (wallTime: string, from: string, to: string): string => {
  const difference = Temporal.PlainDateTime.from(from).until(to, { largestUnit: 'day' });
  return Temporal.PlainDateTime.from(wallTime).add(difference).toString();
};

/** The calendar day in a time zone at an instant. */
export const localDate = (at: Date, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDate().toString();

/** False for a day that a time zone left out when it crossed the date line, such as 2011-12-30 in Samoa. */
export const isExistingDate = (date: string, zone: string): boolean =>
  Temporal.PlainDate.from(date).toZonedDateTime(zone).toPlainDate().toString() === date;

/** Days are `YYYY-MM-DD`, so they compare as text. Arithmetic uses day numbers. */
export const dayOf = (number: number): string => new Date(number * DAY_MS).toISOString().slice(0, 10);
export const addDays = (date: string, days: number): string => dayOf(dayNumber(date) + days);

/** The end of the day that is `days` days after the day of an instant. A day ends when the next one begins. */
export const endOfDay = (at: Date, days: number, zone: string): string =>
  instantOf(addDays(localDate(at, zone), days + 1), '00:00', zone);

/** The same wall-clock time in a zone, `days` days later. */
export const daysLater = (instant: string, days: number, zone: string): string =>
  wire(localTime(instant, zone).add({ days }).toZonedDateTime(zone));

/** 1 is Monday, 7 Sunday (ISO 8601). 1970-01-01 was a Thursday. */
export const weekdayOf = (number: number): number => ((((number + 3) % 7) + 7) % 7) + 1;
