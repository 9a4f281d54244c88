import { signal } from '@preact/signals';
import type { QueryState } from '../shared/query.ts';
import { dayTime, orgZone, times as timesText } from '../shared/format.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { remedyOf } from '../shared/problem-texts.ts';
import { moveLesson } from './lesson-actions.ts';
import { checkMove, isClear, reasonsOf } from './check-lesson.ts';
import { movedTo, type Target } from './grid.rules.ts';
import { t } from './timetable-texts.ts';
import { type Lesson, open, announcement } from './timetable.state.ts';

/** A lesson on its way to another time, and what is in its way there as far as it is known. */
export interface LessonMove {
  lesson: Lesson;
  target: Target;
  by: 'pointer' | 'keys';
  reasons: readonly string[] | undefined;
}
export const lessonMove = signal<LessonMove | undefined>(undefined);

/** A hand that goes on needs no answer. */
const REST_MS = 180;
let timer: ReturnType<typeof setTimeout> | undefined;
let controller: AbortController | undefined;

const stop = (): void => {
  clearTimeout(timer);
  controller?.abort();
};

const timesOf = ({ lesson, target }: LessonMove) => movedTo(lesson, target, orgZone());

const isHere = (it: LessonMove): boolean => timesOf(it).starts_at === it.lesson.starts_at;

const ask = async (it: LessonMove): Promise<void> => {
  controller = new AbortController();
  const given = controller.signal;
  try {
    const check = await checkMove(it.lesson, timesOf(it), given);
    if (given.aborted || lessonMove.value !== it) return;
    const reasons = reasonsOf(check);
    lessonMove.value = { ...it, reasons };
    if (it.by === 'keys') announcement.value = reasons.length === 0 ? t.noClash : `${t.clashes}: ${reasons.join('; ')}`;
  } catch {
    // What is in the way is asked once more before anything is saved.
  }
};

/** Takes a lesson along to a place of the grid. */
export const moveTo = (lesson: Lesson, target: Target, by: LessonMove['by']): void => {
  const { value } = lessonMove;
  if (value?.target.date === target.date && value.target.minutes === target.minutes) return;
  stop();
  const it: LessonMove = { lesson, target, by, reasons: undefined };
  lessonMove.value = it;
  if (isHere(it)) return;
  if (by === 'keys') {
    const { starts_at, ends_at } = timesOf(it);
    announcement.value = t.movingTo(`${dayTime(starts_at)} – ${timesText(starts_at, ends_at)}`);
  }
  timer = setTimeout(() => void ask(it), REST_MS);
};

export const cancelMove = (): void => {
  if (lessonMove.value === undefined) return;
  stop();
  lessonMove.value = undefined;
  announcement.value = t.gaveUp;
};

/** Whoever works by keys goes on where the lesson is now. */
const focusOn = ({ id }: Lesson): void => {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-lesson="${id}"]`)?.focus());
};

/** Saves where it is. What clashes, lies on a holiday or belongs to a series is looked at first, nothing saved yet. */
export const saveMove = async (week: QueryState<readonly Lesson[]>): Promise<void> => {
  const it = lessonMove.value;
  if (it === undefined) return;
  stop();
  if (isHere(it)) return cancelMove();
  const { lesson } = it;
  const times = timesOf(it);
  if (lesson.series_id !== null) {
    lessonMove.value = undefined;
    open.value = { what: 'edit', lesson, times };
    return;
  }
  try {
    const check = await checkMove(lesson, times);
    // Given up meanwhile, taken further, or dropped twice.
    if (lessonMove.value !== it) return;
    lessonMove.value = undefined;
    if (isClear(check)) {
      const saved = moveLesson(week, lesson, times);
      if (it.by === 'keys') focusOn(lesson);
      await saved;
    } else open.value = { what: 'edit', lesson, times };
  } catch (error) {
    if (lessonMove.value === it) lessonMove.value = undefined;
    toast(remedyOf(error));
  }
};
