import { clazzEvents, type Lesson } from '@teaching/contracts';
import type { EventPublisher } from '@teaching/kit';
import { inParts } from '../audit/in-parts.ts';
import { lastById } from '../audit/last-by-id.ts';

/** A lesson as events contain it: without the reason of a cancellation, since events are never erased. */
export const toPublicLesson = (lesson: Lesson): Lesson => ({ ...lesson, cancel_reason: null });

/** Emits the last state of each lesson: one event for each class. */
export const publishLessonEvents: EventPublisher<Lesson> = (session, lessons) => {
  for (const [clazz_id, ofClazz] of Map.groupBy(lastById(lessons), (lesson) => lesson.clazz_id)) {
    for (const part of inParts(ofClazz.map(toPublicLesson)))
      session.emit(clazzEvents.lessonChanged, clazz_id, { clazz_id, lessons: part });
  }
};
