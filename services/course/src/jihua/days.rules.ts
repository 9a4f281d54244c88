import { Temporal } from 'temporal-polyfill';

const DAY_MS = 86_400_000;

/** Days are `YYYY-MM-DD`, so they compare as text; arithmetic is by day number, where no clock is ever set. */
export const dayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS;
export const dayOf = (number: number): string => new Date(number * DAY_MS).toISOString().slice(0, 10);
export const addDays = (date: string, days: number): string => dayOf(dayNumber(date) + days);

/** 1 is Monday, 7 Sunday (ISO 8601). 1970-01-01 was a Thursday. */
export const weekdayOf = (number: number): number => ((((number + 3) % 7) + 7) % 7) + 1;

/** The calendar day it is in a zone at an instant. */
export const localDate = (at: Date, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDate().toString();

/** False for a day that a zone left out when it crossed the date line, such as 2011-12-30 in Samoa. */
export const existsIn = (date: string, zone: string): boolean =>
  Temporal.PlainDate.from(date).toZonedDateTime(zone).toPlainDate().toString() === date;
