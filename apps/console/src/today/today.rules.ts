import type { ClashingLesson, lessonCalls, Output } from '@teaching/contracts';

export type DayLesson = Output<typeof lessonCalls.listLessons>['items'][number];

const HOUR_MS = 3_600_000;

/** A threshold as the address has it, from 1; what is none is `standard`. */
export const thresholdFrom = (given: string | undefined, standard: number, most: number): number => {
  const value = Number(given);
  return Number.isInteger(value) && value >= 1 && value <= most ? value : standard;
};

export interface Day {
  running: readonly DayLesson[];
  /** What begins within an hour, else what begins first. */
  next: readonly DayLesson[];
  later: readonly DayLesson[];
  earlier: readonly DayLesson[];
}

/** Lessons of a day, given by start, as they lie around `now` (epoch milliseconds). Cancelled ones neither run nor come next. */
export const dayAround = (lessons: readonly DayLesson[], now: number): Day => {
  const start = (it: DayLesson): number => Date.parse(it.starts_at);
  const isOn = (it: DayLesson): boolean => it.status !== 'cancelled';
  const running = lessons.filter((it) => isOn(it) && start(it) <= now && Date.parse(it.ends_at) > now);
  const ahead = lessons.filter((it) => start(it) > now);
  const first = ahead.find(isOn);
  const until = first === undefined ? now : Math.max(now + HOUR_MS, start(first));
  const next = ahead.filter((it) => isOn(it) && start(it) <= until);
  const shown = new Set([...running, ...next]);
  const others = lessons.filter((it) => !shown.has(it));
  return {
    running,
    next,
    later: others.filter((it) => start(it) > now),
    earlier: others.filter((it) => start(it) <= now),
  };
};

/** How the roll call of a lesson stands: `ahead` before it begins, `none` while nobody is marked, `missing` once it is over. */
export type RollCallState = 'cancelled' | 'ahead' | 'none' | 'missing' | 'some' | 'done';

export interface RollCall {
  standing: RollCallState;
  marked: number;
  expected: number;
  there: number;
}

export const rollCallOf = (
  { status, marks, starts_at, ends_at }: Pick<DayLesson, 'status' | 'marks' | 'starts_at' | 'ends_at'>,
  now: number,
): RollCall => {
  const { unmarked, ...given } = marks;
  const marked = Object.values(given).reduce((sum, count) => sum + count, 0);
  const counts = {
    marked,
    expected: marked + unmarked,
    there: given.present + given.late + given.makeup + given.trial,
  };
  const standing = (): RollCallState => {
    if (status === 'cancelled') return 'cancelled';
    if (status === 'held' && unmarked === 0) return 'done';
    if (marked > 0) return 'some';
    if (Date.parse(starts_at) > now) return 'ahead';
    return Date.parse(ends_at) > now ? 'none' : 'missing';
  };
  return { standing: standing(), ...counts };
};

/** Share of a lesson that is over, 0 to 1. */
export const shareOver = (starts_at: string, ends_at: string, now: number): number => {
  const start = Date.parse(starts_at);
  const length = Date.parse(ends_at) - start;
  return length <= 0 ? 1 : Math.min(1, Math.max(0, (now - start) / length));
};

/** Each clash once: where both lessons were kept, the one that is listed first has it. */
export const clashesOnce = (lessons: readonly ClashingLesson[]): ClashingLesson[] => {
  const told = new Set<string>();
  return lessons.flatMap((it) => {
    const conflicts = it.conflicts.filter(({ lesson_id }) => !told.has(lesson_id));
    told.add(it.id);
    return conflicts.length === 0 ? [] : [{ ...it, conflicts }];
  });
};

/** Minor units of a price as it is typed, with a point or a comma; `undefined` where nothing is, `null` where it is no price. */
export const minorOf = (typed: string, digits: number): number | null | undefined => {
  const text = typed.trim().replace(',', '.');
  if (text === '') return undefined;
  const [, whole = '', part = ''] = /^(\d{1,9})(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '' || part.length > digits) return null;
  return Number(whole) * 10 ** digits + Number(part.padEnd(digits, '0') || '0');
};
