import { addDays, instantOf, localOf, minutesOf, timeOf } from '../shared/zone.rules.ts';

/** The layout of lessons on a grid of days. Minutes count from midnight in the organization's zone. */

export const DAY_MINUTES = 1_440;
const MINUTE_MS = 60_000;

interface Times {
  starts_at: string;
  ends_at: string;
}

export interface Span {
  date: string;
  from: number;
  to: number;
}

/**
 * The part of each day that a lesson takes. If the clock goes back during a lesson, its local end may be before its
 * start; it is then shown with its real length.
 */
export const spansOf = ({ starts_at, ends_at }: Times, zone: string): Span[] => {
  const start = localOf(starts_at, zone);
  const end = localOf(ends_at, zone);
  const from = minutesOf(start.time);
  const duration = (Date.parse(ends_at) - Date.parse(starts_at)) / MINUTE_MS;
  if (end.date === start.date) {
    const to = minutesOf(end.time);
    return [{ date: start.date, from, to: to > from ? to : Math.min(DAY_MINUTES, from + duration) }];
  }
  const first = { date: start.date, from, to: DAY_MINUTES };
  const restMinutes = minutesOf(end.time);
  return restMinutes === 0 ? [first] : [first, { date: end.date, from: 0, to: restMinutes }];
};

export interface Piece<L> extends Span {
  it: L;
  /** The column of the piece among `columns`; it also takes `wide - 1` columns to the right. */
  column: number;
  columns: number;
  columnSpan: number;
}

const overlaps = (a: Span, b: Span): boolean => a.from < b.to && b.from < a.to;

type Placed<L> = Span & { it: L; column: number };

/** The number of columns that a piece may take: up to the next overlapping piece on its right. */
const widthOf = <L>(piece: Placed<L>, group: readonly Placed<L>[], columns: number): number => {
  const right = group.filter((other) => other.column > piece.column && overlaps(piece, other));
  return Math.min(columns, ...right.map((other) => other.column)) - piece.column;
};

const inColumns = <L>(group: readonly (Span & { it: L })[]): Piece<L>[] => {
  const ends: number[] = [];
  const placed = group.map((piece) => {
    const free = ends.findIndex((end) => end <= piece.from);
    const column = free === -1 ? ends.length : free;
    ends[column] = piece.to;
    return { ...piece, column };
  });
  return placed.map((piece): Piece<L> => ({
    ...piece,
    columns: ends.length,
    columnSpan: widthOf(piece, placed, ends.length),
  }));
};

/** Places the pieces of one day in columns where they overlap. A group without overlap takes the full width. */
export const layOutDay = <L>(pieces: readonly (Span & { it: L })[]): Piece<L>[] => {
  const sorted = pieces.toSorted((a, b) => a.from - b.from || b.to - a.to);
  const groups: (Span & { it: L })[][] = [];
  let until = -1;
  for (const piece of sorted) {
    if (piece.from >= until) groups.push([]);
    groups.at(-1)?.push(piece);
    until = Math.max(until, piece.to);
  }
  return groups.flatMap((group) => inColumns(group));
};

const MIN_SHOWN_MINUTES = 8 * 60;
const USUAL_HOURS = { from: 9 * 60, to: 18 * 60 };

/** The hours to show, in minutes: the used ones and at least eight; 9:00 to 18:00 if there are no lessons. */
export const shownHours = (spans: readonly Span[]): { from: number; to: number } => {
  if (spans.length === 0) return USUAL_HOURS;
  const from = Math.floor(Math.min(...spans.map((span) => span.from)) / 60) * 60;
  const to = Math.ceil(Math.max(...spans.map((span) => span.to)) / 60) * 60;
  const last = Math.max(to, Math.min(USUAL_HOURS.to, from + MIN_SHOWN_MINUTES));
  const first = Math.min(from, Math.max(0, last - MIN_SHOWN_MINUTES));
  return { from: first, to: Math.max(last, first + MIN_SHOWN_MINUTES) };
};

/** A day and a minute on the grid. */
export interface Target {
  date: string;
  minutes: number;
}

export const snapToStep = (minutes: number, step: number): number => Math.round(minutes / step) * step;

/** Keeps a target within its day: not before midnight, and not at the next midnight. */
export const keepInDay = ({ date, minutes }: Target, step: number): Target => ({
  date,
  minutes: Math.max(0, Math.min(DAY_MINUTES - step, minutes)),
});

/** The times of a lesson that starts at the target. It keeps its real length over a clock change. */
export const movedTimes = ({ starts_at, ends_at }: Times, { date, minutes }: Target, zone: string): Times => {
  const start = instantOf({ date, time: timeOf(minutes) }, zone);
  return {
    starts_at: new Date(start).toISOString(),
    ends_at: new Date(start + Date.parse(ends_at) - Date.parse(starts_at)).toISOString(),
  };
};

const STEPS: Readonly<Record<string, readonly [days: number, steps: number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

/** The target after an arrow key: one step or one day further, within the shown days. */
export const targetAfterKey = (
  { date, minutes }: Target,
  key: string,
  step: number,
  days: readonly string[],
): Target | undefined => {
  const by = STEPS[key];
  if (by === undefined) return undefined;
  const next = addDays(date, by[0]);
  return keepInDay({ date: days.includes(next) ? next : date, minutes: minutes + by[1] * step }, step);
};
