/** Dates and times of an organization's zone, and instants. Local dates are `2026-11-23`, local times `09:30`. */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();
const formatOf = (zone: string): Intl.DateTimeFormat => {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  formats.set(zone, format);
  return format;
};

export interface LocalTime {
  date: string;
  time: string;
}

/** The local date and time of an instant in the zone. */
export const localOf = (instant: string | number | Date, zone: string): LocalTime => {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(new Date(instant))
      .map(({ type, value }) => [type, value]),
  );
  return {
    date: `${parts['year'] ?? ''}-${parts['month'] ?? ''}-${parts['day'] ?? ''}`,
    time: `${parts['hour'] ?? ''}:${parts['minute'] ?? ''}`,
  };
};

const asUtc = ({ date, time }: LocalTime): number => Date.parse(`${date}T${time}:00Z`);

/**
 * The instant of a local time in the zone, in epoch milliseconds. A skipped time is moved forward by the length of
 * the gap; of a repeated time, the first is taken (RFC 5545 §3.3.5).
 */
export const instantOf = (local: LocalTime, zone: string): number => {
  const wanted = asUtc(local);
  const offsetAt = (instant: number): number => asUtc(localOf(instant, zone)) - instant;
  const candidates = [offsetAt(wanted - DAY_MS), offsetAt(wanted + DAY_MS)].map((offset) => wanted - offset);
  const fitting = candidates.filter((instant) => asUtc(localOf(instant, zone)) === wanted);
  // In a gap neither candidate has this local time; the offset before the change gives the time after the gap.
  return fitting.length > 0 ? Math.min(...fitting) : (candidates[0] ?? wanted);
};

export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

/** A local date from the address; `today` if it is missing or not a date. */
export const dateFrom = (text: string | undefined, today: string): string => {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return today;
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text ? today : text;
};

/** 1 is Monday, 7 Sunday (ISO 8601). */
export const weekdayOf = (date: string): number => {
  const day = new Date(`${date}T00:00:00Z`).getUTCDay();
  return day === 0 ? 7 : day;
};

/** The Monday on or before the date. */
export const mondayOf = (date: string): string => addDays(date, 1 - weekdayOf(date));

/** Whole days from one local date to another. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);

/** Minutes since midnight of a local time. */
export const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
};

export const timeOf = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** The half-open range of instants that covers `days` local days. */
export const rangeOf = (date: string, days: number, zone: string): { from: string; to: string } => ({
  from: new Date(instantOf({ date, time: '00:00' }, zone)).toISOString(),
  to: new Date(instantOf({ date: addDays(date, days), time: '00:00' }, zone)).toISOString(),
});

/** Whole minutes from one instant to another, rounded down; negative if `to` is in the past. */
export const minutesUntil = (from: number, to: string): number => Math.floor((Date.parse(to) - from) / MINUTE_MS);

const HOUR_MS = 3_600_000;
/** From this distance on, days are counted instead of hours. */
const DAY_COUNT_FROM_HOURS = 12;

/** The distance from now to then: in minutes, in hours, or in days of the zone's calendar. */
export const distanceOf = (now: number, then: number, zone: string): [number, 'minute' | 'hour' | 'day'] => {
  const ms = then - now;
  const days = daysBetween(localOf(now, zone).date, localOf(then, zone).date);
  if (Math.abs(ms) < HOUR_MS) return [Math.trunc(ms / MINUTE_MS), 'minute'];
  return Math.abs(ms) < DAY_COUNT_FROM_HOURS * HOUR_MS || days === 0
    ? [Math.trunc(ms / HOUR_MS), 'hour']
    : [days, 'day'];
};

/** A range of local dates in Chinese, without what both ends share: `2026年11月30日–12月6日`. */
export const chineseDateRange = (from: string, to: string): string => {
  const [[y, m, d] = [], [year, month, day] = []] = [from, to].map((local) => local.split('-').map(Number));
  const end = `${year === y ? '' : `${year}年`}${year === y && month === m ? '' : `${month}月`}${day}日`;
  return `${y}年${m}月${d}日–${end}`;
};
