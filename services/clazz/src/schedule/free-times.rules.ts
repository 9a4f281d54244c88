import { addDays, daysLater, HOUR_MS, isExistingDate, localDate, MINUTE_MS } from '@teaching/kit';
import { type Holidays, holidayOf } from './holiday.rules.ts';

export interface TimeSlot {
  starts_at: string;
  ends_at: string;
}

const STEP_MS = 30 * MINUTE_MS;
const LATER_MS = 6 * HOUR_MS;
const DAYS = 14;

const shifted = ({ starts_at, ends_at }: TimeSlot, ms: number): TimeSlot => ({
  starts_at: new Date(Date.parse(starts_at) + ms).toISOString(),
  ends_at: new Date(Date.parse(ends_at) + ms).toISOString(),
});

const dayOf = (instant: string, zone: string): string => localDate(new Date(instant), zone);

/**
 * Alternative times for a lesson with a clash: later on the same local day in steps of 30 minutes, and at the same
 * local time on the next 14 days. None is on a holiday, except on the day of a wanted time that is on one.
 */
export const alternativeTimes = (
  wanted: TimeSlot,
  zone: string,
  holidays: Holidays,
): { sameDay: TimeSlot[]; otherDays: TimeSlot[] } => {
  const date = dayOf(wanted.starts_at, zone);
  const sameDay = Array.from({ length: LATER_MS / STEP_MS }, (_none, step) =>
    shifted(wanted, (step + 1) * STEP_MS),
  ).filter(({ ends_at }) => dayOf(new Date(Date.parse(ends_at) - 1).toISOString(), zone) === date);
  const length = Date.parse(wanted.ends_at) - Date.parse(wanted.starts_at);
  const otherDays = Array.from({ length: DAYS }, (_none, index) => index + 1)
    .filter((days) => isExistingDate(addDays(date, days), zone))
    .map((days) => daysLater(wanted.starts_at, days, zone))
    .map((starts_at) => ({ starts_at, ends_at: new Date(Date.parse(starts_at) + length).toISOString() }));
  const isOpen = (time: TimeSlot): boolean => holidayOf(time, holidays) === undefined;
  return { sameDay: isOpen(wanted) ? sameDay.filter(isOpen) : sameDay, otherDays: otherDays.filter(isOpen) };
};

/**
 * The first free time of the same day and the first two of other days. `isFree` gets the index in `[...sameDay,
 * ...otherDays]`.
 */
export const bestTimes = (
  { sameDay, otherDays }: { sameDay: readonly TimeSlot[]; otherDays: readonly TimeSlot[] },
  isFree: (index: number) => boolean,
): TimeSlot[] => [
  ...sameDay.filter((_time, index) => isFree(index)).slice(0, 1),
  ...otherDays.filter((_time, index) => isFree(sameDay.length + index)).slice(0, 2),
];
