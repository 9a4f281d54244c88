import { signal } from '@preact/signals';
import type { Asked } from '../shared/ask.ts';
import { dayTime, orgZone, times as timesText } from '../shared/format.ts';
import { toast } from '../shared/parts/toasts.tsx';
import { whatToDo } from '../shared/problem-texts.ts';
import { move } from './acts.ts';
import { checkMove, isClear, reasonsOf } from './check.ts';
import { movedTo, type Target } from './grid.rules.ts';
import { t } from './texts.ts';
import { type Lesson, open, spoken } from './timetable.state.ts';

/** A lesson on its way to another time, and what is in its way there as far as it is known. */
export interface Moving {
  lesson: Lesson;
  target: Target;
  by: 'pointer' | 'keys';
  reasons: readonly string[] | undefined;
}
export const moving = signal<Moving | undefined>(undefined);

/** A hand that goes on needs no answer. */
const REST_MS = 180;
let timer: ReturnType<typeof setTimeout> | undefined;
let controller: AbortController | undefined;

const stop = (): void => {
  clearTimeout(timer);
  controller?.abort();
};

const timesOf = ({ lesson, target }: Moving) => movedTo(lesson, target, orgZone());

const isHere = (it: Moving): boolean => timesOf(it).starts_at === it.lesson.starts_at;

const ask = async (it: Moving): Promise<void> => {
  controller = new AbortController();
  const given = controller.signal;
  try {
    const check = await checkMove(it.lesson, timesOf(it), given);
    if (given.aborted || moving.value !== it) return;
    const reasons = reasonsOf(check);
    moving.value = { ...it, reasons };
    if (it.by === 'keys') spoken.value = reasons.length === 0 ? t.noClash : `${t.clashes}: ${reasons.join('; ')}`;
  } catch {
    // What is in the way is asked once more before anything is saved.
  }
};

/** Takes a lesson along to a place of the grid. */
export const moveTo = (lesson: Lesson, target: Target, by: Moving['by']): void => {
  const { value } = moving;
  if (value?.target.date === target.date && value.target.minutes === target.minutes) return;
  stop();
  const it: Moving = { lesson, target, by, reasons: undefined };
  moving.value = it;
  if (isHere(it)) return;
  if (by === 'keys') {
    const { starts_at, ends_at } = timesOf(it);
    spoken.value = t.movingTo(`${dayTime(starts_at)} – ${timesText(starts_at, ends_at)}`);
  }
  timer = setTimeout(() => void ask(it), REST_MS);
};

export const giveUp = (): void => {
  if (moving.value === undefined) return;
  stop();
  moving.value = undefined;
  spoken.value = t.gaveUp;
};

/** Whoever works by keys goes on where the lesson is now. */
const focusOn = ({ id }: Lesson): void => {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-lesson="${id}"]`)?.focus());
};

/** Saves where it is. What clashes, lies on a holiday or belongs to a series is looked at first, nothing saved yet. */
export const drop = async (week: Asked<readonly Lesson[]>): Promise<void> => {
  const it = moving.value;
  if (it === undefined) return;
  stop();
  if (isHere(it)) return giveUp();
  const { lesson } = it;
  const times = timesOf(it);
  if (lesson.series_id !== null) {
    moving.value = undefined;
    open.value = { what: 'edit', lesson, times };
    return;
  }
  try {
    const check = await checkMove(lesson, times);
    // Given up meanwhile, taken further, or dropped twice.
    if (moving.value !== it) return;
    moving.value = undefined;
    if (isClear(check)) {
      const saved = move(week, lesson, times);
      if (it.by === 'keys') focusOn(lesson);
      await saved;
    } else open.value = { what: 'edit', lesson, times };
  } catch (error) {
    if (moving.value === it) moving.value = undefined;
    toast(whatToDo(error));
  }
};
