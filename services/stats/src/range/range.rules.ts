import { DAY_MS } from '@teaching/kit';
import type { UNITS } from '@teaching/contracts';
import { Temporal } from 'temporal-polyfill';

export type Unit = (typeof UNITS)[number];

/** One row of a series: a calendar day, week or month, limited to the range. */
export interface Slice {
  /** First local day of the whole unit. */
  start: string;
  starts_at: string;
  ends_at: string;
}

export interface StatsRange {
  /** The range as it is repeated in the answer. */
  request: { from: string; to: string; zone: string; unit: Unit };
  /** Half-open `[starts_at, ends_at)`. */
  starts_at: string;
  ends_at: string;
  slices: Slice[];
}

const iso = (epochMs: number): string => new Date(epochMs).toISOString();

/**
 * The start instants of the local days from `first`, in epoch milliseconds: `days` starts, and the end of the last day.
 * A day has its real length in the zone: 23 or 25 hours when the clocks change. It begins at 01:00 where midnight is
 * skipped. Between two clock changes each day starts 24 hours after the day before.
 */
const dayStarts = (first: Temporal.PlainDate, days: number, zone: string): number[] => {
  const starts: number[] = [];
  let known = first.toZonedDateTime(zone);
  let at = known.epochMilliseconds;
  let change = known.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity;
  let last = known.subtract({ milliseconds: 1 }).offset === known.offset ? -Infinity : at;
  for (let day = 0; day <= days; day += 1) {
    starts.push(at);
    if (change > at + DAY_MS && last < at) {
      at += DAY_MS;
      continue;
    }
    known = first.add({ days: day + 1 }).toZonedDateTime(zone);
    at = known.epochMilliseconds;
    last = change <= at ? change : last;
    if (change <= at) change = known.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity;
  }
  return starts;
};

/** A day as a number: 0 is 1970-01-01, a Thursday. Numbers are faster than date objects. */
const numberOf = ({ year, month, day }: Temporal.PlainDate): number => Date.UTC(year, month - 1, day) / DAY_MS;
const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
/** The first day of the month that is `months` months after the month of `day`. */
const monthOf = (day: number, months: number): number => {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1) / DAY_MS;
};

/** The first day of the unit that contains a day. Weeks begin on Monday (ISO 8601). */
const unitStart = (day: number, unit: Unit): number => {
  if (unit === 'month') return monthOf(day, 0);
  return unit === 'week' ? day - ((day + 3) % 7) : day;
};
const nextUnit = (day: number, unit: Unit): number => {
  if (unit === 'month') return monthOf(day, 1);
  return day + (unit === 'week' ? 7 : 1);
};

/** The first days of the units of a range, and the first day after the last unit. */
const unitsOf = (first: number, last: number, unit: Unit): number[] => {
  const begins = [unitStart(first, unit)];
  for (let at = begins[0] ?? first; at <= last; begins.push(at)) {
    at = nextUnit(at, unit);
  }
  return begins;
};

const slicesOf = (from: Temporal.PlainDate, days: number, zone: string, unit: Unit): Slice[] => {
  const first = numberOf(from);
  const begins = unitsOf(first, first + days - 1, unit);
  const starts = dayStarts(from, days, zone).map(iso);
  const startOf = (day: number): string => starts[Math.min(Math.max(day - first, 0), days)] ?? '';
  return begins.slice(1).map((next, index) => {
    const begin = begins[index] ?? first;
    return { start: dateOf(begin), starts_at: startOf(begin), ends_at: startOf(next) };
  });
};

/** Computing slices costs more than most answers, and most requests are about the same month. So slices are cached. */
const MAX_CACHED = 500;
const cache = new Map<string, Slice[]>();

const slicesFor = (from: Temporal.PlainDate, to: Temporal.PlainDate, zone: string, unit: Unit): Slice[] => {
  const key = `${from.toString()} ${to.toString()} ${zone} ${unit}`;
  let slices = cache.get(key);
  if (slices !== undefined) return slices;
  slices = slicesOf(from, from.until(to).days + 1, zone, unit);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(key, slices);
  return slices;
};

/**
 * The requested range. Without `to` it ends with the month of `from`; without `from` it begins with the month of `to`.
 * Without both it is the current month in the zone. The contract has refused a wrong order and too many units.
 */
export const rangeOf = (
  query: { from?: string | undefined; to?: string | undefined; zone: string; unit: Unit },
  now: Date,
): StatsRange => {
  const { zone, unit } = query;
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone).toPlainDate();
  const dayOf = (text: string | undefined) => text && Temporal.PlainDate.from(text);
  const requested = { from: dayOf(query.from), to: dayOf(query.to) };
  const from = requested.from || (requested.to || today).with({ day: 1 });
  const to = requested.to || (requested.from || today).with({ day: (requested.from || today).daysInMonth });
  const slices = slicesFor(from, to, zone, unit);
  return {
    request: { from: from.toString(), to: to.toString(), zone, unit },
    starts_at: slices[0]?.starts_at ?? '',
    ends_at: slices.at(-1)?.ends_at ?? '',
    slices,
  };
};
