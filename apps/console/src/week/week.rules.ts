import type { lessonCalls, MarkCounts, Output, ShownClazz, ShownLesson } from '@teaching/contracts';
import { isSubstitute } from '../shared/substitute.rules.ts';
import { addDays, localOf } from '../shared/zone.rules.ts';

/** The teachers of a class. */
export type ClassTeachers = Pick<ShownClazz, 'id' | 'lead_teacher_id' | 'lead_teacher_name' | 'assistant_ids'>;
/** The counts of a lesson, which only the list of all lessons contains. */
export type LessonCounts = Pick<
  Output<typeof lessonCalls.listLessons>['items'][number],
  'id' | 'enrolled' | 'guests' | 'marks'
>;

export type TeachingPart =
  | { as: 'lead' }
  /** Instead of the lead teacher, whose name is `of`. */
  | { as: 'substitute'; of: string | null }
  /** Beside the teacher of the lesson, whose name is `of`; if that is a substitute, instead of the lead `lead`. */
  | { as: 'assistant'; of: string | null; lead?: string | null }
  /** None: the lead teacher's lesson is given to a teacher whose name is `to`. */
  | { as: 'given'; to: string | null };

export interface OwnLesson extends ShownLesson {
  part: TeachingPart;
  /** The students and their marks; null if no counts were read. */
  students: number | null;
  marks: MarkCounts | null;
}

/** Whether another teacher gives this lesson of a lead teacher. */
export const isGiven = ({ part }: Pick<OwnLesson, 'part'>): boolean => part.as === 'given';

const partOf = (lesson: ShownLesson, clazz: ClassTeachers | undefined, user_id: string): TeachingPart => {
  if (clazz?.lead_teacher_id === user_id && lesson.teacher_id !== user_id)
    return { as: 'given', to: lesson.teacher_name };
  const isSubstituted = clazz !== undefined && isSubstitute(lesson, clazz);
  if (lesson.teacher_id !== user_id)
    return { as: 'assistant', of: lesson.teacher_name, ...(isSubstituted && { lead: clazz.lead_teacher_name }) };
  if (clazz === undefined) return { as: 'substitute', of: null };
  return isSubstituted ? { as: 'substitute', of: clazz.lead_teacher_name } : { as: 'lead' };
};

export const ownLessons = (
  lessons: readonly ShownLesson[],
  counted: readonly LessonCounts[],
  clazzes: readonly ClassTeachers[],
  user_id: string,
): OwnLesson[] => {
  const clazzOf = new Map(clazzes.map((clazz) => [clazz.id, clazz]));
  const countsOf = new Map(counted.map((counts) => [counts.id, counts]));
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

/** The address of a roll call, which leads back to the shown week. `date` is the date in the address of the week. */
export const rollCallAddress = (lesson_id: string, date: string | undefined): string =>
  `/roll-call/${lesson_id}${date === undefined ? '' : `?week=${encodeURIComponent(date)}`}`;

type LessonTimes = Pick<ShownLesson, 'starts_at' | 'ends_at' | 'status'>;

/**
 * The lessons of one day that are running at an instant, and the first that follows. Cancelled lessons are skipped.
 */
export const nowAndNext = <L extends LessonTimes>(
  lessons: readonly L[],
  now: number,
): { current: L[]; next: L | undefined } => {
  const notCancelled = lessons.filter(({ status }) => status !== 'cancelled');
  return {
    current: notCancelled.filter(({ starts_at, ends_at }) => Date.parse(starts_at) <= now && now < Date.parse(ends_at)),
    next: notCancelled.find(({ starts_at }) => Date.parse(starts_at) > now),
  };
};

/** An audit entry of a class, with the fields that describe moves. */
export interface LessonChange {
  entity_id: string;
  occurred_at: string;
  changes: Readonly<Record<string, { before: unknown; after: unknown }>>;
}

/** A lesson before its recent changes; fields that did not change are absent. */
export interface FormerPlan {
  /** An instant. */
  starts_at?: string;
  /** An instant. */
  ends_at?: string;
  room?: string | null;
}

/** The times and room of each lesson before the first of these changes, by lesson id. */
export const formerPlans = (entries: readonly LessonChange[]): ReadonlyMap<string, FormerPlan> => {
  const found = new Map<string, FormerPlan>();
  for (const { entity_id, changes } of entries.toSorted((a, b) => (a.occurred_at < b.occurred_at ? -1 : 1))) {
    const starts_at = changes['starts_at']?.before;
    const ends_at = changes['ends_at']?.before;
    const room = changes['room']?.before;
    found.set(entity_id, {
      ...(typeof starts_at === 'string' && { starts_at }),
      ...(typeof ends_at === 'string' && { ends_at }),
      ...((typeof room === 'string' || room === null) && { room }),
      ...found.get(entity_id),
    });
  }
  return found;
};

const lengthOf = ({ starts_at, ends_at }: { starts_at: string; ends_at: string }): number =>
  Date.parse(ends_at) - Date.parse(starts_at);

/**
 * The former times of a lesson, and whether its start or its length changed. Undefined if neither did.
 */
export const formerTimesOf = (
  { starts_at, ends_at }: Pick<ShownLesson, 'starts_at' | 'ends_at'>,
  former: FormerPlan,
): { starts_at: string; ends_at: string; isMoved: boolean; isLengthChanged: boolean } | undefined => {
  const times = { starts_at: former.starts_at ?? starts_at, ends_at: former.ends_at ?? ends_at };
  const isMoved = times.starts_at !== starts_at;
  const isLengthChanged = lengthOf(times) !== lengthOf({ starts_at, ends_at });
  return isMoved || isLengthChanged ? { ...times, isMoved, isLengthChanged } : undefined;
};

/** The time for which a change is recent. */
const RECENT_MS = 7 * 86_400_000;
export const isRecentChange = (
  { updated_at, version }: Pick<ShownLesson, 'updated_at' | 'version'>,
  now: number,
): boolean => version > 1 && now - Date.parse(updated_at) < RECENT_MS;

/** The state of the roll call of a lesson. */
export type RollCallState = 'none' | 'due' | 'missing' | 'incomplete' | 'done';
export const rollCallStateOf = (
  { status, starts_at, ends_at, marks }: Pick<OwnLesson, 'status' | 'starts_at' | 'ends_at' | 'marks'>,
  now: number,
): RollCallState => {
  if (status === 'cancelled') return 'none';
  // A roll call whose marks were all withdrawn is taken no more.
  const isTaken = marks === null || Object.entries(marks).some(([mark, count]) => mark !== 'unmarked' && count > 0);
  const unmarked = marks?.unmarked ?? 0;
  if (status === 'held' && (isTaken || unmarked === 0)) return unmarked > 0 ? 'incomplete' : 'done';
  if (now >= Date.parse(ends_at)) return 'missing';
  return now >= Date.parse(starts_at) ? 'due' : 'none';
};
