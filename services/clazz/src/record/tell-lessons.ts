import { clazzEvents, type Lesson } from '@teaching/contracts';
import type { Tell } from '@teaching/kit';
import { inParts } from '../audit/in-parts.ts';
import { lastById } from '../audit/last-by-id.ts';

/** A lesson as everybody is told of it: why it was cancelled stays inside, since events are kept for good. */
export const toldLesson = (lesson: Lesson): Lesson => ({ ...lesson, cancel_reason: null });

/** Lessons as a transaction leaves them: one event for each class. */
export const tellLessons: Tell<Lesson> = (session, lessons) => {
  for (const [clazz_id, ofClazz] of Map.groupBy(lastById(lessons), (lesson) => lesson.clazz_id)) {
    for (const part of inParts(ofClazz.map(toldLesson)))
      session.emit(clazzEvents.lessonChanged, clazz_id, { clazz_id, lessons: part });
  }
};
