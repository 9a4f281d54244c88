import type { leaveCalls, lessonCalls, Output, ShownClazz } from '@teaching/contracts';
import { isSubstitute } from '../shared/substitute.rules.ts';
import { localOf } from '../shared/zone.rules.ts';
import type { Child } from './child.rules.ts';
import { chargedHours, type HourEntry } from '../shared/hours/hour-entry.rules.ts';

export type Lesson = Output<typeof lessonCalls.listLessons>['items'][number];
export type Leave = Output<typeof leaveCalls.listLeaves>['items'][number];

/** The teachers that a class has now. */
export type ClassTeachers = Pick<ShownClazz, 'id' | 'lead_teacher_id' | 'assistant_ids'>;

/** A lesson of one child, with the child's leave from it and the leave for which it is the make-up lesson. */
export interface ChildLesson {
  child: Child;
  lesson: Lesson;
  leave: Leave | undefined;
  makesUpFor: Leave | undefined;
  /** The hours charged for a cancelled lesson; undefined for other lessons. */
  charged: number | undefined;
  /** Whether the teacher is a substitute; false if the teachers of the class are not known. */
  isSubstituted: boolean;
}

const isActive = ({ status }: Leave): boolean => status === 'pending' || status === 'approved';

/** The leave that applies to a lesson: the pending or approved one, else the newest rejected one. */
const applicableLeave = (leaves: readonly Leave[], lesson_id: string): Leave | undefined => {
  const found = leaves.filter((leave) => leave.lesson_id === lesson_id);
  return found.find(isActive) ?? found.find(({ status }) => status === 'rejected');
};

/** Combines the lessons of one child with the child's leave, hour entries and classes. */
export const withLeave = (
  child: Child,
  lessons: readonly Lesson[],
  {
    leaves,
    entries,
    clazzes,
  }: { leaves: readonly Leave[]; entries: readonly HourEntry[]; clazzes: readonly ClassTeachers[] },
): ChildLesson[] =>
  lessons.map((lesson) => ({
    child,
    lesson,
    leave: applicableLeave(leaves, lesson.id),
    makesUpFor: leaves.find(({ make_up }) => make_up?.status === 'used' && make_up.lesson_id === lesson.id),
    charged: lesson.status === 'cancelled' ? chargedHours(entries, lesson.id) : undefined,
    isSubstituted: clazzes.some(({ id, ...clazz }) => id === lesson.clazz_id && isSubstitute(lesson, clazz)),
  }));

/** Whether the lesson has ended: it is listed under “Past”. */
export const isOver = ({ ends_at }: Pick<Lesson, 'ends_at'>, now: number): boolean => Date.parse(ends_at) <= now;

interface WithLesson {
  lesson: Pick<Lesson, 'starts_at' | 'id'>;
}

/** Groups lessons by local day, earliest first; `backwards`: latest day and lesson first. */
export const byDay = <T extends WithLesson>(
  lessons: readonly T[],
  zone: string,
  backwards = false,
): [string, T[]][] => {
  const sorted = lessons.toSorted(
    (a, b) => (Date.parse(a.lesson.starts_at) - Date.parse(b.lesson.starts_at)) * (backwards ? -1 : 1),
  );
  const days = new Map<string, T[]>();
  for (const item of sorted) {
    const { date } = localOf(item.lesson.starts_at, zone);
    days.set(date, [...(days.get(date) ?? []), item]);
  }
  return [...days];
};

/** The student's mark if the roll call was taken. The counts are those of one student. */
export const markOf = ({ marks }: Pick<Lesson, 'marks'>): Exclude<keyof Lesson['marks'], 'unmarked'> | undefined =>
  (['present', 'late', 'absent', 'leave', 'makeup', 'trial'] as const).find((mark) => marks[mark] > 0);

/** The actions that are possible on a lesson now. */
export interface LessonActions {
  canRequestLeave: boolean;
  canWithdrawLeave: boolean;
  canChooseMakeUp: boolean;
  canUndoMakeUp: boolean;
}

/** Whether the leave has a make-up credit that is not used yet. */
export const hasCredit = (leave: Leave | undefined): boolean =>
  leave?.status === 'approved' && leave.make_up?.status === 'available';

export const lessonActionsOf = ({ lesson, leave, makesUpFor }: ChildLesson, now: number): LessonActions => {
  const isAhead = lesson.status !== 'cancelled' && Date.parse(lesson.starts_at) > now;
  const isUpcoming = isAhead && lesson.status === 'scheduled';
  const hasLeave = leave !== undefined && isActive(leave);
  return {
    canRequestLeave: isUpcoming && !hasLeave && makesUpFor === undefined,
    canWithdrawLeave: isAhead && hasLeave && leave.make_up?.status !== 'used',
    canChooseMakeUp: hasCredit(leave),
    canUndoMakeUp: isUpcoming && makesUpFor !== undefined,
  };
};

/** The next lesson at which the school expects the child: also after an early roll call, and while leave is pending. */
export const nextOf = (lessons: readonly ChildLesson[], now: number): ChildLesson | undefined =>
  lessons
    .filter(({ lesson, leave }) => lesson.status !== 'cancelled' && leave?.status !== 'approved')
    .filter(({ lesson }) => !isOver(lesson, now))
    .toSorted((a, b) => Date.parse(a.lesson.starts_at) - Date.parse(b.lesson.starts_at))[0];
