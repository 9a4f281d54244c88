import type { AccountRow, ClashingLesson, lessonCalls, Member, Output, packageCalls } from '@teaching/contracts';
import { toDecimal } from '../shared/decimal.rules.ts';

export type DayLesson = Output<typeof lessonCalls.listLessons>['items'][number];

const HOUR_MS = 3_600_000;

/** A threshold from the address: a whole number from 1 to `most`, else `standard`. */
export const thresholdFrom = (text: string | undefined, standard: number, most: number): number => {
  const value = Number(text);
  return Number.isInteger(value) && value >= 1 && value <= most ? value : standard;
};

export interface Day {
  running: readonly DayLesson[];
  /** The lessons that begin within an hour, else the first ones that begin. */
  next: readonly DayLesson[];
  later: readonly DayLesson[];
  earlier: readonly DayLesson[];
}

/**
 * Divides the lessons of a day, sorted by start, around `now` (epoch milliseconds). Cancelled lessons are never
 * `running` or `next`.
 */
export const dividedDay = (lessons: readonly DayLesson[], now: number): Day => {
  const start = ({ starts_at }: DayLesson): number => Date.parse(starts_at);
  const isNotCancelled = ({ status }: DayLesson): boolean => status !== 'cancelled';
  const running = lessons.filter(
    (lesson) => isNotCancelled(lesson) && start(lesson) <= now && Date.parse(lesson.ends_at) > now,
  );
  const upcoming = lessons.filter((lesson) => start(lesson) > now);
  const first = upcoming.find(isNotCancelled);
  const until = first === undefined ? now : Math.max(now + HOUR_MS, start(first));
  const next = upcoming.filter((lesson) => isNotCancelled(lesson) && start(lesson) <= until);
  const shown = new Set([...running, ...next]);
  const others = lessons.filter((lesson) => !shown.has(lesson));
  return {
    running,
    next,
    later: others.filter((lesson) => start(lesson) > now),
    earlier: others.filter((lesson) => start(lesson) <= now),
  };
};

/**
 * The state of a roll call: `ahead` before the lesson begins, `none` while no student is marked, `missing` once it
 * is over.
 */
export type RollCallState = 'cancelled' | 'ahead' | 'none' | 'missing' | 'some' | 'done';

export interface RollCall {
  state: RollCallState;
  marked: number;
  expected: number;
  present: number;
}

export const rollCallOf = (
  { status, marks, starts_at, ends_at }: Pick<DayLesson, 'status' | 'marks' | 'starts_at' | 'ends_at'>,
  now: number,
): RollCall => {
  const { unmarked, ...markCounts } = marks;
  const marked = Object.values(markCounts).reduce((sum, count) => sum + count, 0);
  const standing = (): RollCallState => {
    if (status === 'cancelled') return 'cancelled';
    if (status === 'held' && unmarked === 0) return 'done';
    if (marked > 0) return 'some';
    if (Date.parse(starts_at) > now) return 'ahead';
    return Date.parse(ends_at) > now ? 'none' : 'missing';
  };
  return {
    state: standing(),
    marked,
    expected: marked + unmarked,
    present: markCounts.present + markCounts.late + markCounts.makeup + markCounts.trial,
  };
};

/** The share of a lesson that is over, 0 to 1. */
export const elapsedShare = (starts_at: string, ends_at: string, now: number): number => {
  const start = Date.parse(starts_at);
  const length = Date.parse(ends_at) - start;
  return length <= 0 ? 1 : Math.min(1, Math.max(0, (now - start) / length));
};

/** Lists each clash once. If both lessons were accepted, the first listed lesson has it. */
export const uniqueClashes = (lessons: readonly ClashingLesson[]): ClashingLesson[] => {
  const listed = new Set<string>();
  return lessons.flatMap((lesson) => {
    const conflicts = lesson.conflicts.filter(({ lesson_id }) => !listed.has(lesson_id));
    listed.add(lesson.id);
    return conflicts.length === 0 ? [] : [{ ...lesson, conflicts }];
  });
};

/**
 * The minor units of a typed price, with a point or a comma. `undefined` for an empty text, `null` for a text that
 * is not a price.
 */
export const minorUnits = (typed: string, digits: number): number | null | undefined => {
  const text = toDecimal(typed);
  if (text === '') return undefined;
  const [, whole = '', part = ''] = /^(\d{1,9})(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '' || part.length > digits) return null;
  return Number(whole) * 10 ** digits + Number(part.padEnd(digits, '0') || '0');
};

export interface FoundStudent {
  id: string;
  name: string;
  /** Lesson hours; undefined for a student without an hour account. */
  balance: string | undefined;
}

/** The students of the directory, and those with an account only, each once. */
export const foundStudents = (
  members: readonly Pick<Member, 'user_id' | 'display_name'>[],
  accounts: readonly Pick<AccountRow, 'student_id' | 'student_name' | 'balance'>[],
): FoundStudent[] => {
  const balances = new Map(accounts.map(({ student_id, balance }) => [student_id, balance]));
  const listed = new Set(members.map(({ user_id }) => user_id));
  return [
    ...members.map(({ user_id, display_name }) => ({ id: user_id, name: display_name })),
    ...accounts
      .filter(({ student_id }) => !listed.has(student_id))
      .map(({ student_id, student_name }) => ({ id: student_id, name: student_name ?? student_id })),
  ].map((student) => ({ ...student, balance: balances.get(student.id) }));
};

export type Package = Output<typeof packageCalls.listPackages>['items'][number];

const hundredths = (decimal: string): bigint => BigInt(Math.round(Number(decimal) * 100));

/**
 * The list price of a package in proportion to the hours, in minor units, rounded half up, as the API calculates it for
 * a grant without a price. Zero means no price.
 */
export const packagePrice = (
  { price_minor, total_hours }: Pick<Package, 'price_minor' | 'total_hours'>,
  hours: string,
): number => {
  const total = hundredths(total_hours);
  if (total === 0n) return 0;
  const product = BigInt(price_minor) * hundredths(hours);
  return Number((2n * product + total) / (2n * total));
};
