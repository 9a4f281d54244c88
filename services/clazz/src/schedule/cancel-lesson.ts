import type { lessonCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { requireOpen } from '../record/access.rules.ts';
import { lockOwnClazz } from '../record/load-clazz.ts';
import { shownLesson } from '../record/shown-lessons.ts';
import { cancellation, cancelled, requireCancellable } from './lesson.rules.ts';
import { clazzOf, lockLessons } from './load-lesson.ts';
import { saveLessons } from './save-lessons.ts';

/** Cancels a lesson, or with it what is still scheduled of its series. */
export const cancelLesson: Handler<typeof lessonCalls.cancelLesson> = async ({ path, query, body }, session) => {
  const clazz = await lockOwnClazz(session, await clazzOf(session, path.lesson_id));
  const { it, others } = await lockLessons(session, path.lesson_id, query.scope);
  session.checkVersion(it.version);
  requireOpen(clazz);
  const how = cancellation(session.caller, body);
  requireCancellable(session.caller, it, how.reason);
  const changes = [it, ...others].map((before) => ({ before, after: cancelled(before, how, session.now) }));
  await saveLessons(session, clazz.id, changes, how.reason);
  return shownLesson(session, clazz, changes[0]?.after ?? it);
};
