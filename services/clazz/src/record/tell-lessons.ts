import { clazzEvents, type Lesson } from '@teaching/contracts';
import type { Tell } from '@teaching/kit';
import { inParts } from '../audit/in-parts.ts';
import { lastById } from '../audit/last-by-id.ts';

/** Lessons as a transaction leaves them: one event for each class. */
export const tellLessons: Tell<Lesson> = (session, lessons) => {
  for (const [clazz_id, ofClazz] of Map.groupBy(lastById(lessons), (lesson) => lesson.clazz_id)) {
    for (const part of inParts(ofClazz)) session.emit(clazzEvents.lessonChanged, clazz_id, { clazz_id, lessons: part });
  }
};
