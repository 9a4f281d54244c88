import { signal } from '@preact/signals';
import type { QueryState } from '../shared/query.ts';
import { day, orgZone, times as timesText } from '../shared/format.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { remedyOf } from '../shared/problem-texts.ts';
import { moveLesson } from './lesson-actions.ts';
import { checkMove, hasNoConflict, conflictTexts } from './check-lesson.ts';
import { movedTimes, type Target } from './grid.rules.ts';
import { t } from './timetable-texts.ts';
import { type Lesson, dialogState, announcement } from './timetable.state.ts';

/** A lesson that is being moved, its target, and the conflicts there as far as they are known. */
export interface LessonMove {
  lesson: Lesson;
  target: Target;
  by: 'pointer' | 'keys';
  reasons: readonly string[] | undefined;
}
export const lessonMove = signal<LessonMove | undefined>(undefined);

/** The target is checked after this pause; while the pointer moves on, no check is needed. */
const PAUSE_MS = 180;
let timer: ReturnType<typeof setTimeout> | undefined;
let controller: AbortController | undefined;

const stop = (): void => {
  clearTimeout(timer);
  controller?.abort();
};

const timesOf = ({ lesson, target }: LessonMove) => movedTimes(lesson, target, orgZone());

const isUnmoved = (move: LessonMove): boolean => timesOf(move).starts_at === move.lesson.starts_at;

const checkTarget = async (move: LessonMove): Promise<void> => {
  controller = new AbortController();
  const { signal: abort } = controller;
  try {
    const check = await checkMove(move.lesson, timesOf(move), abort);
    if (abort.aborted || lessonMove.value !== move) return;
    const reasons = conflictTexts(check);
    lessonMove.value = { ...move, reasons };
    if (move.by === 'keys') announcement.value = reasons.length === 0 ? t.noClash : t.conflictWith(reasons);
  } catch {
    // The conflicts are checked once more before anything is saved.
  }
};

/** Moves a lesson to a target on the grid, without saving it. */
export const moveTo = (lesson: Lesson, target: Target, by: LessonMove['by']): void => {
  const { value } = lessonMove;
  if (value?.target.date === target.date && value.target.minutes === target.minutes) return;
  stop();
  const move: LessonMove = { lesson, target, by, reasons: undefined };
  lessonMove.value = move;
  if (isUnmoved(move)) return;
  if (by === 'keys') {
    const { starts_at, ends_at } = timesOf(move);
    announcement.value = t.movingTo(t.dayAndTimes(day(starts_at), timesText(starts_at, ends_at)));
  }
  timer = setTimeout(() => void checkTarget(move), PAUSE_MS);
};

export const cancelMove = (): void => {
  if (lessonMove.value === undefined) return;
  stop();
  lessonMove.value = undefined;
  announcement.value = t.gaveUp;
};

/** Keeps the keyboard focus on the lesson at its new place. */
const focusOn = ({ id }: Lesson): void => {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-lesson="${id}"]`)?.focus());
};

/** Saves the move. For a clash, a holiday or a lesson of a series it opens the form instead, and saves nothing yet. */
export const saveMove = async (week: QueryState<readonly Lesson[]>): Promise<void> => {
  const move = lessonMove.value;
  if (move === undefined) return;
  stop();
  if (isUnmoved(move)) return cancelMove();
  const { lesson } = move;
  const times = timesOf(move);
  if (lesson.series_id !== null) {
    lessonMove.value = undefined;
    dialogState.value = { what: 'edit', lesson, times };
    return;
  }
  try {
    const check = await checkMove(lesson, times);
    // The move was cancelled, continued or saved meanwhile.
    if (lessonMove.value !== move) return;
    lessonMove.value = undefined;
    if (hasNoConflict(check)) {
      const saved = moveLesson(week, lesson, times);
      if (move.by === 'keys') focusOn(lesson);
      await saved;
    } else dialogState.value = { what: 'edit', lesson, times };
  } catch (error) {
    if (lessonMove.value === move) lessonMove.value = undefined;
    toast(remedyOf(error));
  }
};
