import type { lessonCalls, MarkCounts, Output, ShownClazz, ShownLesson } from '@teaching/contracts';
import { addDays, localOf } from '../shared/zone.rules.ts';

/** What a class says of who teaches it. */
export type Staffed = Pick<ShownClazz, 'id' | 'lead_teacher_id' | 'lead_teacher_name' | 'assistant_ids'>;
/** What only the list across classes tells of a lesson. */
export type Counted = Pick<
  Output<typeof lessonCalls.listLessons>['items'][number],
  'id' | 'enrolled' | 'guests' | 'marks'
>;

export type Part =
  | { as: 'lead' }
  /** Instead of somebody else, whose name this is. */
  | { as: 'substitute'; of: string | null }
  /** Beside who gives it. */
  | { as: 'assistant'; of: string | null };

export interface OwnLesson extends ShownLesson {
  part: Part;
  /** Students, and their marks; null where nobody counted them. */
  students: number | null;
  marks: MarkCounts | null;
}

const partOf = (lesson: ShownLesson, clazz: Staffed | undefined, user_id: string): Part => {
  if (lesson.teacher_id !== user_id) return { as: 'assistant', of: lesson.teacher_name };
  // Of a class that is not among one's own, one is a substitute, too.
  if (clazz === undefined) return { as: 'substitute', of: null };
  return clazz.lead_teacher_id === user_id || clazz.assistant_ids.includes(user_id)
    ? { as: 'lead' }
    : { as: 'substitute', of: clazz.lead_teacher_name };
};

export const ownLessons = (
  lessons: readonly ShownLesson[],
  counted: readonly Counted[],
  clazzes: readonly Staffed[],
  user_id: string,
): OwnLesson[] => {
  const clazzOf = new Map(clazzes.map((clazz) => [clazz.id, clazz]));
  const countsOf = new Map(counted.map((one) => [one.id, one]));
  return lessons.map((lesson) => {
    const counts = countsOf.get(lesson.id);
    return {
      ...lesson,
      part: partOf(lesson, clazzOf.get(lesson.clazz_id), user_id),
      students: counts === undefined ? null : counts.enrolled + counts.guests,
      marks: counts?.marks ?? null,
    };
  });
};

/** The seven days from a Monday on, each with its lessons. */
export const daysOf = <L extends { starts_at: string }>(
  lessons: readonly L[],
  monday: string,
  zone: string,
): { date: string; lessons: L[] }[] => {
  const byDay = Map.groupBy(lessons, (lesson) => localOf(lesson.starts_at, zone).date);
  return Array.from({ length: 7 }, (_none, day) => addDays(monday, day)).map((date) => ({
    date,
    lessons: byDay.get(date) ?? [],
  }));
};

type Timed = Pick<ShownLesson, 'starts_at' | 'ends_at' | 'status'>;

/** What runs at an instant, and the first that follows it: of one day's lessons, none that is cancelled. */
export const nowAndNext = <L extends Timed>(
  lessons: readonly L[],
  now: number,
): { current: L[]; next: L | undefined } => {
  const real = lessons.filter(({ status }) => status !== 'cancelled');
  return {
    current: real.filter(({ starts_at, ends_at }) => Date.parse(starts_at) <= now && now < Date.parse(ends_at)),
    next: real.find(({ starts_at }) => Date.parse(starts_at) > now),
  };
};

/** An entry of a class's trail, as far as it tells of moves. */
export interface Entry {
  entity_id: string;
  occurred_at: string;
  changes: Readonly<Record<string, { before: unknown; after: unknown }>>;
}

/** When lessons were to begin before the first of these changes: by lesson, as instants. */
export const movedFrom = (entries: readonly Entry[]): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const { entity_id, changes } of entries.toSorted((a, b) => (a.occurred_at < b.occurred_at ? -1 : 1))) {
    const before = changes['starts_at']?.before;
    if (typeof before === 'string' && !found.has(entity_id)) found.set(entity_id, before);
  }
  return found;
};

/** For how long a change is news. */
const NEWS_MS = 7 * 86_400_000;
export const isRecentChange = (
  { updated_at, version }: Pick<ShownLesson, 'updated_at' | 'version'>,
  now: number,
): boolean => version > 1 && now - Date.parse(updated_at) < NEWS_MS;

/** How the roll call of a lesson stands. */
export type RollCallState = 'none' | 'due' | 'missing' | 'incomplete' | 'done';
export const rollCallStateOf = (
  { status, starts_at, ends_at, marks }: Pick<OwnLesson, 'status' | 'starts_at' | 'ends_at' | 'marks'>,
  now: number,
): RollCallState => {
  if (status === 'cancelled') return 'none';
  if (status === 'held') return marks !== null && marks.unmarked > 0 ? 'incomplete' : 'done';
  if (now >= Date.parse(ends_at)) return 'missing';
  return now >= Date.parse(starts_at) ? 'due' : 'none';
};
