import { addDays, dayNumber, weekdayOf as isoWeekdayOf } from '../../../libs/kit/src/base/time.ts';
import { WEEKDAYS, type Weekday } from './clazzes.ts';

/** A local moment: day `YYYY-MM-DD`, time `HH:MM`. */
export interface Local {
  day: string;
  time: string;
}

const clocks = new Map<string, Intl.DateTimeFormat>();
const clockOf = (zone: string): Intl.DateTimeFormat => {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  // Swedish writes days and times as ISO 8601 does.
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  clocks.set(zone, clock);
  return clock;
};

export const localOf = (zone: string, instant: Date | string): Local => {
  const [day = '', time = ''] = clockOf(zone).format(new Date(instant)).split(' ');
  return { day, time };
};

/** Days from one to the other, both included. */
export const daysBetween = (from: string, to: string): string[] =>
  Array.from({ length: Math.max(0, dayNumber(to) - dayNumber(from) + 1) }, (_, n) => addDays(from, n));

const placeOf = (day: string): number => isoWeekdayOf(dayNumber(day)) - 1;
export const weekdayOf = (day: string): Weekday => WEEKDAYS[placeOf(day)] ?? 'MO';
export const mondayOf = (day: string): string => addDays(day, -placeOf(day));

/** Whole years between two days. */
export const ageOn = (day: string, birthday: string): number =>
  Number(day.slice(0, 4)) - Number(birthday.slice(0, 4)) - (day.slice(5) < birthday.slice(5) ? 1 : 0);

const offsetOn = (zone: string, day: string): string | undefined =>
  new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
    .formatToParts(new Date(`${day}T12:00:00Z`))
    .find(({ type }) => type === 'timeZoneName')?.value;

/** Whether the clocks of a zone differ on another day; a term is too short for two changes. */
export const changesClocks = (zone: string, from: string, to: string): boolean =>
  offsetOn(zone, from) !== offsetOn(zone, to);
