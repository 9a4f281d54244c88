export const DAY_MS = 86_400_000;

/** Days of a date `YYYY-MM-DD` since 1970-01-01, a Thursday. Daylight saving does not affect them. */
export const dayNumber = (date: string): number => Date.parse(date) / DAY_MS;
