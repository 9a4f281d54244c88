import type { leaveCalls, lessonCalls, Output } from '@teaching/contracts';
import { localOf, weekdayOf } from '../shared/zone.rules.ts';
import type { Child } from './child.rules.ts';
import { chargedFor, type Entry } from './hour-entry.rules.ts';

export type Lesson = Output<typeof lessonCalls.listLessons>['items'][number];
export type Leave = Output<typeof leaveCalls.listLeaves>['items'][number];

/** A lesson of one child, with the leave from it, and the leave that it makes up for. */
export interface ChildLesson {
  child: Child;
  lesson: Lesson;
  leave: Leave | undefined;
  makesUpFor: Leave | undefined;
  /** Hours that a cancelled lesson costs. */
  charged: number | undefined;
}

const isOpen = ({ status }: Leave): boolean => status === 'pending' || status === 'approved';

/** Of several leaves from one lesson the one that holds, else the newest. */
const ofLesson = (leaves: readonly Leave[], lesson_id: string): Leave | undefined => {
  const its = leaves.filter((leave) => leave.lesson_id === lesson_id);
  return its.find(isOpen) ?? its.find(({ status }) => status === 'rejected');
};

/** Lessons of one child beside their leave. */
export const withLeave = (
  child: Child,
  lessons: readonly Lesson[],
  leaves: readonly Leave[],
  entries: readonly Entry[],
): ChildLesson[] =>
  lessons.map((lesson) => ({
    child,
    lesson,
    leave: ofLesson(leaves, lesson.id),
    makesUpFor: leaves.find(({ make_up }) => make_up?.status === 'used' && make_up.lesson_id === lesson.id),
    charged: lesson.status === 'cancelled' ? chargedFor(entries, lesson.id) : undefined,
  }));

interface Timed {
  lesson: Pick<Lesson, 'starts_at' | 'id'>;
}

/** By local day, earliest first; `backwards`: latest day and lesson first. */
export const byDay = <T extends Timed>(lessons: readonly T[], zone: string, backwards = false): [string, T[]][] => {
  const sorted = lessons.toSorted(
    (a, b) => (Date.parse(a.lesson.starts_at) - Date.parse(b.lesson.starts_at)) * (backwards ? -1 : 1),
  );
  const days = new Map<string, T[]>();
  for (const one of sorted) {
    const { date } = localOf(one.lesson.starts_at, zone);
    days.set(date, [...(days.get(date) ?? []), one]);
  }
  return [...days];
};

/** What a lesson has otherwise than most of its series: what is usual there. */
export interface LessonDeviation {
  /** A usual start, as an instant. */
  starts_at: string | undefined;
  room: string | undefined;
  teacher: string | undefined;
}

/** So many lessons of a series have to be known before anything counts as usual there. */
const FEWEST = 3;

/** What more than half of them have. */
const mostly = <T>(all: readonly T[], keyOf: (one: T) => string): T | undefined => {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return all.find((one) => (counts.get(keyOf(one)) ?? 0) * 2 > all.length);
};

/** By lesson, what it has otherwise than most lessons of its series. */
export const deviationOf = (lessons: readonly Lesson[]): Map<string, LessonDeviation> => {
  const found = new Map<string, LessonDeviation>();
  const clock = ({ starts_at, zone }: Lesson): string => {
    const { date, time } = localOf(starts_at, zone);
    return `${weekdayOf(date)} ${time}`;
  };
  for (const [id, its] of Map.groupBy(lessons, (one) => one.series_id ?? '')) {
    if (id === '' || its.length < FEWEST) continue;
    // A series on several weekdays has no usual time; its rooms and teachers are compared all the same.
    const usual = mostly(its, clock);
    const room = mostly(its, (one) => one.room ?? '');
    const teacher = mostly(its, (one) => one.teacher_id);
    for (const one of its) {
      const unusual: LessonDeviation = {
        starts_at: usual !== undefined && clock(usual) !== clock(one) ? usual.starts_at : undefined,
        room: room !== undefined && one.room !== null && room.room !== one.room ? (room.room ?? undefined) : undefined,
        teacher:
          teacher !== undefined && teacher.teacher_id !== one.teacher_id
            ? (teacher.teacher_name ?? undefined)
            : undefined,
      };
      if (Object.values(unusual).some((it) => it !== undefined)) found.set(one.id, unusual);
    }
  }
  return found;
};

/** The mark of the one student whom the counts are about, when roll call was taken. */
export const markOf = ({ marks }: Pick<Lesson, 'marks'>): Exclude<keyof Lesson['marks'], 'unmarked'> | undefined =>
  (['present', 'late', 'absent', 'leave', 'makeup', 'trial'] as const).find((mark) => marks[mark] > 0);

/** What can be done about a lesson now. */
export interface LessonActions {
  ask: boolean;
  takeBack: boolean;
  makeUp: boolean;
  undoMakeUp: boolean;
}

/** Whether a credit waits to be used. */
export const hasCredit = (leave: Leave | undefined): boolean =>
  leave?.status === 'approved' && leave.make_up?.status === 'available';

export const lessonActionsOf = ({ lesson, leave, makesUpFor }: ChildLesson, now: number): LessonActions => {
  const isAhead = lesson.status === 'scheduled' && Date.parse(lesson.starts_at) > now;
  const isAway = leave !== undefined && isOpen(leave);
  return {
    ask: isAhead && !isAway && makesUpFor === undefined,
    takeBack: isAhead && isAway && leave.make_up?.status !== 'used',
    makeUp: hasCredit(leave),
    undoMakeUp: isAhead && makesUpFor !== undefined,
  };
};

/** The next lesson that one goes to. */
export const nextOf = (lessons: readonly ChildLesson[], now: number): ChildLesson | undefined =>
  lessons
    .filter(({ lesson, leave }) => lesson.status === 'scheduled' && (leave === undefined || !isOpen(leave)))
    .filter(({ lesson }) => Date.parse(lesson.ends_at) > now)
    .toSorted((a, b) => Date.parse(a.lesson.starts_at) - Date.parse(b.lesson.starts_at))[0];
