import type { QueryState } from '../shared/query.ts';
import type { LessonEdit } from './draft.rules.ts';
import type { Lesson, Scope } from './timetable.state.ts';
import { readAllRows } from '../shared/row-query.ts';
import { api } from '../shared/api.ts';
import { invalidateKinds } from '../shared/query.ts';
import { checkLesson } from './check-lesson.ts';
import { now } from '../shared/clock.ts';
import { common } from '../shared/common-texts.ts';
import { dayTime } from '../shared/format.ts';
import { keysOf } from '../shared/lesson-texts.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { remedyOf } from '../shared/problem-texts.ts';
import { t } from './timetable-texts.ts';

/** The actions on lessons, each with its undo. They throw what the API refuses. */

export interface OverrideInput {
  override?: boolean;
  reason?: string | null;
}

const etag = (version: number): { if_match: string } => ({ if_match: `"${version}"` });

const askBeforeLeaving = (event: Event): void => event.preventDefault();

/** Shows the result in a toast. Undo is an action of its own, which may be refused, and may take several requests. */
const notifyDone = (text: string, undo?: () => Promise<string | undefined>): void => {
  invalidateKinds('lesson');
  if (undo === undefined) return toast(text);
  const run = async (): Promise<void> => {
    addEventListener('beforeunload', askBeforeLeaving);
    toast(t.undoing);
    try {
      toast((await undo()) ?? t.undone);
    } catch (error) {
      toast(t.notUndone(remedyOf(error)));
    } finally {
      removeEventListener('beforeunload', askBeforeLeaving);
    }
    invalidateKinds('lesson');
  };
  return toast(text, { label: common.undo, run });
};

/**
 * Whether earlier lessons of the series would move, too, if this lesson were moved back. The series could then not
 * be restored.
 */
const movesEarlierLessons = async (lesson: Lesson, starts_at: string): Promise<boolean> => {
  if (lesson.series_id === null || starts_at >= lesson.starts_at) return false;
  const query = { series_id: lesson.series_id, from: starts_at, to: lesson.starts_at, limit: '1' };
  const { data } = await api.listClazzLessons({ path: { id: lesson.clazz_id }, query });
  return data.items.length > 0;
};

const previousValues = (lesson: Lesson, patch: Partial<LessonEdit>): Partial<LessonEdit> =>
  Object.fromEntries(keysOf(patch).map((name) => [name, lesson[name]]));

/**
 * The override that an undo needs to set lessons back into their present conflicts. A supervisor accepted these conflicts, but the
 * API accepts them once more only on request.
 */
const undoOverride = async ({ id, clazz_id, ...lesson }: Lesson, scope: Scope): Promise<OverrideInput> => {
  const { starts_at, ends_at, teacher_id, room } = lesson;
  const { accepted } = await checkLesson(clazz_id, { lesson_id: id, scope, starts_at, ends_at, teacher_id, room });
  return { reason: t.undoReason, ...(accepted.length > 0 ? { override: true } : {}) };
};

const isOnlyTimes = (patch: Partial<LessonEdit>): boolean =>
  Object.keys(patch).every((name) => name === 'starts_at' || name === 'ends_at');

/** Changes a lesson, and others of its series by `scope`. */
export const changeLesson = async (
  lesson: Lesson,
  patch: Partial<LessonEdit>,
  { scope = 'this', doneText, ...overriding }: OverrideInput & { scope?: Scope; doneText?: string } = {},
): Promise<void> => {
  const canUndo =
    scope === 'this' ||
    (isOnlyTimes(patch) &&
      !(scope === 'following' && (await movesEarlierLessons(lesson, patch.starts_at ?? lesson.starts_at))));
  const path = { lesson_id: lesson.id };
  const undoing = canUndo ? await undoOverride(lesson, scope) : {};
  const { data } = await api.updateLesson(
    { path, query: { scope }, body: { ...patch, ...overriding } },
    etag(lesson.version),
  );
  const undo = async () => {
    await api.updateLesson(
      { path, query: { scope }, body: { ...previousValues(lesson, patch), ...undoing } },
      etag(data.version),
    );
    return undefined;
  };
  const text = doneText ?? (patch.starts_at === undefined ? t.saved : t.moved(dayTime(data.starts_at)));
  notifyDone(text, canUndo ? undo : undefined);
};

