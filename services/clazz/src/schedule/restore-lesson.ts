import { type lessonCalls, Problem } from '@teaching/contracts';
import type { Handler, Session } from '@teaching/kit';
import { restoreBookings } from '../attendance/restore-bookings.ts';
import { undoRollCall } from '../attendance/undo-roll-call.ts';
import { requireOpen } from '../record/access.rules.ts';
import { requireNoClash } from '../record/conflict.rules.ts';
import { type LessonRow, toLesson } from '../record/lesson.table.ts';
import { lockOwnClazz } from '../record/load-clazz.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { shownLesson } from '../record/shown-lessons.ts';
import { requireListedTeacher } from '../record/require-listed.ts';
import { requireLargeRooms } from '../room/check-rooms.ts';
import { findConflicts } from './find-conflicts.ts';
import { mayOverride, restored } from './lesson.rules.ts';
import { clazzOf, lockLessons } from './load-lesson.ts';
import { saveLessons } from './save-lessons.ts';

/** Whether the lesson would clash where it was; 409 `schedule_conflict` unless that is, or always was, an exception. */
const clashesAgain = async (session: Session, it: LessonRow, override: boolean): Promise<boolean> => {
  const involved = { teachers: [it.teacher_id], rooms: [it.room], clazz_ids: [it.clazz_id] };
  const [, clashes] = await Promise.all([lockSchedule(session, involved), findConflicts(session, it.clazz_id, [it])]);
  requireNoClash(clashes, override || it.override);
  return clashes.length > 0;
};

/**
 * Undoes that a lesson was cancelled, with all that cancelling it took, or that it was held without anybody's mark.
 * What cannot come back is named and stands in the trail; nothing else fails for it.
 */
export const restoreLesson: Handler<typeof lessonCalls.restoreLesson> = async ({ path, body }, session) => {
  const clazz = await lockOwnClazz(session, await clazzOf(session, path.lesson_id));
  const { it } = await lockLessons(session, path.lesson_id, 'this');
  session.checkVersion(it.version);
  requireOpen(clazz);
  if (it.status === 'scheduled') {
    throw new Problem('invalid_transition', {
      detail: 'The lesson is neither cancelled nor held',
      members: { from: it.status, to: 'scheduled' },
    });
  }
  const { reason } = body;
  const wasCancelled = it.status === 'cancelled';
  if (wasCancelled) await requireListedTeacher(session, it.teacher_id, '/path/lesson_id');
  const override = wasCancelled ? await clashesAgain(session, it, mayOverride(session.caller, body)) : it.override;
  const after = { ...restored(it, session.now), override };
  if (!wasCancelled) await undoRollCall(session, toLesson(after), reason);
  await saveLessons(session, clazz.id, [{ before: it, after }], reason);
  if (wasCancelled) await requireLargeRooms(session, [after]);
  // A cancelled lesson is not changed any more: its last change is when it was cancelled.
  const since = { lesson_id: it.id, reason };
  const not_restored = wasCancelled ? await restoreBookings(session, clazz.id, it.updated_at, since) : [];
  return { ...(await shownLesson(session, clazz, after)), not_restored };
};
