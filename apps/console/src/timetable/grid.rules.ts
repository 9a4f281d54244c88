import { addDays, instantOf, localOf, minutesOf, timeOf } from '../shared/zone.rules.ts';

/** Where things lie on a grid of days. Minutes are those of the clock in the organization's zone, from midnight. */

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
 * What a lesson takes of each day it touches. Where the clock goes back within it, it ends on the clock before it began, or
 * too early: it is shown as long as it lasts.
 */
export const spansOf = ({ starts_at, ends_at }: Times, zone: string): Span[] => {
  const start = localOf(starts_at, zone);
  const end = localOf(ends_at, zone);
  const from = minutesOf(start.time);
  const lasts = (Date.parse(ends_at) - Date.parse(starts_at)) / MINUTE_MS;
  if (end.date === start.date) {
    const to = minutesOf(end.time);
    return [{ date: start.date, from, to: to > from ? to : Math.min(DAY_MINUTES, from + lasts) }];
  }
  const first = { date: start.date, from, to: DAY_MINUTES };
  const rest = minutesOf(end.time);
  return rest === 0 ? [first] : [first, { date: end.date, from: 0, to: rest }];
};

export interface Piece<L> extends Span {
  it: L;
  /** Of so many columns beside each other, this one and `wide - 1` to its right. */
  column: number;
  columns: number;
  wide: number;
}

const overlaps = (a: Span, b: Span): boolean => a.from < b.to && b.from < a.to;

type Placed<L> = Span & { it: L; column: number };

/** How many columns from its own on a piece may take: as far as nothing of its time stands there. */
const widthOf = <L>(piece: Placed<L>, group: readonly Placed<L>[], columns: number): number => {
  const right = group.filter((other) => other.column > piece.column && overlaps(piece, other));
  return Math.min(columns, ...right.map((other) => other.column)) - piece.column;
};

const spread = <L>(group: readonly (Span & { it: L })[]): Piece<L>[] => {
  const ends: number[] = [];
  const placed = group.map((piece) => {
    const free = ends.findIndex((end) => end <= piece.from);
    const column = free === -1 ? ends.length : free;
    ends[column] = piece.to;
    return { ...piece, column };
  });
  return placed.map((piece) => ({ ...piece, columns: ends.length, wide: widthOf(piece, placed, ends.length) }));
};

/** What lies on one day, beside each other where it overlaps: groups that touch nothing else have the width of the day. */
export const layOut = <L>(pieces: readonly (Span & { it: L })[]): Piece<L>[] => {
  const sorted = pieces.toSorted((a, b) => a.from - b.from || b.to - a.to);
  const groups: (Span & { it: L })[][] = [];
  let until = -1;
  for (const piece of sorted) {
    if (piece.from >= until) groups.push([]);
    groups.at(-1)?.push(piece);
    until = Math.max(until, piece.to);
  }
  return groups.flatMap((group) => spread(group));
};

const LEAST_MINUTES = 8 * 60;
const USUAL = { from: 9 * 60, to: 18 * 60 };

/** The hours to show, in minutes: those that are used, and no fewer than eight; usual ones where nothing is. */
export const hoursOf = (spans: readonly Span[]): { from: number; to: number } => {
  if (spans.length === 0) return USUAL;
  const from = Math.floor(Math.min(...spans.map((span) => span.from)) / 60) * 60;
  const to = Math.ceil(Math.max(...spans.map((span) => span.to)) / 60) * 60;
  const last = Math.max(to, Math.min(USUAL.to, from + LEAST_MINUTES));
  const first = Math.min(from, Math.max(0, last - LEAST_MINUTES));
  return { from: first, to: Math.max(last, first + LEAST_MINUTES) };
};

/** A place on the grid. */
export interface Target {
  date: string;
  minutes: number;
}

export const snapToStep = (minutes: number, step: number): number => Math.round(minutes / step) * step;

/** A place that is on some clock: never before midnight, never at the next one. */
export const keepInDay = ({ date, minutes }: Target, step: number): Target => ({
  date,
  minutes: Math.max(0, Math.min(DAY_MINUTES - step, minutes)),
});

/** The lesson begun there: as long as it was, whatever clocks do meanwhile. */
export const movedTo = ({ starts_at, ends_at }: Times, { date, minutes }: Target, zone: string): Times => {
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

/** Where an arrow leads: by a step of the clock, or a day, not beyond the days that are shown. */
export const stepped = (
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

const COLOURS = 8;

const hashOf = (text: string): number => {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (hash * 31 + text.charCodeAt(at)) >>> 0;
  return hash;
};

/** A colour from 1 on for each: its own from week to week, unless more of those that are seen have it than another one. */
export const coloursOf = (ids: readonly string[]): Map<string, number> => {
  const found = new Map<string, number>();
  const uses = Array.from({ length: COLOURS }, () => 0);
  for (const id of [...new Set(ids)].toSorted()) {
    const first = hashOf(id) % COLOURS;
    const least = Math.min(...uses);
    const steps = uses.findIndex((_none, at) => uses[(first + at) % COLOURS] === least);
    const colour = (first + steps) % COLOURS;
    uses[colour] = least + 1;
    found.set(id, colour + 1);
  }
  return found;
};
