import type { QueryState } from '../shared/query.ts';
import { keepInDay, snapToStep, type Target } from './grid.rules.ts';
import { saveMove, cancelMove, moveTo, lessonMove } from './lesson-move.state.ts';
import { type Lesson, announcement } from './timetable.state.ts';
import { t } from './timetable-texts.ts';

/** How far a mouse goes before it drags, in pixels, and how long a finger rests. */
const FAR = 5;
const LONG_MS = 350;
const EDGE = 64;
const SCROLL = 14;
export const STEP_MINUTES = 15;
export const FINE_STEP_MINUTES = 5;

/** The minute of the clock at a height of a day's column, and which day it is; over a day's heading only the day counts. */
const placeAt = (x: number, y: number, before: Target): Target & { isExact: boolean } => {
  for (const element of document.elementsFromPoint(x, y)) {
    if (!(element instanceof HTMLElement) || element.dataset['date'] === undefined) continue;
    const { date, from, to } = element.dataset;
    if (from === undefined || to === undefined) return { date, minutes: before.minutes, isExact: false };
    const { top, height } = element.getBoundingClientRect();
    return { date, minutes: Number(from) + ((y - top) / height) * (Number(to) - Number(from)), isExact: true };
  }
  return { ...before, isExact: false };
};

/** The place under a pointer, for what is begun there. */
export const emptyPlace = (event: MouseEvent, step: number): Target | undefined => {
  const place = placeAt(event.clientX, event.clientY, { date: '', minutes: 0 });
  if (!place.isExact) return undefined;
  return keepInDay({ date: place.date, minutes: Math.floor(place.minutes / step) * step }, step);
};

/** Scrolls what holds the days, or the page where that is as high as they are. */
const scrollAtEdge = (x: number, y: number, inside: HTMLElement): void => {
  const box = inside.closest('.scroller');
  if (box === null) return;
  const { top, bottom, left, right } = box.getBoundingClientRect();
  const by = (at: number, low: number, high: number): number =>
    at < low + EDGE ? -SCROLL : at > high - EDGE ? SCROLL : 0;
  box.scrollBy(by(x, left - EDGE / 2, right + EDGE / 2), by(y, top, bottom));
  scrollBy(0, by(y, 0, innerHeight));
};

/**
 * Moves a lesson by mouse or finger: a mouse drags at once, a finger after it has rested, so that it can still scroll. What
 * follows as a click is swallowed. `at` is where the lesson is.
 */
export const dragLesson = (
  down: PointerEvent,
  lesson: Lesson,
  at: Target,
  week: QueryState<readonly Lesson[]>,
): void => {
  if (down.button !== 0 || lesson.status !== 'scheduled' || lessonMove.value !== undefined) return;
  const element = down.currentTarget;
  if (!(element instanceof HTMLElement)) return;
  const ended = new AbortController();
  const { signal } = ended;
  const grip = placeAt(down.clientX, down.clientY, at);
  const above = grip.isExact ? grip.minutes - at.minutes : 0;
  const swallowing = new AbortController();
  let isDragging = false;

  const begin = (): void => {
    isDragging = true;
    navigator.vibrate?.(10);
    moveTo(lesson, at, 'pointer');
    addEventListener('click', (event) => event.stopPropagation(), { capture: true, signal: swallowing.signal });
  };
  const timer = down.pointerType === 'mouse' ? undefined : setTimeout(begin, LONG_MS);
  const end = (): void => {
    clearTimeout(timer);
    ended.abort();
    setTimeout(() => swallowing.abort());
  };

  const follow = (event: PointerEvent): void => {
    if (event.pointerId !== down.pointerId) return;
    if (!isDragging) {
      const isFar = Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > FAR;
      if (!isFar) return;
      if (down.pointerType !== 'mouse') return end();
      begin();
    }
    const step = event.shiftKey || event.altKey ? FINE_STEP_MINUTES : STEP_MINUTES;
    const place = placeAt(event.clientX, event.clientY, lessonMove.value?.target ?? at);
    const minutes = place.isExact ? snapToStep(place.minutes - above, step) : place.minutes;
    moveTo(lesson, keepInDay({ date: place.date, minutes }, step), 'pointer');
    scrollAtEdge(event.clientX, event.clientY, element);
  };
  addEventListener('pointermove', follow, { signal });
  addEventListener(
    'pointerup',
    (event) => {
      if (event.pointerId !== down.pointerId) return;
      end();
      if (isDragging) void saveMove(week);
    },
    { signal },
  );
  addEventListener(
    'pointercancel',
    () => {
      end();
      if (isDragging) cancelMove();
    },
    { signal },
  );
  addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || !isDragging) return;
      end();
      cancelMove();
    },
    { signal },
  );
  // A finger that drags does not scroll.
  addEventListener(
    'touchmove',
    (event) => {
      if (isDragging) event.preventDefault();
    },
    { signal, passive: false },
  );
  addEventListener('contextmenu', (event) => event.preventDefault(), { signal });
};

/** Tells how to move a lesson by keys, and takes it up. */
export const startKeyboardMove = (lesson: Lesson, at: Target): void => {
  if (lesson.status !== 'scheduled') return;
  moveTo(lesson, at, 'keys');
  announcement.value = t.moveHelp;
};
