import type { QueryState } from '../shared/query.ts';
import type { LessonEdit } from './draft.rules.ts';
import type { Lesson, Scope } from './timetable.state.ts';
import { allRows } from '../shared/row-query.ts';
import { api } from '../shared/api.ts';
import { changed } from '../shared/query.ts';
import { common } from '../shared/common-texts.ts';
import { dayTime } from '../shared/format.ts';
import { namesOf } from '../shared/lesson-texts.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { remedyOf } from '../shared/problem-texts.ts';
import { t } from './timetable-texts.ts';

/** What is done to lessons, each with its way back. Throws what the API refuses. */

export interface OverrideInput {
  override?: boolean;
  reason?: string | null;
}

const etag = (version: number): { if_match: string } => ({ if_match: `"${version}"` });

/** Says what was done; taking it back is an act of its own, which may be refused. */
const done = (text: string, undo?: () => Promise<string | undefined>): void => {
  changed('lesson');
  if (undo === undefined) return toast(text);
  const run = async (): Promise<void> => {
    try {
      toast((await undo()) ?? t.undone);
    } catch (error) {
      toast(t.notUndone(remedyOf(error)));
    }
    changed('lesson');
  };
  return toast(text, { label: common.undo, run });
};

/** Lessons before it that would follow it, too, when it is moved back: the series could not be put back as it was. */
const isMixedUp = async (lesson: Lesson, starts_at: string): Promise<boolean> => {
  if (lesson.series_id === null || starts_at >= lesson.starts_at) return false;
  const query = { series_id: lesson.series_id, from: starts_at, to: lesson.starts_at, limit: '1' };
  const { data } = await api.listClazzLessons({ path: { id: lesson.clazz_id }, query });
  return data.items.length > 0;
};

const before = (lesson: Lesson, patch: Partial<LessonEdit>): Partial<LessonEdit> =>
  Object.fromEntries(namesOf(patch).map((name) => [name, lesson[name]]));

const isOnlyTimes = (patch: Partial<LessonEdit>): boolean =>
  Object.keys(patch).every((name) => name === 'starts_at' || name === 'ends_at');

/** Changes a lesson, and with it others of its series. */
export const changeLesson = async (
  lesson: Lesson,
  patch: Partial<LessonEdit>,
  { scope = 'this', said, ...overriding }: OverrideInput & { scope?: Scope; said?: string } = {},
): Promise<void> => {
  const isBack =
    scope === 'this' ||
    (isOnlyTimes(patch) && !(scope === 'following' && (await isMixedUp(lesson, patch.starts_at ?? lesson.starts_at))));
  const path = { lesson_id: lesson.id };
  const { data } = await api.updateLesson(
    { path, query: { scope }, body: { ...patch, ...overriding } },
    etag(lesson.version),
  );
  const back = async () => {
    await api.updateLesson({ path, query: { scope }, body: before(lesson, patch) }, etag(data.version));
    return undefined;
  };
  const text = said ?? (patch.starts_at === undefined ? t.saved : t.moved(dayTime(data.starts_at)));
  done(text, isBack ? back : undefined);
};

/** Moves a lesson at once on the page; when it is refused it is where it was, and the refusal is thrown. */
export const moveLesson = async (
  week: QueryState<readonly Lesson[]>,
  lesson: Lesson,
  times: { starts_at: string; ends_at: string },
): Promise<void> => {
  const seen = week.data.value;
  week.put((seen ?? []).map((one) => (one.id === lesson.id ? { ...one, ...times } : one)));
  try {
    await changeLesson(lesson, times);
  } catch (error) {
    if (seen !== undefined) week.put(seen);
    changed('lesson');
    throw error;
  }
};

const putBack = async (lesson_id: string, reason: string): Promise<string | undefined> => {
  const { data } = await api.restoreLesson({ path: { lesson_id }, body: { reason } });
  return data.not_restored.length > 0 ? t.notRestored(data.not_restored.length) : undefined;
};

export interface CancelInput {
  scope: Scope;
  reason: string | null;
  reason_public: boolean;
  by: 'teacher' | 'org';
}

/** What one call cancelled together has one time of its last change. */
const cancelledWith = async (lesson: Lesson, updated_at: string): Promise<string[]> => {
  const { series_id, clazz_id } = lesson;
  if (series_id === null) return [lesson.id];
  const rows = await allRows((page) =>
    api.listClazzLessons({ path: { id: clazz_id }, query: { series_id, status: 'cancelled', ...page } }),
  );
  return rows.filter((row) => row.updated_at === updated_at).map((row) => row.id);
};

/** Cancels a lesson, and with it others of its series. */
export const cancelLesson = async (lesson: Lesson, { scope, ...body }: CancelInput): Promise<void> => {
  const path = { lesson_id: lesson.id };
  const { data } = await api.cancelLesson({ path, query: { scope }, body }, etag(lesson.version));
  done(scope === 'this' ? t.cancelledOne : t.cancelledMany, async () => {
    const ids = scope === 'this' ? [lesson.id] : await cancelledWith(lesson, data.updated_at);
    let said: string | undefined;
    for (const id of ids) said = (await putBack(id, t.undoReason)) ?? said;
    return said;
  });
};

/** Brings a cancelled lesson back. */
export const restoreLesson = async (lesson: Lesson, reason: string): Promise<void> => {
  const said = await putBack(lesson.id, reason);
  done(said ?? t.restored, async () => {
    const { cancelled_by, cancel_reason, reason_public } = lesson;
    const body = { by: cancelled_by ?? 'org', reason: cancel_reason, reason_public };
    await api.cancelLesson({ path: { lesson_id: lesson.id }, body });
    return undefined;
  });
};

/** Gives a lesson to another teacher. */
export const substituteTeacher = (lesson: Lesson, teacher: { id: string; name: string }): Promise<void> =>
  changeLesson(lesson, { teacher_id: teacher.id }, { said: t.given(teacher.name) });

/** Schedules one lesson. What was made is taken back by cancelling it: it stays visible. */
export const createLesson = async (clazz_id: string, body: LessonEdit & OverrideInput): Promise<void> => {
  const { data } = await api.createLesson({ path: { id: clazz_id }, body });
  done(t.created(1), async () => {
    await api.cancelLesson({ path: { lesson_id: data.id }, body: { reason: t.undoReason } });
    return undefined;
  });
};

export type NewSeries = Parameters<typeof api.createLessonSeries>[0]['body'];

/** Schedules a series. */
export const createSeries = async (clazz_id: string, body: NewSeries): Promise<void> => {
  const { data } = await api.createLessonSeries({ path: { id: clazz_id }, body });
  const [first] = data.items;
  done(t.created(data.items.length), async () => {
    if (first !== undefined)
      await api.cancelLesson({
        path: { lesson_id: first.id },
        query: { scope: 'all' },
        body: { reason: t.undoReason },
      });
    return undefined;
  });
};
