import { addDays, instantOfWallTime, isSecondOccurrence, shiftWallTime, wallTimeOf } from '@teaching/kit';
import type { Lesson } from '@teaching/contracts';

/**
 * The part of a lesson's nominal local time that its start does not show. The nominal time of a lesson that a clock change
 * moved from 02:30 to 03:30 is 02:30.
 *
 * `nominal_start` counts while it gives the start of the lesson. Otherwise it is the nominal time of an earlier start,
 * which the lesson gets back when it moves back to that start. Null is usual: the nominal time is that of the series, or
 * the local time of the start.
 */
export interface NominalTime {
  nominal_start: string | null;
  second_occurrence: boolean;
}
type Start = Pick<Lesson, 'starts_at' | 'zone'> & NominalTime;

/**
 * The stored nominal time if it gives the start of the lesson, else the first candidate that does, else the local time.
 * The candidates are derived from the local time.
 */
const findNominal = (
  { starts_at, zone, nominal_start }: Start,
  candidates: (local: string) => readonly string[],
): string => {
  const gives = (time: string): boolean => instantOfWallTime(time, zone) === starts_at;
  if (nominal_start !== null && gives(nominal_start)) return nominal_start;
  const local = wallTimeOf(starts_at, zone);
  return candidates(local).find(gives) ?? local;
};

/** The nominal local start: the stored one or the time of the series if it gives this start, else the local time. */
export const nominalStart = (lesson: Start, series_time: string | null): string =>
  findNominal(lesson, (local) => {
    if (series_time === null || local.endsWith(`T${series_time}:00`)) return [];
    const date = local.slice(0, 'YYYY-MM-DD'.length);
    // A clock change before midnight moves a lesson to the next day.
    return [date, addDays(date, -1)].map((day) => `${day}T${series_time}:00`);
  });

/** Whether the lesson has, or had when its local time last occurred twice, the second occurrence. */
const isSecond = ({ starts_at, zone, second_occurrence }: Start): boolean =>
  isSecondOccurrence(starts_at, zone) ?? second_occurrence;

/** The local time at which a lesson with this nominal time starts: another one if a clock change skips it. */
const actualTime = (nominal: string, zone: string): string => wallTimeOf(instantOfWallTime(nominal, zone), zone);

/** The moved lesson with its nominal time. It remembers that of `before` if a clock change skipped it. */
const withNominal = <L extends Start>(before: Start, after: L, nominal: string, series_time: string | null): L => {
  const old = nominalStart(before, series_time);
  const known = wallTimeOf(before.starts_at, before.zone) === old ? after : { ...after, nominal_start: old };
  return nominalStart(known, series_time) === nominal ? known : { ...after, nominal_start: nominal };
};

/**
 * The nominal time of a requested start. 03:30 on the day of a clock change may mean 02:30: it does if the lesson is or
 * was at a time that the same clock change skips.
 */
const requestedNominal = (before: Start, after: Start, series_time: string): string =>
  findNominal(after, (local) =>
    [nominalStart(before, series_time), after.nominal_start]
      .filter((time) => time !== null)
      .map((time) => shiftWallTime(local, actualTime(time, after.zone), time)),
  );

/**
 * The edited lesson at a requested start, which decides which occurrence of a local time the lesson has. Without its
 * series, `series_time` is null, and the start is taken as it is.
 */
export const placedAt = <L extends Start>(before: L, after: L, series_time: string | null): L => {
  if (before.starts_at === after.starts_at) return after;
  const placed = { ...after, second_occurrence: isSecond({ ...after, second_occurrence: isSecond(before) }) };
  if (series_time === null) return placed;
  return withNominal(before, placed, requestedNominal(before, placed, series_time), series_time);
};

/** The move of a lesson from one nominal local time to another. */
export interface Move {
  from: string;
  to: string;
}

/** The move of an edited lesson, with which the others of its series move. Null if its start is the same. */
export const moveOf = (before: Start, after: Start, series_time: string | null): Move | null =>
  before.starts_at === after.starts_at
    ? null
    : { from: nominalStart(before, series_time), to: nominalStart(after, series_time) };

/** Another lesson of the series after the move of its nominal local time. `after` has its other changes. */
export const shiftedStart = <L extends Start>(
  before: L,
  after: L,
  move: Move | null,
  series_time: string | null,
): L => {
  if (move === null) return after;
  const nominal = shiftWallTime(nominalStart(before, series_time), move.from, move.to);
  const second_occurrence = isSecond(before);
  const starts_at = instantOfWallTime(nominal, after.zone, second_occurrence);
  return withNominal(before, { ...after, starts_at, second_occurrence }, nominal, series_time);
};
