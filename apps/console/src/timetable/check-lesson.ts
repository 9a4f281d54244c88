import type { Conflict } from '@teaching/contracts';
import type { Check, Lesson, Scope } from './timetable.state.ts';
import { api } from '../shared/api.ts';
import { list } from '../shared/format.ts';
import { common } from '../shared/common-texts.ts';
import { t } from './timetable-texts.ts';

interface CheckInput {
  starts_at: string;
  ends_at: string;
  teacher_id: string;
  room: string | null;
  lesson_id?: string;
  scope?: Scope;
}

/** Checks a lesson for conflicts; nothing is stored. */
export const checkLesson = async (clazz_id: string, body: CheckInput, signal?: AbortSignal): Promise<Check> =>
  (await api.checkLesson({ path: { id: clazz_id }, body }, signal === undefined ? {} : { signal })).data;

/** Checks an existing lesson at another time. */
export const checkMove = (
  { id, clazz_id, teacher_id, room }: Lesson,
  times: { starts_at: string; ends_at: string },
  signal?: AbortSignal,
): Promise<Check> => checkLesson(clazz_id, { lesson_id: id, teacher_id, room, ...times }, signal);

/** The teacher, room and students that would be in two lessons at the same time. */
export const conflictTextOf = ({ teacher_id, teacher_name, room, student_names }: Conflict): string[] => [
  ...(teacher_id === null ? [] : [t.clashTeacher(teacher_name ?? common.notListed)]),
  ...(room === null ? [] : [t.clashRoom(room)]),
  ...(student_names.length === 0 ? [] : [t.clashStudents(list(student_names.map((name) => name ?? common.notListed)))]),
];

/** The conflicts with other lessons, each as a short text with the class of the other lesson. */
export const textsOfConflicts = (conflicts: readonly Conflict[]): string[] =>
  conflicts.flatMap((conflict) => conflictTextOf(conflict).map((text) => t.withNote(text, conflict.clazz_name)));

export const hasNoConflict = ({ conflicts, too_small, holiday }: Check): boolean =>
  conflicts.length === 0 && too_small === null && holiday === null;

/** All problems of a check, each as a short text. */
export const conflictTexts = ({ conflicts, too_small, holiday }: Check): string[] => [
  ...textsOfConflicts(conflicts),
  ...(too_small === null ? [] : [t.tooSmall(too_small.room, too_small.capacity, too_small.taken)]),
  ...(holiday === null ? [] : [t.holiday(holiday)]),
];
