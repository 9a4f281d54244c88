import { Temporal } from 'temporal-polyfill';

const wire = (at: Temporal.ZonedDateTime): string => new Date(at.epochMilliseconds).toISOString();

/**
 * The instant of a wall-clock time. One that daylight saving skips is moved on by the gap, one that occurs
 * twice is the first (RFC 5545 §3.3.5).
 */
export const instantOf = (date: string, time: string, zone: string): string =>
  wire(Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(zone));

const localTime = (instant: string, zone: string): Temporal.PlainDateTime =>
  Temporal.Instant.from(instant).toZonedDateTimeISO(zone).toPlainDateTime();

/** Moves an instant by the difference that two others have on the wall clock of a zone. */
export const shiftLocally = (instant: string, from: string, to: string, zone: string): string => {
  if (from === to) return instant;
  const difference = localTime(from, zone).until(localTime(to, zone), { largestUnit: 'day' });
  return wire(localTime(instant, zone).add(difference).toZonedDateTime(zone));
};
