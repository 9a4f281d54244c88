export const DAY_MS = 86_400_000;

/** Days since 1970-01-01, a Thursday. */
export const dayNumber = (date: string): number => Date.parse(date) / DAY_MS;
