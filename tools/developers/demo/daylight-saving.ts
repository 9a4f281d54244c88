import { addDays } from '../../../libs/kit/src/base/time.ts';
import { changesClocks } from '../school/days.rules.ts';

const YEAR_DAYS = 366;

/** The first day after `now` by at least `ahead` days on which the clocks of a zone have changed. */
export const nextClockChange = (zone: string, now: Date, ahead: number): string => {
  const first = addDays(now.toISOString().slice(0, 10), ahead);
  const days = Array.from({ length: YEAR_DAYS }, (_, n) => addDays(first, n));
  const changed = days.find((day) => changesClocks(zone, addDays(day, -1), day));
  if (changed === undefined) throw new Error(`${zone} has no daylight saving`);
  return changed;
};
