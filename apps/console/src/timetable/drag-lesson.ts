import type { QueryState } from '../shared/query.ts';
import { keepInDay, snapToStep, type Target } from './grid.rules.ts';
import { saveMove, cancelMove, moveTo, lessonMove } from './lesson-move.state.ts';
import { type Lesson, announcement } from './timetable.state.ts';
import { t } from './timetable-texts.ts';

/** The distance in pixels from which a mouse drags; the milliseconds after which a finger drags. */
const DRAG_DISTANCE_PX = 5;
const LONG_PRESS_MS = 350;
const SCROLL_EDGE_PX = 64;
const SCROLL_STEP_PX = 14;
export const STEP_MINUTES = 15;
export const FINE_STEP_MINUTES = 5;

/** The day and the minute of the day at a point of the screen. Over a day's heading only the day is known. */
const targetAt = (x: number, y: number, before: Target): Target & { isExact: boolean } => {
  for (const element of document.elementsFromPoint(x, y)) {
    if (!(element instanceof HTMLElement) || element.dataset['date'] === undefined) continue;
    const { date, from, to } = element.dataset;
    if (from === undefined || to === undefined) return { date, minutes: before.minutes, isExact: false };
    const { top, height } = element.getBoundingClientRect();
    return { date, minutes: Number(from) + ((y - top) / height) * (Number(to) - Number(from)), isExact: true };
  }
  return { ...before, isExact: false };
};

/** The day and time under a pointer, for a new lesson there. Undefined outside the days. */
export const emptyPlace = (event: MouseEvent, step: number): Target | undefined => {
  const target = targetAt(event.clientX, event.clientY, { date: '', minutes: 0 });
  if (!target.isExact) return undefined;
  return keepInDay({ date: target.date, minutes: Math.floor(target.minutes / step) * step }, step);
};

/** Scrolls the box of the days, and the page if the pointer is at its edge. */
const scrollAtEdge = (x: number, y: number, inside: HTMLElement): void => {
  const box = inside.closest('.scroller');
  if (box === null) return;
  const { top, bottom, left, right } = box.getBoundingClientRect();
  const scrollStep = (at: number, low: number, high: number): number =>
    at < low + SCROLL_EDGE_PX ? -SCROLL_STEP_PX : at > high - SCROLL_EDGE_PX ? SCROLL_STEP_PX : 0;
  box.scrollBy(scrollStep(x, left - SCROLL_EDGE_PX / 2, right + SCROLL_EDGE_PX / 2), scrollStep(y, top, bottom));
  scrollBy(0, scrollStep(y, 0, innerHeight));
};

/**
 * Moves a lesson by mouse or finger. A mouse drags at once; a finger drags after a pause, so that it can still
 * scroll. The click that follows a drag is suppressed. `at` is the present time of the lesson.
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
  const grabbed = targetAt(down.clientX, down.clientY, at);
  const grabOffset = grabbed.isExact ? grabbed.minutes - at.minutes : 0;
  const clickSuppression = new AbortController();
  let isDragging = false;

  const begin = (): void => {
    isDragging = true;
    navigator.vibrate?.(10);
    moveTo(lesson, at, 'pointer');
    addEventListener('click', (event) => event.stopPropagation(), { capture: true, signal: clickSuppression.signal });
  };
  const timer = down.pointerType === 'mouse' ? undefined : setTimeout(begin, LONG_PRESS_MS);
  const end = (): void => {
    clearTimeout(timer);
    ended.abort();
    setTimeout(() => clickSuppression.abort());
  };

  const follow = (event: PointerEvent): void => {
    if (event.pointerId !== down.pointerId) return;
    if (!isDragging) {
      const isDragged = Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > DRAG_DISTANCE_PX;
      if (!isDragged) return;
      if (down.pointerType !== 'mouse') return end();
      begin();
    }
    const step = event.shiftKey || event.altKey ? FINE_STEP_MINUTES : STEP_MINUTES;
    const target = targetAt(event.clientX, event.clientY, lessonMove.value?.target ?? at);
    const minutes = target.isExact ? snapToStep(target.minutes - grabOffset, step) : target.minutes;
    moveTo(lesson, keepInDay({ date: target.date, minutes }, step), 'pointer');
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
  // A dragging finger does not scroll.
  addEventListener(
    'touchmove',
    (event) => {
      if (isDragging) event.preventDefault();
    },
    { signal, passive: false },
  );
  addEventListener('contextmenu', (event) => event.preventDefault(), { signal });
};

/** Starts a move by keyboard, and announces the keys to screen readers. */
export const startKeyboardMove = (lesson: Lesson, at: Target): void => {
  if (lesson.status !== 'scheduled') return;
  moveTo(lesson, at, 'keys');
  announcement.value = t.moveHelp;
};
