const DAY_MS = 86_400_000;

const offsetAt = (zone: string, at: number): string | undefined =>
  new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value;

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** The first day after `now` by at least `ahead` days on which the clocks of a zone have changed. */
export const nextClockChange = (zone: string, now: Date, ahead: number): string => {
  const first = Date.parse(dayOf(now.getTime() + ahead * DAY_MS)) + DAY_MS / 2;
  const days = Array.from({ length: 366 }, (_, index) => first + index * DAY_MS);
  const changed = days.find((noon) => offsetAt(zone, noon) !== offsetAt(zone, noon - DAY_MS));
  if (changed === undefined) throw new Error(`${zone} has no daylight saving`);
  return dayOf(changed);
};

/** A calendar day so many days later or earlier. */
export const shiftDay = (day: string, days: number): string => dayOf(Date.parse(day) + days * DAY_MS);