/** Moves a lesson on the page at once. If the API refuses, the lesson moves back and the refusal is thrown. */
export const moveLesson = async (
  week: QueryState<readonly Lesson[]>,
  lesson: Lesson,
  times: { starts_at: string; ends_at: string },
): Promise<void> => {
  const previous = week.data.value;
  week.put((previous ?? []).map((row) => (row.id === lesson.id ? { ...row, ...times } : row)));
  try {
    await changeLesson(lesson, times);
  } catch (error) {
    if (previous !== undefined) week.put(previous);
    invalidateKinds('lesson');
    throw error;
  }
};

const restoreById = async (
  lesson_id: string,
  body: { reason: string; override?: boolean },
): Promise<string | undefined> => {
  const { data } = await api.restoreLesson({ path: { lesson_id }, body });
  return data.not_restored.length > 0 ? t.notRestored(data.not_restored.length) : undefined;
};

export interface CancelInput {
  scope: Scope;
  reason: string | null;
  reason_public: boolean;
  by: 'teacher' | 'org';
}

/** The ids of the lessons that one call cancelled: they have the same time of the last change. */
const cancelledWith = async (lesson: Lesson, updated_at: string): Promise<string[]> => {
  const { series_id, clazz_id } = lesson;
  if (series_id === null) return [lesson.id];
  const rows = await readAllRows((page) =>
    api.listClazzLessons({ path: { id: clazz_id }, query: { series_id, status: 'cancelled', ...page } }),
  );
  return rows.filter((row) => row.updated_at === updated_at).map((row) => row.id);
};

/** Restores all these lessons. If some cannot be restored, the others are. */
const restoreAll = async (
  ids: readonly string[],
  body: { reason: string; override?: boolean },
): Promise<string | undefined> => {
  const failures: unknown[] = [];
  let note: string | undefined;
  for (const id of ids)
    try {
      note = (await restoreById(id, body)) ?? note;
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0 && failures.length === ids.length) throw failures[0];
  return failures.length > 0 ? t.partlyUndone(failures.length, ids.length, remedyOf(failures[0])) : note;
};

/**
 * Cancels a lesson, and others of its series by `scope`. A lesson that was held cannot be set back to held, so there is
 * no undo for it.
 */
export const cancelLesson = async (lesson: Lesson, { scope, ...body }: CancelInput): Promise<void> => {
  const path = { lesson_id: lesson.id };
  const undoing = lesson.status === 'held' ? undefined : await undoOverride(lesson, scope);
  const { data } = await api.cancelLesson({ path, query: { scope }, body }, etag(lesson.version));
  const undo = async () => {
    const ids = scope === 'this' ? [lesson.id] : await cancelledWith(lesson, data.updated_at);
    return restoreAll(ids, { ...undoing, reason: t.undoReason });
  };
  notifyDone(scope === 'this' ? t.cancelledOne : t.cancelledMany, undoing === undefined ? undefined : undo);
};

/** Restores a cancelled lesson. */
export const restoreLesson = async (lesson: Lesson, reason: string): Promise<void> => {
  const note = await restoreById(lesson.id, { reason });
  notifyDone(note ?? t.restored, async () => {
    const { cancelled_by, cancel_reason, reason_public } = lesson;
    const body = { by: cancelled_by ?? 'org', reason: cancel_reason, reason_public };
    await api.cancelLesson({ path: { lesson_id: lesson.id }, body });
    return undefined;
  });
};

/** Assigns a lesson to another teacher. */
export const substituteTeacher = (lesson: Lesson, teacher: { id: string; name: string }): Promise<void> =>
  changeLesson(lesson, { teacher_id: teacher.id }, { doneText: t.given(teacher.name) });

/**
 * Undo of new lessons, by the one that begins first: it removes all of them, or none. There is none once that lesson has
 * begun.
 */
const removal = ({ id, starts_at }: Pick<Lesson, 'id' | 'starts_at'>, scope: Scope) =>
  Date.parse(starts_at) <= now.value
    ? undefined
    : async () => {
        await api.deleteLesson({ path: { lesson_id: id }, query: { scope } });
        return undefined;
      };

/** Schedules one lesson. */
export const createLesson = async (clazz_id: string, body: LessonEdit & OverrideInput): Promise<void> => {
  const { data } = await api.createLesson({ path: { id: clazz_id }, body });
  notifyDone(t.created(1), removal(data, 'this'));
};

export type NewSeries = Parameters<typeof api.createLessonSeries>[0]['body'];

/** Schedules a series. */
export const createSeries = async (clazz_id: string, body: NewSeries): Promise<void> => {
  const { data } = await api.createLessonSeries({ path: { id: clazz_id }, body });
  const [first] = data.items;
  notifyDone(t.created(data.items.length), first && removal(first, 'all'));
};
