import { addDays } from '../../../libs/kit/src/base/time.ts';
import type { SchoolClazz, Slot } from './clazzes.ts';
import { changesClocks, daysBetween, localOf, mondayOf, weekdayOf } from './days.rules.ts';

/** Days of the term, both included. */
export interface Term {
  starts_on: string;
  ends_on: string;
}

/** How long the term is, in whole weeks before and after this one. */
export interface Length {
  weeks_back: number;
  weeks_ahead: number;
}

/** Where a school could be, the first choice first. Around New Year and in June no term is long enough for a change. */
const ZONES = ['Europe/Madrid', 'America/New_York', 'Australia/Sydney', 'America/Santiago'] as const;
/** The term is extended when it has no more than these days left. */
const EXTEND_DAYS = 14;
const EXTEND_WEEKS = 8;
/** The school closes on one day in so many weeks: the Wednesday of the fifth, the thirteenth and so on. */
const CLOSED_DAY = 4 * 7 + 2;

export const termAround = (today: string, { weeks_back, weeks_ahead }: Length): Term => ({
  starts_on: addDays(mondayOf(today), -7 * weeks_back),
  ends_on: addDays(mondayOf(today), 7 * weeks_ahead + 6),
});

/** The first zone whose clocks change within the term; the first of all if none does. */
export const zoneFor = (now: Date, length: Length): string =>
  ZONES.find((zone) => {
    const { starts_on, ends_on } = termAround(localOf(zone, now).day, length);
    return changesClocks(zone, starts_on, ends_on);
  }) ?? ZONES[0];

/** The last day of a term that is extended in time. */
export const endOn = (today: string, ends_on: string): string =>
  ends_on >= addDays(today, EXTEND_DAYS) ? ends_on : endOn(today, addDays(ends_on, EXTEND_WEEKS * 7));

/** Days without lessons. */
export const closedDays = ({ starts_on, ends_on }: Term): string[] =>
  daysBetween(starts_on, ends_on).filter(
    (_, n) => n % (EXTEND_WEEKS * 7) === CLOSED_DAY % (EXTEND_WEEKS * 7) && n >= CLOSED_DAY,
  );

/** The days on which a slot has a lesson. */
export const slotDays = ({ days }: Slot, { starts_on, ends_on }: Term, closed: readonly string[]): string[] =>
  daysBetween(starts_on, ends_on).filter((day) => days.includes(weekdayOf(day)) && !closed.includes(day));

export interface PlannedLesson {
  clazz: SchoolClazz;
  day: string;
  time: string;
}

/** Every lesson of the term, in order. */
export const plannedLessons = (clazzes: readonly SchoolClazz[], term: Term, closed: readonly string[]) =>
  clazzes
    .flatMap((clazz) =>
      clazz.slots.flatMap((slot) =>
        slotDays(slot, term, closed).map((day): PlannedLesson => ({ clazz, day, time: slot.time })),
      ),
    )
    .toSorted((a, b) => `${a.day} ${a.time}`.localeCompare(`${b.day} ${b.time}`));

/** Whether a lesson at this local time is at its slot; a moved one is not. */
export const isOfSlot = ({ time, days }: Slot, at: { day: string; time: string }): boolean =>
  time === at.time && days.includes(weekdayOf(at.day));
