import { DAY_MS } from '@teaching/kit';
import { Problem, type UNITS } from '@teaching/contracts';
import { Temporal } from 'temporal-polyfill';

export type Unit = (typeof UNITS)[number];

/** One row of a series: a calendar day, week or month, and what of it lies in the range. */
export interface Slice {
  /** First local day of the whole unit. */
  start: string;
  starts_at: string;
  ends_at: string;
}

export interface StatsRange {
  /** What the answer repeats. */
  asked: { from: string; to: string; zone: string; unit: Unit };
  /** Half-open `[starts_at, ends_at)`. */
  starts_at: string;
  ends_at: string;
  slices: Slice[];
}

/** A series has a row for each of them. */
const MOST_SLICES = 400;

const refuse = (path: string, message: string): Problem =>
  new Problem('invalid_request', { errors: [{ path: `/query/${path}`, message }] });

const iso = (epochMs: number): string => new Date(epochMs).toISOString();

/**
 * The instants at which the local days from `first` on begin, one more than there are days. A day is as
 * long as its zone makes it: 23 or 25 hours when the clocks change, and it begins at 01:00 where midnight
 * is skipped. Between two changes of the clocks every day is 24 hours after the one before.
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

/** Days as numbers, for which a calendar of its own for each would be slow: 0 is 1970-01-01, a Thursday. */
const numberOf = ({ year, month, day }: Temporal.PlainDate): number => Date.UTC(year, month - 1, day) / DAY_MS;
const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
/** The first day of a month so many after that of `day`. */
const monthOf = (day: number, after: number): number => {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + after, 1) / DAY_MS;
};

/** The first day of the unit that a day belongs to; weeks begin on Monday (ISO 8601). */
const unitStart = (day: number, unit: Unit): number => {
  if (unit === 'month') return monthOf(day, 0);
  return unit === 'week' ? day - ((day + 3) % 7) : day;
};
const nextUnit = (day: number, unit: Unit): number => {
  if (unit === 'month') return monthOf(day, 1);
  return day + (unit === 'week' ? 7 : 1);
};

/** The days that the units of a range begin at, and the first that belongs to none of them. */
const unitsOf = (first: number, last: number, unit: Unit): number[] => {
  const begins = [unitStart(first, unit)];
  for (let at = begins[0] ?? first; at <= last; begins.push(at)) {
    if (begins.length > MOST_SLICES) throw refuse('to', `must leave at most ${MOST_SLICES} ${unit}s in the range`);
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

/** Cutting days costs more than most answers, and most callers ask about the same month. */
const KEPT = 500;
const kept = new Map<string, Slice[]>();

const slicesFor = (from: Temporal.PlainDate, to: Temporal.PlainDate, zone: string, unit: Unit): Slice[] => {
  const key = `${from.toString()} ${to.toString()} ${zone} ${unit}`;
  let slices = kept.get(key);
  if (slices !== undefined) return slices;
  slices = slicesOf(from, from.until(to).days + 1, zone, unit);
  if (kept.size >= KEPT) kept.clear();
  kept.set(key, slices);
  return slices;
};

/**
 * The range a caller asked about. A missing end is the end of the month of the other, and without both it
 * is the current month in the zone.
 */
export const rangeOf = (
  query: { from?: string | undefined; to?: string | undefined; zone: string; unit: Unit },
  now: Date,
): StatsRange => {
  const { zone, unit } = query;
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone).toPlainDate();
  const dayOf = (text: string | undefined) => text && Temporal.PlainDate.from(text);
  const given = { from: dayOf(query.from), to: dayOf(query.to) };
  const from = given.from || (given.to || today).with({ day: 1 });
  const to = given.to || (given.from || today).with({ day: (given.from || today).daysInMonth });
  if (Temporal.PlainDate.compare(from, to) > 0) throw refuse('to', 'must not be before from');
  const slices = slicesFor(from, to, zone, unit);
  return {
    asked: { from: from.toString(), to: to.toString(), zone, unit },
    starts_at: slices[0]?.starts_at ?? '',
    ends_at: slices.at(-1)?.ends_at ?? '',
    slices,
  };
};
